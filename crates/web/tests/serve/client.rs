//! A server of our own for each test, and a client plain enough to send what
//! no browser would.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use bayplan_web::{Config, Server};
use serde_json::{Value, json};
use tokio::sync::oneshot;

/// A server that ends with the test.
pub struct Running {
    pub address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<std::thread::JoinHandle<()>>,
}

/// What came back.
#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Reply {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// A header.
    pub fn header(&self, name: &str) -> Option<String> {
        let wanted = format!("{}:", name.to_ascii_lowercase());
        let mut lines = self.head.lines();
        let line = lines.find(|line| line.to_ascii_lowercase().starts_with(&wanted))?;
        Some(line[wanted.len()..].trim().to_string())
    }

    /// The code of its first error.
    pub fn code(&self) -> String {
        self.json()["errors"][0]["code"]
            .as_str()
            .unwrap_or("")
            .to_string()
    }
}

/// On any free port.
pub fn config() -> Config {
    Config {
        address: "127.0.0.1:0".parse().unwrap(),
        threads: 1,
        ..Config::default()
    }
}

/// Starts a server.
pub fn start(config: Config) -> Running {
    let (tell, told) = std::sync::mpsc::channel();
    let (end, ended) = oneshot::channel::<()>();
    let thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = { runtime }.worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async move {
            let server = Server::start(config, None).await.unwrap();
            tell.send(server.address()).unwrap();
            let end = async {
                let _ = ended.await;
            };
            server.run(end).await.unwrap();
        });
    });
    Running {
        address: told.recv().unwrap(),
        end: Some(end),
        thread: Some(thread),
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Running {
    /// Sends bytes as they are and reads until the server closes.
    pub fn raw(&self, bytes: &[u8]) -> Reply {
        let mut stream = TcpStream::connect(self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(120)))
            .unwrap();
        // A server that refuses may close before all is sent.
        let _ = stream.write_all(bytes);
        let mut reply = Vec::new();
        let _ = stream.read_to_end(&mut reply);
        parse(&reply)
    }

    /// Asks, with further header lines.
    pub fn with(&self, method: &str, path: &str, headers: &str, body: &[u8]) -> Reply {
        let host = if headers.to_ascii_lowercase().contains("host:") {
            String::new()
        } else {
            format!("Host: {}\r\n", self.address)
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\n{host}{headers}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub fn get(&self, path: &str) -> Reply {
        self.with("GET", &format!("/api/v1{path}"), "", b"")
    }

    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.with(
            "POST",
            &format!("/api/v1{path}"),
            "",
            body.to_string().as_bytes(),
        )
    }

    /// Loads an example; its id.
    pub fn example(&self, name: &str) -> String {
        let reply = self.post(&format!("/inputs/examples/{name}"), &json!({}));
        assert_eq!(reply.status, 201, "{reply:?}");
        reply.json()["id"].as_str().unwrap().to_string()
    }

    /// Asks; the run's id.
    pub fn ask(&self, body: &Value) -> String {
        let reply = self.post("/runs", body);
        assert_eq!(
            reply.status,
            202,
            "{}",
            String::from_utf8_lossy(&reply.body)
        );
        reply.json()["id"].as_str().unwrap().to_string()
    }

    /// Waits for a run's end.
    pub fn ended(&self, run: &str) -> Value {
        for _ in 0..6000 {
            let view = self.get(&format!("/runs/{run}")).json();
            if !["queued", "running"].contains(&view["state"].as_str().unwrap()) {
                return view;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{run} does not end");
    }

    /// Waits until a run is at work.
    pub fn at_work(&self, run: &str) {
        while self.get(&format!("/runs/{run}")).json()["state"] == "queued" {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

fn parse(reply: &[u8]) -> Reply {
    let at = reply.windows(4).position(|four| four == b"\r\n\r\n");
    let (head, body) = at.map_or((reply, &b""[..]), |at| (&reply[..at], &reply[at + 4..]));
    let head = String::from_utf8_lossy(head).into_owned();
    let status = head
        .split(' ')
        .nth(1)
        .and_then(|word| word.parse().ok())
        .unwrap_or(0);
    let chunked = head
        .to_ascii_lowercase()
        .contains("transfer-encoding: chunked");
    Reply {
        status,
        head,
        body: if chunked {
            unchunk(body)
        } else {
            body.to_vec()
        },
    }
}

fn unchunk(mut body: &[u8]) -> Vec<u8> {
    let mut whole = Vec::new();
    while let Some(at) = body.windows(2).position(|two| two == b"\r\n") {
        let size = std::str::from_utf8(&body[..at]).ok();
        let size = size
            .and_then(|text| usize::from_str_radix(text, 16).ok())
            .unwrap_or(0);
        let end = (at + 2 + size).min(body.len());
        whole.extend_from_slice(&body[at + 2..end]);
        if size == 0 || end + 2 > body.len() {
            break;
        }
        body = &body[end + 2..];
    }
    whole
}
