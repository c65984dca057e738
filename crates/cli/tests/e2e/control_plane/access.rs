//! Who may enter: keys, tokens and kubeconfigs, all made at run time.

use std::path::Path;

use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};

/// The users, each with a token of its own name: the administrator, who may do
/// everything, and two who may do what a role gives them.
pub const USERS: [(&str, &str); 3] = [
    ("admin", "system:masters"),
    ("planner", "planners"),
    ("applier", "appliers"),
];

/// The key of service accounts and the table of tokens.
pub fn write(folder: &Path) {
    let key = rcgen::KeyPair::generate().unwrap();
    std::fs::write(folder.join("sa.key"), key.serialize_pem()).unwrap();
    std::fs::write(folder.join("sa.pub"), key.public_key_pem()).unwrap();
    let lines = USERS.map(|(user, group)| format!("{},{user},{user},\"{group}\"\n", token(user)));
    std::fs::write(folder.join("tokens.csv"), lines.concat()).unwrap();
}

// Of no worth outside: the server listens on loopback and is gone with the test.
fn token(user: &str) -> String {
    format!("{user}-{}", std::process::id())
}

/// Writes a kubeconfig for `user` at `server`; the certificate is the one the API server
/// made beside it.
pub fn kubeconfig(path: &Path, server: &str, user: &str) {
    let authority = path.parent().unwrap().join("certificates/apiserver.crt");
    let trust = if server.starts_with("https") {
        format!(", certificate-authority: {}", authority.display())
    } else {
        String::new()
    };
    let text = format!(
        "apiVersion: v1
kind: Config
current-context: test
contexts:
  - {{name: test, context: {{cluster: test, user: {user}}}}}
clusters:
  - {{name: test, cluster: {{server: \"{server}\"{trust}}}}}
users:
  - {{name: {user}, user: {{token: {}}}}}
",
        token(user)
    );
    std::fs::write(path, text).unwrap();
}

/// A client by a kubeconfig file, with or without the token in it.
pub async fn client(path: &Path, with_token: bool) -> Client {
    let file = Kubeconfig::read_from(path).unwrap();
    let options = KubeConfigOptions::default();
    let mut config = Config::from_custom_kubeconfig(file, &options)
        .await
        .unwrap();
    config.default_retry = false;
    config.read_timeout = None; // watches are quiet for long
    if !with_token {
        config.auth_info = Default::default();
    }
    Client::try_from(config).unwrap()
}

/// Does the API server say that it is ready?
pub async fn ready(client: &Client) -> bool {
    let request = http::Request::get("/readyz").body(Vec::new()).unwrap();
    client.request_text(request).await.is_ok()
}
