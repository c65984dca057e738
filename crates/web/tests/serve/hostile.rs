//! Bodies nobody should send: refused with a code, never a panic.

use serde_json::json;

use crate::client::{config, start};

#[test]
fn hostile_questions_are_refused() {
    let server = start(config());
    let input = server.example("web-shop");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let nested = format!(
        r#"{{"input":"{input}","verb":"colocate","options":{{"a":{}1{}}}}}"#,
        "[".repeat(1000),
        "]".repeat(1000)
    );
    let raw: [&[u8]; 12] = [
        b"",
        b"{",
        b"null",
        b"[]",
        b"\"text\"",
        b"\xff\xfe",
        b"{\"input\": NaN}",
        b"{\"input\": 1e999999}",
        b"{\"input\":\"i1\",\"input\":\"i1\",\"verb\":\"colocate\"}",
        b"{\"verb\":\"destroy\",\"input\":\"i1\"}",
        deep.as_bytes(),
        nested.as_bytes(),
    ];
    for body in raw {
        let reply = server.with("POST", "/api/v1/runs", "", body);
        let shown: String = String::from_utf8_lossy(body).chars().take(60).collect();
        assert!([400, 422].contains(&reply.status), "{shown}: {reply:?}");
        assert!(reply.code().starts_with('W'), "{shown}");
    }
    let wrong = [
        json!({"time": -1}),
        json!({"time": 1e300}),
        json!({"time": "long"}),
        json!({"time": 1, "steps": 1}),
        json!({"steps": -1}),
        json!({"steps": 1.5}),
        json!({"steps": 1e30}),
        json!({"seed": -1}),
        json!({"algorithm": "nobody"}),
        json!({"algorithm": "x".repeat(5000)}),
        json!({"algorithm": 7}),
        json!({"verb": "divide"}),
        json!({"verb": null}),
        json!({"surprise": 1}),
        json!({"options": []}),
        json!({"options": {"max_moves": -1}}),
        json!({"options": {"max_moves": 1e300}}),
        json!({"options": {"alive": 1000}}),
        json!({"options": {"leave_alone": "@/etc/passwd"}}),
        json!({"options": {"leave_alone": ["a"]}}),
        json!({"options": {"unknown": 1}}),
    ];
    for change in wrong {
        let mut body = json!({"input": input, "verb": "colocate"});
        for (key, value) in change.as_object().unwrap() {
            body[key] = value.clone();
        }
        let reply = server.post("/runs", &body);
        assert!([400, 422].contains(&reply.status), "{change}: {reply:?}");
        let error = &reply.json()["errors"][0];
        assert!(!error["code"].as_str().unwrap().is_empty(), "{change}");
    }
    let unknown = json!({"input": "i999", "verb": "colocate"});
    assert_eq!(server.post("/runs", &unknown).status, 404);
    assert_eq!(server.get("/runs").json(), json!([]));
}

#[test]
fn hostile_inputs_and_paths_are_refused() {
    let server = start(config());
    let upload = |body: &[u8]| server.with("POST", "/api/v1/inputs", "", body).status;
    for body in [
        &b"\x1f\x8bnot gzip"[..],
        b"\x00\x01\x02",
        b"{\"version\": 1, \"services\": 3}",
        b"version: 1\nservices: &a [*a]\n",
        "{".repeat(50_000).as_bytes(),
        b"service,mean,std,containers\na,1e308,1e308,99999999999\n",
    ] {
        assert_eq!(
            upload(body),
            422,
            "{:?}",
            String::from_utf8_lossy(&body[..body.len().min(30)])
        );
    }
    for path in [
        "/inputs/i0",
        "/inputs/i01",
        "/inputs/i99999999999999999999",
        "/inputs/r1",
        "/runs/%00",
        "/runs/r-1/events",
        "/runs/r1/waves",
        "/inputs/i1/map",
        "/nothing",
    ] {
        assert_eq!(server.get(path).code(), "W001", "{path}");
    }
    assert_eq!(
        server
            .post("/inputs/examples/..%2f..%2fsecret", &json!({}))
            .status,
        404
    );
    assert_eq!(server.with("PUT", "/api/v1/runs", "", b"").status, 405);
    assert_eq!(
        server.with("GET", "/api/v1/runs/%ff%fe", "", b"").status,
        400
    );
    let broken = server.raw(b"NONSENSE\r\n\r\n");
    assert_eq!(broken.status, 400);
    assert_eq!(server.get("/health").status, 200);
}
