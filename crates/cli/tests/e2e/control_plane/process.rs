//! One program of the control plane, which never outlives this process.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A shell that starts the program and kills it once its own input ends. The input is
/// a pipe of ours: whatever ends us, also kill -9, closes it.
const GUARD: &str = r#""$@" & child=$!; read -r _; kill -9 "$child"; wait "$child""#;

/// A running program with its log.
pub struct Process {
    guard: Child,
    name: String,
    log: PathBuf,
}

impl Process {
    /// Starts `program` with `arguments`; what it prints goes to `NAME.log` in `folder`.
    pub fn start(folder: &Path, program: &Path, arguments: &[String]) -> io::Result<Self> {
        let name = program.file_name().unwrap().to_string_lossy().into_owned();
        let log = folder.join(format!("{name}.log"));
        let output = File::options().create(true).append(true).open(&log)?;
        let guard = Command::new("sh")
            .args(["-c", GUARD, "sh"])
            .arg(program)
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(output.try_clone()?)
            .stderr(output)
            .process_group(0) // Ctrl-C is for us; we end them
            .spawn()?;
        Ok(Self { guard, name, log })
    }

    /// The end of the log, for a test that failed.
    pub fn tail(&self, bytes: u64) -> String {
        let mut text = Vec::new();
        let read = File::open(&self.log).and_then(|mut file| {
            let length = file.metadata()?.len();
            file.seek(SeekFrom::Start(length.saturating_sub(bytes)))?;
            file.read_to_end(&mut text)
        });
        match read {
            Ok(_) => format!("--- {}\n{}\n", self.name, String::from_utf8_lossy(&text)),
            Err(error) => format!("--- {}: no log: {error}\n", self.name),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.guard.stdin.take());
        let _ = self.guard.wait();
    }
}
