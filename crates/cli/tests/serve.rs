//! `bayplan serve` as a process: it refuses what is unsafe and survives a kill.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

mod common;

struct Served {
    child: Child,
    address: String,
    /// Kept open: the server goes on telling.
    told: BufReader<ChildStderr>,
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(arguments: &[&str]) -> Served {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(["serve", "--address", "127.0.0.1:0"])
        .args(arguments)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut told = BufReader::new(child.stderr.take().unwrap());
    while !line.contains("http://") {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "it ended");
    }
    let address = line.split("http://").nth(1).unwrap();
    let address = address.split('/').next().unwrap().to_string();
    Served {
        child,
        address,
        told,
    }
}

impl Served {
    fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{headers}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        let mut reply = String::new();
        stream.read_to_string(&mut reply).unwrap();
        let status = reply.split(' ').nth(1).unwrap().parse().unwrap();
        let body = reply.split_once("\r\n\r\n").map_or("", |(_, body)| body);
        (status, body.to_string())
    }

    /// Ends it as a service manager would: its exit code, and all it said since it began.
    #[cfg(unix)]
    fn terminate(mut self) -> (Option<i32>, String) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status();
        assert!(sent.unwrap().success());
        let mut said = String::new();
        self.told.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap().code(), said)
    }
}

fn example() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/web-shop.yaml");
    path.to_str().unwrap().to_string()
}

#[test]
fn a_finished_run_survives_a_kill() {
    let scratch = common::Scratch::new("serve-kill");
    let store = &scratch.path("runs.redb");
    let server = serve(&[&example(), "--store", store]);
    let (status, inputs) = server.ask("GET", "/api/v1/inputs", "", "");
    let inputs: serde_json::Value = serde_json::from_str(&inputs).unwrap();
    assert_eq!((status, inputs.as_array().unwrap().len()), (200, 1));
    let input = inputs[0]["id"].as_str().unwrap();
    let question = format!(r#"{{"input":"{input}","verb":"colocate","steps":1000}}"#);
    let (status, run) = server.ask("POST", "/api/v1/runs", "", &question);
    assert_eq!(status, 202, "{run}");
    let run: serde_json::Value = serde_json::from_str(&run).unwrap();
    let path = format!("/api/v1/runs/{}", run["id"].as_str().unwrap());
    let finished = |server: &Served| {
        let view: serde_json::Value =
            serde_json::from_str(&server.ask("GET", &path, "", "").1).unwrap();
        (view["state"] == "done").then_some(view)
    };
    let before = loop {
        if let Some(view) = finished(&server) {
            break view;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
    };
    // The command is what reproduces it, with the file as it was given.
    let command = before["command"].as_str().unwrap();
    assert_eq!(
        command,
        format!("bayplan colocate {} --steps 1000 --seed 1", example())
    );
    // Dropping kills the process with SIGKILL: nothing is tidied up.
    drop(server);
    let server = serve(&["--store", store]);
    assert_eq!(finished(&server), Some(before));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(store).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    // Two servers cannot share a store: the second says so.
    let second = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(["serve", "--address", "127.0.0.1:0", "--store", store])
        .output()
        .unwrap();
    assert_eq!(second.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&second.stderr).contains("--store"));
}

#[test]
fn beyond_loopback_it_asks_for_a_token_and_never_prints_it() {
    let refused = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(["serve", "--address", "0.0.0.0:0"])
        .output()
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("--token-file"));

    let scratch = common::Scratch::new("serve-token");
    let secret = format!("made-for-this-test-{}", std::process::id());
    let file = scratch.write("token", &format!("{secret}\n"));
    let server = serve(&["--token-file", &file]);
    assert_eq!(server.ask("GET", "/api/v1/health", "", "").0, 401);
    let bearer = format!("Authorization: Bearer {secret}\r\n");
    assert_eq!(server.ask("GET", "/api/v1/health", &bearer, "").0, 200);
    let short = Command::new(env!("CARGO_BIN_EXE_bayplan"))
        .args(["serve", "--token", "short"])
        .output()
        .unwrap();
    assert_eq!(short.status.code(), Some(2));
    assert!(!String::from_utf8_lossy(&short.stderr).contains("\"short\""));
}

#[cfg(unix)]
#[test]
fn told_to_end_it_keeps_the_best_answer_and_the_secret() {
    let scratch = common::Scratch::new("serve-end");
    let store = &scratch.path("runs.redb");
    let secret = format!("made-for-this-test-{}", std::process::id());
    let file = &scratch.write("token", &secret);
    let bearer = &format!("Authorization: Bearer {secret}\r\n");
    let server = serve(&[&example(), "--store", store, "--token-file", file]);
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let inputs = json(&server.ask("GET", "/api/v1/inputs", bearer, "").1);
    let question = format!(
        r#"{{"input":{},"verb":"colocate","time":3600}}"#,
        inputs[0]["id"]
    );
    let (status, run) = server.ask("POST", "/api/v1/runs", bearer, &question);
    assert_eq!(status, 202, "{run}");
    let path = format!("/api/v1/runs/{}", json(&run)["id"].as_str().unwrap());
    while json(&server.ask("GET", &path, bearer, "").1)["state"] != "running" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // What is refused is no reason to write a secret down either.
    server.ask("GET", &format!("/?token={secret}"), "", "");
    server.ask("POST", "/login", "", &format!("token={secret}"));
    let (code, said) = server.terminate();
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("best answer"), "{said}");
    assert!(!said.contains(&secret));

    let server = serve(&["--store", store, "--token-file", file]);
    let view = json(&server.ask("GET", &path, bearer, "").1);
    assert_eq!(view["state"], "stopped", "{view}");
    assert_eq!(view["outcome"]["feasible"], true);
}
