//! The built `bayplan`, called as a user calls it.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// What a call said.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Said {
    /// Panics with everything it said unless the exit code is `code`.
    #[track_caller]
    pub fn exits(self, code: i32) -> Self {
        let Self { out, err, .. } = &self;
        assert_eq!(
            self.code,
            Some(code),
            "exit code\n--- stdout\n{out}\n--- stderr\n{err}"
        );
        self
    }

    /// What it printed, as JSON.
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}\n{}\n{}", self.out, self.err))
    }
}

/// A user with a kubeconfig and a folder for files.
#[derive(Clone)]
pub struct User {
    pub kubeconfig: PathBuf,
    pub folder: PathBuf,
}

impl User {
    /// A call of `bayplan`, not begun yet.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_bayplan"));
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env("KUBECONFIG", &self.kubeconfig);
        command
    }

    /// Calls it and waits for its end.
    pub fn run(&self, arguments: &[&str]) -> Said {
        self.start(arguments).end()
    }

    /// Calls it and lets it run.
    pub fn start(&self, arguments: &[&str]) -> Running {
        let mut command = self.command(arguments);
        // Files, not pipes: nobody reads while it runs.
        let base = self.folder.join(format!("call-{}", next()));
        let open = |end: &str| std::fs::File::create(base.with_extension(end)).unwrap();
        command
            .stdin(Stdio::null())
            .stdout(open("out"))
            .stderr(open("err"));
        Running {
            child: command.spawn().unwrap(),
            base,
        }
    }

    /// The file `name` of the user's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

fn next() -> usize {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static CALLS: AtomicUsize = AtomicUsize::new(0);
    CALLS.fetch_add(1, Ordering::Relaxed)
}

/// A call under way; killed when dropped.
pub struct Running {
    child: Child,
    base: PathBuf,
}

impl Running {
    /// Waits for its end.
    pub fn end(mut self) -> Said {
        let status = self.child.wait().unwrap();
        said(&self.base, status.code())
    }

    /// Is it still at work?
    pub fn runs(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// What it has said so far on standard error.
    pub fn err(&self) -> String {
        said(&self.base, None).err
    }

    /// Kills it without a word, as a machine that dies would.
    pub fn kill(mut self) -> Said {
        let _ = self.child.kill();
        self.end_in_place()
    }

    /// Sends a signal by name, such as TERM.
    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(
            Command::new("kill")
                .args([&format!("-{name}"), &pid])
                .status()
                .unwrap()
                .success()
        );
    }

    fn end_in_place(&mut self) -> Said {
        let status = self.child.wait().unwrap();
        said(&self.base, status.code())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn said(base: &Path, code: Option<i32>) -> Said {
    let read = |end: &str| {
        let bytes = std::fs::read(base.with_extension(end)).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    };
    Said {
        code,
        out: read("out"),
        err: read("err"),
    }
}
