//! A fingerprint of each question's solver and experiment, so that a journal
//! of cells knows which of them an earlier solver made.

use std::fs;
use std::path::{Path, PathBuf};

const VERBS: [&str; 5] = ["provision", "colocate", "overcommit", "divide", "admit"];

/// What every cell depends on, from this crate's folder. The model is left
/// out: its types change often and figures with them hardly ever.
const COMMON: [&str; 3] = ["../lp/src", "../solve/src/shared", "src/generate/random.rs"];

fn main() {
    println!("cargo:rerun-if-changed=src");
    let mut text = String::from("const SOLVERS: [(&str, &str); 5] = [\n");
    for verb in VERBS {
        let own = [
            format!("../solve/src/{verb}"),
            format!("src/generate/{verb}"),
            format!("src/generate/{verb}.rs"),
            format!("src/experiments/{verb}"),
            format!("src/experiments/{verb}.rs"),
        ];
        let mut hash = FNV_START;
        for path in COMMON.into_iter().chain(own.iter().map(String::as_str)) {
            // A path that is not there would count as changed at every build.
            if Path::new(path).exists() {
                println!("cargo:rerun-if-changed={path}");
                add(Path::new(path), &mut hash);
            }
        }
        let short = hash ^ (hash >> 32);
        text += &format!("    (\"{verb}\", \"{:08x}\"),\n", short as u32);
    }
    text += "];\n";
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo names a folder"));
    fs::write(folder.join("solvers.rs"), text).expect("the build folder is writable");
}

/// Adds a file, or a folder's files in the order of their names.
fn add(path: &Path, hash: &mut u64) {
    let name = path.file_name().and_then(|name| name.to_str());
    // What draws pages and what tests changes no figure.
    if matches!(name, Some("figures.rs" | "tests.rs" | "testing.rs")) {
        return;
    }
    if let Ok(entries) = fs::read_dir(path) {
        let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        paths.sort();
        paths.iter().for_each(|path| add(path, hash));
    } else if let Ok(bytes) = fs::read(path) {
        match String::from_utf8(bytes) {
            Ok(text) => lines(&text).for_each(|line| mix(line.as_bytes(), hash)),
            Err(binary) => mix(binary.as_bytes(), hash),
        }
    }
}

/// Lines without comments; a module of tests ends a file.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let lines = code.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with("//"))
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a: the same on every machine and in every version of Rust.
fn mix(bytes: &[u8], hash: &mut u64) {
    for byte in bytes {
        *hash = (*hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
}
