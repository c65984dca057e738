//! Every route, from the file to the answer.

use serde_json::json;

use crate::client::{config, start};

#[test]
fn each_of_the_five_questions_is_answered() {
    let server = start(config());
    let examples = server.get("/examples").json();
    let verbs = server.get("/verbs").json();
    for verb in verbs.as_array().unwrap() {
        let word = verb["verb"].as_str().unwrap();
        let mut matching = examples.as_array().unwrap().iter();
        let example = matching.find(|example| example["verb"] == word);
        let input = server.example(example.unwrap()["name"].as_str().unwrap());
        let about = server.get(&format!("/inputs/{input}")).json();
        assert_eq!(about["verbs"][0], word, "{about}");
        let run = server.ask(&json!({"input": input, "verb": word, "time": 1, "options": {}}));
        let view = server.ended(&run);
        assert_eq!(view["state"], "done", "{view}");
        assert_eq!(view["outcome"]["verb"], word);
        assert_eq!(
            view["outcome"]["feasible"],
            word != "admit" || view["outcome"]["feasible"] == true
        );
        assert!(!view["verdict"].as_str().unwrap().is_empty());
        let command = view["command"].as_str().unwrap();
        assert!(
            command.starts_with(&format!("bayplan {word} examples/")),
            "{command}"
        );
        assert!(command.ends_with("--time 1 --seed 1"), "{command}");

        let map = server.get(&format!("/inputs/{input}/map")).json();
        let placement = server.get(&format!("/runs/{run}/placement")).json();
        let nodes = map["nodes"]["name"].as_array().unwrap().len()
            + placement["nodes"]["name"].as_array().unwrap().len();
        let columns = &placement["placement"];
        let rows = columns["service"].as_array().unwrap();
        assert!(!rows.is_empty() && rows.len() == columns["node"].as_array().unwrap().len());
        let highest = columns["node"].as_array().unwrap().iter();
        assert!(highest.map(|node| node.as_u64().unwrap()).max().unwrap() < nodes as u64);

        let waves = server.get(&format!("/runs/{run}/waves"));
        assert_eq!(waves.status, 200);
        let csv = server.get(&format!("/runs/{run}/plan.csv"));
        assert_eq!(
            csv.header("content-type").unwrap(),
            "text/csv; charset=utf-8"
        );
        assert_eq!(
            csv.body.iter().filter(|b| **b == b'\n').count(),
            rows.len() + 1
        );
        assert!(
            server
                .get(&format!("/runs/{run}/plan.json"))
                .json()
                .is_object()
        );
        let report = server.get(&format!("/runs/{run}/report.html"));
        assert!(String::from_utf8_lossy(&report.body).contains("How to get this again"));
        assert!(
            report
                .header("content-security-policy")
                .unwrap()
                .contains("sandbox")
        );
        let undo = server.get(&format!("/runs/{run}/undo.json")).status;
        assert_eq!(undo, if word == "colocate" { 200 } else { 404 });
    }
    assert_eq!(server.get("/runs").json().as_array().unwrap().len(), 5);
    assert_eq!(server.get("/inputs").json().as_array().unwrap().len(), 5);
}

#[test]
fn a_migration_keeps_what_it_promises() {
    let server = start(config());
    let input = server.example("web-shop");
    let options = json!({"alive": 50, "max_moves": 12});
    let run =
        server.ask(&json!({"input": input, "verb": "colocate", "time": 2, "options": options}));
    let view = server.ended(&run);
    let command = view["command"].as_str().unwrap();
    assert!(command.contains("--max-moves 12 --alive 50%"), "{command}");
    assert!(view["outcome"]["moves"].as_u64().unwrap() <= 12);
    let waves = server.get(&format!("/runs/{run}/waves")).json();
    let replicas =
        server.get(&format!("/inputs/{input}/map")).json()["services"]["replicas"].clone();
    let alive = &waves["alive"];
    let both = alive["service"]
        .as_array()
        .unwrap()
        .iter()
        .zip(alive["least"].as_array().unwrap());
    for (service, least) in both {
        let all = replicas[service.as_u64().unwrap() as usize]
            .as_u64()
            .unwrap();
        assert!(least.as_u64().unwrap() * 2 >= all, "{waves}");
    }
    assert!(!waves["waves"].as_array().unwrap().is_empty());
}

