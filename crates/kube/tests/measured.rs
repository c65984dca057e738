//! Usage and traffic from Prometheus, asked of a small server that answers as
//! Prometheus does.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use bayplan_formats::{Input, ReadOptions, read};
use bayplan_kube::usage::{UsageOptions, by_epoch, measure, random};
use bayplan_kube::{Prometheus, traffic};
use bayplan_model::Demand;
use serde_json::{Value, json};

/// Serves answers made from the path with its query; returns its address.
fn serve(answer: impl Fn(&str) -> (u16, Value) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { continue };
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut first = String::new();
            let _ = reader.read_line(&mut first);
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let path = first.split(' ').nth(1).unwrap_or("");
            let (code, body) = answer(path);
            let body = body.to_string();
            let head = format!(
                "HTTP/1.1 {code} X\r\ncontent-type: application/json\r\n\
                 content-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all((head + &body).as_bytes());
        }
    });
    address
}

fn cluster() -> Input {
    let node = json!({"kind": "Node", "metadata": {"name": "n0", "labels": {}}, "spec": {},
        "status": {"allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110"}}});
    let pod = |app: &str, nth: usize| {
        json!({"kind": "Pod",
            "metadata": {"name": format!("{app}-5d-x{nth}"), "namespace": "shop", "labels": {"app": app},
                "ownerReferences": [{"kind": "ReplicaSet", "name": format!("{app}-5d"), "controller": true}]},
            "spec": {"nodeName": "n0", "containers": [{"name": "main",
                "resources": {"requests": {"cpu": "2", "memory": "1Gi"}}}]},
            "status": {"phase": "Running"}})
    };
    let items = vec![
        node,
        pod("web", 0),
        pod("web", 1),
        pod("db", 0),
        pod("quiet", 0),
    ];
    let text = json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string();
    read(text.as_bytes(), &ReadOptions::default()).unwrap()
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.unwrap().block_on(work)
}

fn argument(path: &str, name: &str) -> f64 {
    let found = path
        .split(['?', '&'])
        .find_map(|part| part.strip_prefix(&format!("{name}=")));
    found.unwrap().parse().unwrap()
}

/// The day begins at 0; `web` is busy in its second half, `x1` twice as much
/// as `x0`; an old pod of `db` counts although it is gone.
fn usage_answer(path: &str) -> (u16, Value) {
    assert!(path.starts_with("/prom/api/v1/query_range?"), "{path}");
    let (start, end, step) = (
        argument(path, "start"),
        argument(path, "end"),
        argument(path, "step"),
    );
    let cpu = path.contains("container_cpu_usage_seconds_total");
    let series = |pod: &str, of: &dyn Fn(f64) -> f64| {
        let mut values = Vec::new();
        let mut time = start;
        while time <= end {
            values.push(json!([time, of(time).to_string()]));
            time += step;
        }
        json!({"metric": {"namespace": "shop", "pod": pod}, "values": values})
    };
    let busy = |time: f64| time.rem_euclid(86_400.0) >= 43_200.0;
    let result = if cpu {
        vec![
            series("web-5d-x0", &|time| if busy(time) { 1.0 } else { 0.25 }),
            series("web-5d-x1", &|time| if busy(time) { 2.0 } else { 0.25 }),
            series("db-77-gone", &|_| 0.5),
            series("stranger-1", &|_| 9.0),
        ]
    } else {
        vec![series("web-5d-x0", &|_| 104_857_600.0)]
    };
    (
        200,
        json!({"status": "success", "data": {"resultType": "matrix", "result": result}}),
    )
}

fn options() -> UsageOptions {
    UsageOptions {
        now: 864_000.0 - 1.0,
        range: 86_400.0,
        step: 600.0,
        epochs: 2,
    }
}

