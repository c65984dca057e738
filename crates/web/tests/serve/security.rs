//! Who may ask, and what an answer tells the browser.

use bayplan_web::{Config, Server, Token};
use serde_json::json;

use crate::client::{config, start};

const SECRET: &str = "correct-horse-battery-staple";

#[test]
fn every_answer_carries_the_headers() {
    let server = start(config());
    for path in ["/", "/api/v1/health", "/api/v1/nothing", "/nothing.js"] {
        let reply = server.with("GET", path, "", b"");
        let header = |name: &str| reply.header(name).unwrap_or_default();
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(header("x-frame-options"), "DENY", "{path}");
        assert_eq!(header("referrer-policy"), "no-referrer", "{path}");
        let policy = header("content-security-policy");
        assert!(
            policy.contains("default-src 'self'") && !policy.contains("unsafe"),
            "{policy}"
        );
        assert!(reply.header("access-control-allow-origin").is_none());
        if path.starts_with("/api") {
            assert_eq!(header("cache-control"), "no-store", "{path}");
        }
    }
}

#[test]
fn other_hosts_and_origins_are_refused() {
    let server = start(Config {
        hosts: vec!["plans.example".into()],
        ..config()
    });
    let host = |host: &str| {
        let reply = server.with("GET", "/api/v1/health", &format!("Host: {host}\r\n"), b"");
        reply.status
    };
    for ours in [
        "localhost:8080",
        "127.0.0.1",
        "[::1]:80",
        "LOCALHOST",
        "plans.example",
    ] {
        assert_eq!(host(ours), 200, "{ours}");
    }
    for foreign in [
        "evil.example",
        "localhost.evil.example",
        "192.0.2.7",
        "127.0.0.1.evil.example",
    ] {
        assert_eq!(host(foreign), 403, "{foreign}");
    }
    let none = server.raw(b"GET /api/v1/health HTTP/1.1\r\nConnection: close\r\n\r\n");
    assert_eq!(none.status, 400);
    let two = server.raw(
        b"GET /api/v1/health HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    );
    assert_eq!(two.status, 400);

    let path = "/api/v1/inputs/examples/web-shop";
    let post = |headers: &str| server.with("POST", path, headers, b"").status;
    let own = format!("Origin: http://{}\r\n", server.address);
    assert_eq!(post(&own), 201);
    assert_eq!(post("Sec-Fetch-Site: same-origin\r\n"), 201);
    for foreign in [
        "Origin: http://evil.example\r\n",
        "Origin: null\r\n",
        "Origin: http://127.0.0.1:1\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\n",
    ] {
        assert_eq!(post(foreign), 403, "{foreign}");
    }
    let remove = server.with(
        "DELETE",
        "/api/v1/runs/r1",
        "Origin: http://evil.example\r\n",
        b"",
    );
    assert_eq!(remove.code(), "W008");
}

#[test]
fn without_the_token_nothing_is_told() {
    let server = start(Config {
        token: Some(Token::new(SECRET).unwrap()),
        ..config()
    });
    for path in ["/api/v1/health", "/api/v1/runs", "/api/v1/openapi.json"] {
        let refused = server.with("GET", path, "", b"");
        assert_eq!((refused.status, refused.code().as_str()), (401, "W007"));
        assert!(!String::from_utf8_lossy(&refused.body).contains(SECRET));
        let wrong = server.with("GET", path, "Authorization: Bearer wrong\r\n", b"");
        assert_eq!(wrong.status, 401);
        let bearer = format!("Authorization: Bearer {SECRET}\r\n");
        assert_eq!(server.with("GET", path, &bearer, b"").status, 200);
    }
    let page = server.with("GET", "/", "", b"");
    assert_eq!(page.status, 401);
    assert!(String::from_utf8_lossy(&page.body).contains("action=\"/login\""));
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let enter = |headers: &str, body: &str| server.with("POST", "/login", headers, body.as_bytes());
    for wrong in [
        "",
        "token=",
        "token=wrong",
        "token=%ff",
        "other=1",
        "token=a&token=b",
    ] {
        let refused = enter(form, wrong);
        assert_eq!(refused.status, 401, "{wrong}");
        assert!(refused.header("set-cookie").is_none());
    }
    let token = format!("token={SECRET}");
    assert_eq!(enter("", &token).status, 401);
    let foreign = format!("{form}Origin: http://evil.example\r\n");
    assert_eq!(enter(&foreign, &token).status, 403);
    // Never in an address: those are kept in histories and logs.
    let address = server.with("GET", &format!("/login?{token}"), "", b"");
    assert_eq!(address.status, 401);
    assert!(address.header("set-cookie").is_none());
    let login = enter(form, &token);
    assert_eq!(
        (login.status, login.header("location").as_deref()),
        (303, Some("/"))
    );
    let cookie = login.header("set-cookie").unwrap();
    assert!(
        cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"),
        "{cookie}"
    );
    let pair = cookie.split(';').next().unwrap();
    let with_cookie = server.with("GET", "/", &format!("Cookie: a=b; {pair}\r\n"), b"");
    assert_eq!(with_cookie.status, 200);
    let other = "Cookie: bayplan_token=something-else-entirely\r\n";
    assert_eq!(server.with("GET", "/api/v1/runs", other, b"").status, 401);
}

#[test]
fn beyond_loopback_a_token_is_needed() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let open = Config {
        address: "0.0.0.0:0".parse().unwrap(),
        ..config()
    };
    let started = runtime.block_on(Server::start(open.clone(), None));
    assert!(started.err().unwrap().to_string().contains("--token-file"));
    let server = start(Config {
        token: Some(Token::new(SECRET).unwrap()),
        ..open
    });
    let port = server.address.port();
    let headers = format!("Host: 192.0.2.7:{port}\r\nAuthorization: Bearer {SECRET}\r\n");
    let raw = format!("GET /api/v1/health HTTP/1.1\r\n{headers}Connection: close\r\n\r\n");
    let mut reached = std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
    std::io::Write::write_all(&mut reached, raw.as_bytes()).unwrap();
    let mut reply = String::new();
    std::io::Read::read_to_string(&mut reached, &mut reply).unwrap();
    assert!(reply.starts_with("HTTP/1.1 200"), "{reply}");
    let _ = json!({});
}

#[test]
fn no_path_leads_out_of_the_page() {
    let server = start(config());
    for path in [
        "/../Cargo.toml",
        "/..%2fCargo.toml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//etc/passwd",
        "/assets/../../src/lib.rs",
        "/index.html%00.js",
        "/..\\Cargo.toml",
        "/api/v1/runs/..%2f..%2fetc%2fpasswd",
        "/api/v1/inputs/%2e%2e",
        "/api/v1/runs/r1/report.html/../../../etc/passwd",
    ] {
        let reply = server.with("GET", path, "", b"");
        assert!([400, 404].contains(&reply.status), "{path}: {reply:?}");
        let text = String::from_utf8_lossy(&reply.body).into_owned();
        assert!(
            !text.contains("[package]") && !text.contains("root:"),
            "{path}"
        );
    }
    assert_eq!(server.with("GET", "/", "", b"").status, 200);
    assert_eq!(server.with("POST", "/", "", b"").status, 405);
}
