//! What the server is told at its start, and its bounds.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;

use subtle::ConstantTimeEq;

/// How to serve. Every bound is here.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where to listen.
    pub address: SocketAddr,
    /// Names, beside loopback names and plain addresses, by which browsers may
    /// call this server.
    pub hosts: Vec<String>,
    /// The secret every request must show; needed beyond loopback.
    pub token: Option<Token>,
    /// Where inputs and finished runs are kept; `None`: in memory.
    pub store: Option<PathBuf>,
    /// Runs that may wait.
    pub queue: usize,
    /// The largest input in bytes, as sent and when decompressed.
    pub max_input: u64,
    /// Inputs kept; the oldest is forgotten for a new one.
    pub keep_inputs: usize,
    /// Finished runs kept; the oldest is forgotten for a new one.
    pub keep_runs: usize,
    /// Compressed bytes kept of all inputs and runs together.
    pub keep_bytes: u64,
    /// Listeners to events at the same time.
    pub listeners: usize,
    /// Inputs read at the same time.
    pub uploads: usize,
    /// Connections at the same time; more wait to be accepted.
    pub connections: usize,
    /// Threads of a run; 0: all cores.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            address: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8080),
            hosts: Vec::new(),
            token: None,
            store: None,
            queue: 16,
            max_input: 128 << 20,
            keep_inputs: 32,
            keep_runs: 100,
            keep_bytes: 512 << 20,
            listeners: 64,
            uploads: 2,
            connections: 512,
            threads: 0,
        }
    }
}

/// Why a configuration is refused.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConfigError {
    /// Everybody on the network could ask, stop and read.
    #[error("{0} is not a loopback address: give --token-file, or listen on 127.0.0.1 [W011]")]
    NeedsToken(SocketAddr),
    /// Too easy to guess, or not fit for a header.
    #[error(
        "the token must be 16 to 256 letters, digits or -._~ (such as `openssl rand -hex 24` prints) [W011]"
    )]
    BadToken,
}

impl Config {
    /// Refuses what would be unsafe.
    pub fn check(&self) -> Result<(), ConfigError> {
        if self.token.is_none() && !self.address.ip().is_loopback() {
            return Err(ConfigError::NeedsToken(self.address));
        }
        Ok(())
    }
}

/// A secret. Shown nowhere, compared in constant time.
#[derive(Clone)]
pub struct Token(String);

impl Token {
    /// A token fit for headers and cookies.
    pub fn new(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim();
        let fit = |c: char| c.is_ascii_alphanumeric() || "-._~".contains(c);
        if (16..=256).contains(&text.len()) && text.chars().all(fit) {
            Ok(Self(text.to_string()))
        } else {
            Err(ConfigError::BadToken)
        }
    }

    /// Whether this is the secret; takes as long for a near miss as for nonsense.
    pub fn matches(&self, shown: &str) -> bool {
        self.0.as_bytes().ct_eq(shown.as_bytes()).into()
    }

    /// The cookie that carries it. `HttpOnly`: no script sees it; `Strict`: no
    /// other site can make a browser send it.
    pub(crate) fn cookie(&self) -> String {
        format!(
            "{}={}; Path=/; HttpOnly; SameSite=Strict",
            Self::COOKIE,
            self.0
        )
    }

    /// The cookie's name.
    pub(crate) const COOKIE: &str = "bayplan_token";
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_goes_without_a_token() {
        let at = |address: &str, token: Option<Token>| Config {
            address: address.parse().unwrap(),
            token,
            ..Config::default()
        };
        assert!(at("127.0.0.1:1", None).check().is_ok());
        assert!(at("[::1]:1", None).check().is_ok());
        for open in ["0.0.0.0:1", "192.0.2.1:1", "[::]:1"] {
            assert!(at(open, None).check().is_err());
            assert!(
                at(open, Token::new("0123456789abcdef").ok())
                    .check()
                    .is_ok()
            );
        }
    }

    #[test]
    fn a_token_is_long_plain_and_never_shown() {
        for bad in [
            "",
            "short",
            "0123456789abcde;",
            "0123456789 abcdef",
            "ünicode-ünicode-",
        ] {
            assert!(Token::new(bad).is_err(), "{bad}");
        }
        let token = Token::new("0123456789abcdef\n").unwrap();
        assert!(token.matches("0123456789abcdef"));
        assert!(!token.matches("0123456789abcdeg") && !token.matches(""));
        assert!(!format!("{token:?}").contains("0123"));
    }
}