#[test]
fn the_frontier_and_the_price_of_confidence_have_points() {
    let server = start(config());
    let shop = server.example("web-shop");
    let frontier =
        json!({"input": shop, "verb": "colocate", "time": 4, "options": {"frontier": true}});
    let run = server.ask(&frontier);
    let view = server.ended(&run);
    let points = view["points"].as_array().unwrap();
    assert!(points.len() >= 2, "{view}");
    let gains: Vec<f64> = points
        .iter()
        .map(|p| p["gained_affinity"].as_f64().unwrap())
        .collect();
    assert!(gains.windows(2).all(|pair| pair[0] < pair[1]), "{gains:?}");
    assert_eq!(points[0]["moves"], 0);
    let waves = |point: usize| {
        let waves = server
            .get(&format!("/runs/{run}/waves?point={point}"))
            .json();
        waves["waves"].as_array().unwrap().len()
    };
    assert!(waves(0) == 0 && waves(points.len() - 1) > 0);
    for (at, point) in points.iter().enumerate() {
        assert_eq!(point["waves"], waves(at));
        assert!(point["notes"].is_array() && point["nodes"].as_u64() > Some(0));
    }
    // The curve's end answers the question without a curve: the two are compared.
    let plain = server.ask(&json!({"input": shop, "verb": "colocate", "time": 1}));
    server.ended(&plain);
    let rows = server.get(&format!("/compare?runs={run},{plain}")).json()["rows"].clone();
    assert_eq!(rows[0]["aim"], rows[1]["aim"]);
    // CPU seconds are those of the run: the first one's are not counted again.
    let again = server.ask(&json!({"input": shop, "verb": "colocate", "time": 1,
        "options": {"frontier": true}}));
    let cpu = server.ended(&again)["outcome"]["cpu_seconds"].as_f64();
    assert!(cpu.is_some_and(|cpu| cpu < 3.0), "{cpu:?}");
    let listed = server.get("/runs").json();
    assert!(
        listed[0]["seconds"].as_f64().is_some_and(|s| s > 0.0),
        "{listed}"
    );
    assert_eq!(
        server
            .get(&format!("/runs/{run}/placement?point=999"))
            .code(),
        "W001"
    );
    assert_eq!(
        server
            .get(&format!("/runs/{run}/placement?point=-1"))
            .status,
        400
    );

    let fleet = server.example("steady-fleet");
    let curve = json!({"input": fleet, "verb": "overcommit", "time": 5,
        "options": {"curve": true, "samples": 0, "confidence": 0.99}});
    let run = server.ask(&curve);
    let view = server.ended(&run);
    let points = view["points"].as_array().unwrap();
    assert_eq!(points.len(), 9, "{view}");
    let chosen = view["point"].as_u64().unwrap() as usize;
    assert_eq!(points[chosen]["confidence"], 0.99);
    assert_eq!(points[chosen]["ucac"], view["outcome"]["ucac"]);
}

#[test]
fn compared_runs_share_a_bound_only_with_the_same_aim() {
    let server = start(config());
    let input = server.example("growing-shop");
    let ask = |algorithm: &str, options: serde_json::Value| {
        let body = json!({"input": input, "verb": "provision", "algorithm": algorithm,
            "steps": 500, "options": options});
        let run = server.ask(&body);
        server.ended(&run);
        run
    };
    let (a, b) = (
        ask("FFD-Avg", json!({})),
        ask("auto", json!({"repack": false})),
    );
    let c = ask("auto", json!({"headroom": "cpu=30%"}));
    let rows = server.get(&format!("/compare?runs={a},{b},{c}")).json()["rows"].clone();
    assert_eq!(rows[0]["aim"], rows[1]["aim"]);
    assert_ne!(rows[0]["aim"], rows[2]["aim"]);
    assert_eq!(rows[0]["bound"], rows[1]["bound"]);
    assert_eq!(rows[0]["algorithm"], "FFD-Avg");
    let other = server.example("divided-load");
    let d = server.ask(&json!({"input": other, "verb": "divide", "steps": 10}));
    server.ended(&d);
    assert_eq!(server.get(&format!("/compare?runs={a},{d}")).status, 422);
    assert_eq!(server.get("/compare").status, 400);
    assert_eq!(server.get("/compare?runs=r9999").status, 404);
}

#[test]
fn a_file_is_taken_as_it_is_and_its_errors_are_told() {
    let server = start(config());
    let upload =
        |query: &str, body: &[u8]| server.with("POST", &format!("/api/v1/inputs{query}"), "", body);
    let table = b"application,cpu,memory\na,10,4\nb,3,2\n";
    let taken = upload("?name=apps.csv&cpu=32&memory=64", table);
    assert_eq!(taken.status, 201, "{taken:?}");
    let input = taken.json();
    assert_eq!(input["format"], "applications");
    assert_eq!(input["figures"]["applications"], 2);
    let run = server.ask(&json!({"input": input["id"], "verb": "divide", "steps": 10}));
    let view = server.ended(&run);
    assert_eq!(
        view["command"],
        "bayplan divide apps.csv --cpu 32 --memory 64 --steps 10 --seed 1"
    );
    let wrong = upload(
        "?name=x.yaml",
        b"version: 1\npools:\n  - {name: p, capacity: {cpu: 4}}\nservices:\n  - {name: a, replicas: -3, demand: {cpu: 1}}\n",
    );
    assert_eq!(wrong.status, 422);
    let error = &wrong.json()["errors"][0];
    for part in ["code", "what", "fix"] {
        assert!(!error[part].as_str().unwrap().is_empty(), "{error}");
    }
    assert!(!error["place"].as_str().unwrap().is_empty(), "{error}");
    assert_eq!(upload("?colour=red", table).status, 400);
    assert_eq!(upload("?format=nonsense", table).status, 422);
    assert_eq!(upload("?machines=many", table).status, 400);
    assert_eq!(upload("", b"").code(), "F005");
}
