//! A list of 5,000 nodes and 150,000 pods loads within 2 GB. (The time is reported, not
//! asserted: machines differ.)

use std::fs::File;
use std::io::{BufWriter, Write};
use std::process::Stdio;
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::User;

const NODES: usize = 5_000;
const PODS: usize = 150_000;
const PODS_PER_APP: usize = 60;
const MEMORY_KIB: u64 = 2 << 20;

#[test]
fn a_list_of_150_000_pods_loads_within_two_gigabytes() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let file = folder.join("large.json");
    write_list(BufWriter::new(File::create(&file).unwrap())).unwrap();
    let size = std::fs::metadata(&file).unwrap().len();
    let user = User {
        kubeconfig: folder.join("none"),
        folder,
    };
    let mut command = user.command(&["check", file.to_str().unwrap(), "-o", "json"]);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit())
        .spawn()
        .unwrap();
    let (mut peak_kib, mut cpu) = (0, 0.0);
    while child.try_wait().unwrap().is_none() {
        if let Some((peak, seconds)) = usage(child.id()) {
            (peak_kib, cpu) = (peak_kib.max(peak), seconds);
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().unwrap();
    let _ = std::fs::remove_file(&file);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    eprintln!(
        "{} MB of list: {cpu:.1} CPU s, {} MB at the peak",
        size / 1_000_000,
        peak_kib * 1024 / 1_000_000
    );
    assert!(peak_kib > 0, "the peak could not be read");
    assert!(peak_kib <= MEMORY_KIB, "{peak_kib} KiB at the peak");
}

/// Peak memory in KiB and CPU seconds of a process that runs.
fn usage(pid: u32) -> Option<(u64, f64)> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    let peak = peak.trim().strip_suffix(" kB")?.parse().ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // After the name in brackets: user and system time are the 12th and 13th, in hundredths.
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    Some((peak, ticks / 100.0))
}

fn write_list(mut out: impl Write) -> std::io::Result<()> {
    write!(
        out,
        "{{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": ["
    )?;
    for at in 0..NODES {
        writeln!(out, "{},", node(at))?;
    }
    for app in 0..PODS / PODS_PER_APP {
        writeln!(out, "{},", replica_set(app))?;
        writeln!(out, "{},", deployment(app))?;
    }
    for at in 0..PODS {
        writeln!(out, "{}{}", pod(at), if at + 1 < PODS { "," } else { "" })?;
    }
    writeln!(out, "]}}")?;
    out.flush()
}

fn node(at: usize) -> Value {
    let name = format!("node-{at:05}");
    let room = json!({"cpu": "32", "memory": "131072Mi", "pods": "110"});
    json!({"kind": "Node", "apiVersion": "v1", "metadata": {"name": name, "uid": format!("n{at}"),
        "labels": {"kubernetes.io/hostname": name, "topology.kubernetes.io/zone": format!("z{}", at % 3)}},
        "spec": {}, "status": {"allocatable": room, "capacity": room,
            "conditions": [{"type": "Ready", "status": "True", "reason": "KubeletReady"}]}})
}

fn template(app: usize) -> Value {
    let cpu = format!("{}m", 100 + app % 9 * 50);
    json!({"metadata": {"labels": {"app": format!("app-{app}")}}, "spec": {"containers": [{
        "name": "main", "image": format!("registry.example.org/team/app-{app}:1.2.3"),
        "env": [{"name": "PORT", "value": "8080"}, {"name": "LEVEL", "value": "info"}],
        "ports": [{"containerPort": 8080, "protocol": "TCP"}],
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": 10},
        "resources": {"requests": {"cpu": cpu, "memory": "256Mi"}, "limits": {"memory": "512Mi"}}}],
        "tolerations": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists",
            "effect": "NoExecute", "tolerationSeconds": 300}]}})
}

fn owned(app: usize) -> (String, Value) {
    let name = format!("app-{app}");
    (
        name.clone(),
        json!({"replicas": PODS_PER_APP, "selector": {"matchLabels": {"app": name}},
        "template": template(app)}),
    )
}

fn deployment(app: usize) -> Value {
    let (name, spec) = owned(app);
    json!({"kind": "Deployment", "apiVersion": "apps/v1", "spec": spec,
        "metadata": {"name": name, "namespace": "large", "uid": format!("d{app}")}})
}

fn replica_set(app: usize) -> Value {
    let (name, spec) = owned(app);
    json!({"kind": "ReplicaSet", "apiVersion": "apps/v1", "spec": spec,
        "metadata": {"name": format!("{name}-x"), "namespace": "large", "uid": format!("r{app}"),
            "ownerReferences": [{"apiVersion": "apps/v1", "kind": "Deployment", "name": name,
                "uid": format!("d{app}"), "controller": true}]}})
}

fn pod(at: usize) -> Value {
    let app = at / PODS_PER_APP;
    let name = format!("app-{app}-x-{at}");
    let mut pod = template(app);
    pod["kind"] = json!("Pod");
    pod["apiVersion"] = json!("v1");
    pod["metadata"] = json!({"name": name, "namespace": "large", "uid": format!("p{at}"),
        "labels": {"app": format!("app-{app}"), "pod-template-hash": "x"},
        "ownerReferences": [{"apiVersion": "apps/v1", "kind": "ReplicaSet",
            "name": format!("app-{app}-x"), "uid": format!("r{app}"), "controller": true}]});
    pod["spec"]["nodeName"] = json!(format!("node-{:05}", at % NODES));
    pod["status"] = json!({"phase": "Running", "podIP": "10.0.0.1", "hostIP": "10.0.0.2",
        "conditions": [{"type": "Ready", "status": "True"}, {"type": "PodScheduled", "status": "True"}],
        "containerStatuses": [{"name": "main", "ready": true, "restartCount": 0,
            "state": {"running": {"startedAt": "2026-01-01T00:00:00Z"}}}]});
    pod
}