#[test]
fn usage_becomes_a_profile_and_a_peak() {
    let url = format!("{}/prom/", serve(usage_answer));
    let input = cluster();
    let services = input.problem.services().unwrap();
    let objects = input.objects.as_deref().unwrap();
    let usage = run(async {
        let server = Prometheus::new(&url).await?;
        measure(&server, &services.names, objects, &options()).await
    });
    let usage = usage.unwrap();
    let of = |name: &str| usage[services.names.find(name).unwrap() as usize].clone();
    let web = of("shop/web").unwrap();
    assert_eq!(web.epochs, [0.25, 1.5]);
    assert_eq!((web.fit.containers, web.fit.mean), (2, 1.5));
    assert!((web.fit.deviation - 0.5f64.sqrt()).abs() < 1e-9);
    assert_eq!(web.memory, Some(104_857_600.0));
    assert_eq!(of("shop/db").unwrap().fit.mean, 0.5);
    assert!(of("shop/quiet").is_none());

    let (problem, notes) = random(input.problem.clone(), &usage).unwrap();
    assert_eq!(notes[0].objects, ["shop/quiet"]);
    let services = problem.services().unwrap();
    let id = |name: &str| bayplan_model::ServiceId(services.names.find(name).unwrap());
    let Demand::Random { mean, variance } = services.demand(id("shop/web")) else {
        panic!("usage is random");
    };
    assert_eq!((mean[0], mean[1]), (1500, 104_857_600));
    // The square of a root, rounded up.
    assert!((500_000..=500_001).contains(&variance[0]), "{variance:?}");
    assert_eq!(services.row(id("shop/quiet"))[0], 2000);

    let (problem, _) = by_epoch(input.problem.clone(), &usage).unwrap();
    let services = problem.services().unwrap();
    assert_eq!(services.epochs, 2);
    assert_eq!(services.row(id("shop/web"))[..2], [250, 1500]);
    assert_eq!(services.row(id("shop/quiet"))[..2], [2000, 2000]);
}

#[test]
fn traffic_comes_from_the_mesh_that_has_any() {
    let url = serve(|path| {
        let found = json!({"metric": {"namespace": "shop", "deployment": "web",
            "dst_namespace": "shop", "dst_deployment": "db"}, "value": [0, "12.5"]});
        let outside = json!({"metric": {"namespace": "shop", "deployment": "web",
            "dst_namespace": "", "dst_deployment": "unknown"}, "value": [0, "99"]});
        let result = if path.contains("response_total") {
            vec![found, outside]
        } else {
            vec![]
        };
        (
            200,
            json!({"status": "success", "data": {"resultType": "vector", "result": result}}),
        )
    });
    let input = cluster();
    let (services, objects) = (
        input.problem.services().unwrap(),
        input.objects.as_deref().unwrap(),
    );
    let found = run(async {
        let server = Prometheus::new(&url).await?;
        traffic(&server, services, objects, 1000.0, 600.0).await
    });
    let (pairs, mesh) = found.unwrap();
    assert_eq!(mesh, "Linkerd");
    assert_eq!(pairs.len(), 1);
    assert_eq!(pairs[0].weight, 12.5);
}

#[test]
fn a_server_that_refuses_or_knows_nothing_has_a_code() {
    let input = cluster();
    let (services, objects) = (
        input.problem.services().unwrap(),
        input.objects.as_deref().unwrap(),
    );
    let ask = |url: &str| {
        let asked = run(async {
            let server = Prometheus::new(url).await?;
            measure(&server, &services.names, objects, &options()).await
        });
        asked.unwrap_err()
    };
    let empty = serve(|_| (200, json!({"status": "success", "data": {"result": []}})));
    assert_eq!(ask(&empty).code(), "K111");
    let refused = serve(|_| (400, json!({"status": "error", "error": "bad query"})));
    let error = ask(&refused);
    assert_eq!(error.code(), "K110");
    assert!(error.to_string().contains("bad query"), "{error}");
    assert_eq!(ask("http://127.0.0.1:1").code(), "K110");
    for wrong in ["prometheus:9090", "ftp://x", "not an address"] {
        assert!(run(Prometheus::new(wrong)).is_err(), "{wrong}");
    }
}
