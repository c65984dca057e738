//! Overcommit on Kubernetes is carried out by requests, since the scheduler
//! adds those up: what each workload should request at the confidence asked for.

use anyhow::{Context, Result, ensure};
use bayplan_formats::{ContainerRef, Input, WorkloadRef};
use bayplan_model::{Demand, ServiceId, Services};
use bayplan_report::table;
use serde_json::{Value, json};

use crate::files;
use crate::verbs::Extra;

const MIB: u64 = 1 << 20;

/// One workload's requests, in thousandths of a core and bytes.
struct Advice {
    workload: WorkloadRef,
    replicas: u32,
    now: [u64; 2],
    containers: Vec<(String, [u64; 2])>,
}

impl Advice {
    fn pod(&self) -> [u64; 2] {
        [0, 1].map(|at| self.containers.iter().map(|(_, amounts)| amounts[at]).sum())
    }
}

/// The recommendations: mean and D deviations of CPU, the most memory seen.
/// Requests that are added up cover at least what the confidence asks of any
/// node, whatever stands there: the sum of deviations is never below the
/// deviation of the sum.
pub fn recommend(input: &Input, d: f64, out: Option<&str>) -> Result<Extra> {
    let mut extra = Extra::default();
    let (Some(services), Some(objects)) = (input.problem.services(), input.objects.as_deref())
    else {
        ensure!(
            out.is_none(),
            "--requests: only Kubernetes pods have requests"
        );
        return Ok(extra);
    };
    if services.variance.is_empty() {
        ensure!(
            out.is_none(),
            "--requests: nothing is known about usage; give --prometheus URL"
        );
        return Ok(extra);
    }
    let mut advice: Vec<Advice> = Vec::new();
    for service in services.ids() {
        let workload = &objects.workloads[service.index()];
        if workload.kind != "Pod" {
            let wanted = wanted(services, service, d);
            let one = Advice {
                workload: workload.clone(),
                replicas: services.replicas[service.index()],
                now: now(&objects.containers[service.index()]),
                containers: divided(&objects.containers[service.index()], wanted),
            };
            merge(&mut advice, one);
        }
    }
    let rows: Vec<Vec<String>> = advice.iter().map(row).collect();
    let columns = ["workload", "pods", "cpu now", "cpu", "memory now", "memory"];
    extra.text = format!(
        "\nRequests per pod that hold at this confidence on any node\n{}",
        table(&columns, &rows)
    );
    let all: Vec<Value> = advice.iter().map(as_json).collect();
    extra.json.insert("requests".into(), json!(all));
    if let Some(path) = out {
        write(path, &advice)?;
    }
    Ok(extra)
}

/// What a pod should request.
fn wanted(services: &Services, id: ServiceId, d: f64) -> [u64; 2] {
    let (mean, variance) = match services.demand(id) {
        Demand::Random { mean, variance } => (mean[0], variance[0]),
        Demand::Constant(units) | Demand::Epochs { units, .. } => (units[0], 0),
    };
    let cpu = mean as f64 + d * (variance as f64).sqrt();
    [cpu.ceil() as u64, services.row(id)[1]]
}

fn now(containers: &[ContainerRef]) -> [u64; 2] {
    [0, 1].map(|at| containers.iter().map(|c| c.requests[at]).sum())
}

/// A pod's amounts over its containers, as they share what they request now;
/// rounded up, and never beyond a container's limit, which it cannot use.
fn divided(containers: &[ContainerRef], wanted: [u64; 2]) -> Vec<(String, [u64; 2])> {
    let total = now(containers);
    let share = |container: &ContainerRef, at: usize| {
        let whole = u128::from(wanted[at]);
        let units = match total[at] {
            0 => whole.div_ceil(containers.len() as u128),
            total => (whole * u128::from(container.requests[at])).div_ceil(u128::from(total)),
        };
        let step = [1, MIB][at];
        let units = u64::try_from(units).unwrap_or(u64::MAX / 2);
        let rounded = units.div_ceil(step).max(1) * step;
        rounded.min(container.limits[at].unwrap_or(u64::MAX))
    };
    let named = |container: &ContainerRef| {
        let amounts = [0, 1].map(|at| share(container, at));
        (container.name.clone(), amounts)
    };
    containers.iter().map(named).collect()
}

/// A workload with several templates has one request: the largest.
fn merge(all: &mut Vec<Advice>, one: Advice) {
    let Some(other) = all.iter_mut().find(|other| other.workload == one.workload) else {
        all.push(one);
        return;
    };
    other.replicas += one.replicas;
    if one.pod()[0] > other.pod()[0] {
        other.containers = one.containers;
        other.now = one.now;
    }
}

fn cores(milli: u64) -> String {
    format!("{milli}m")
}

fn mebibytes(bytes: u64) -> String {
    format!("{}Mi", bytes.div_ceil(MIB))
}

fn row(advice: &Advice) -> Vec<String> {
    let workload = &advice.workload;
    vec![
        format!("{}/{}", workload.namespace, workload.name),
        advice.replicas.to_string(),
        cores(advice.now[0]),
        cores(advice.pod()[0]),
        mebibytes(advice.now[1]),
        mebibytes(advice.pod()[1]),
    ]
}

fn as_json(advice: &Advice) -> Value {
    let workload = &advice.workload;
    json!({
        "kind": workload.kind, "namespace": workload.namespace, "name": workload.name,
        "pods": advice.replicas,
        "now": {"cpu": cores(advice.now[0]), "memory": mebibytes(advice.now[1])},
        "requests": {"cpu": cores(advice.pod()[0]), "memory": mebibytes(advice.pod()[1])},
        "containers": containers(advice),
    })
}

fn containers(advice: &Advice) -> Value {
    let all = advice.containers.iter().map(|(name, [cpu, memory])| {
        json!({"name": name,
            "resources": {"requests": {"cpu": cores(*cpu), "memory": mebibytes(*memory)}}})
    });
    all.collect()
}

/// Commands for a shell, or patches as JSON by the extension .json.
fn write(path: &str, advice: &[Advice]) -> Result<()> {
    let patch = |a: &Advice| json!({"spec": {"template": {"spec": {"containers": containers(a)}}}});
    let text = if path.trim_end_matches(".gz").ends_with(".json") {
        let all = advice.iter().map(|a| {
            json!({"kind": a.workload.kind, "namespace": a.workload.namespace,
                "name": a.workload.name, "patch": patch(a)})
        });
        serde_json::to_string_pretty(&all.collect::<Vec<_>>())? + "\n"
    } else {
        let lines = advice.iter().map(|a| {
            let w = &a.workload;
            let kind = w.kind.to_ascii_lowercase();
            let patch = patch(a);
            format!(
                "kubectl -n {} patch {kind} {} -p '{patch}'\n",
                w.namespace, w.name
            )
        });
        lines.collect()
    };
    files::write_text(path, &text).context("--requests")
}
