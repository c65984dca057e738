//! What `profile` writes: the normality report, tables, and everything as JSON.

use anyhow::Result;
use bayplan_report::{grouped, significant, table};
use bayplan_solve::overcommit::estimate::Profile as Found;
use serde_json::json;

/// The normality report.
pub fn report(found: &[Found]) -> String {
    let row = |profile: &Found| {
        let fit = &profile.fit;
        let tail = |at: usize| format!("{:.2} %", fit.tail[at].1 * 100.0);
        vec![
            profile.service.clone(),
            grouped(fit.containers),
            significant(profile.peak),
            significant(fit.mean),
            significant(fit.deviation),
            format!("{:.2}", fit.skew),
            format!("{:.2}", fit.excess_kurtosis),
            tail(1),
            tail(2),
            if fit.has_heavy_tail() {
                "heavier than Gaussian"
            } else {
                "within Gaussian"
            }
            .into(),
            fit.sparkline(),
        ]
    };
    let rows: Vec<Vec<String>> = found.iter().map(row).collect();
    let header = [
        "service",
        "containers",
        "peak at",
        "mean",
        "std",
        "skew",
        "kurtosis",
        "beyond 99 % (1 %)",
        "beyond 99.9 % (0.1 %)",
        "tail",
        "usage",
    ];
    table(&header, &rows)
}

/// The table `overcommit` reads; where memory is known for all, it is a column.
pub fn services(found: &[Found]) -> String {
    let memory = found.iter().all(|profile| profile.memory.is_some());
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["service", "mean", "std", "containers"];
    header.extend(memory.then_some("memory"));
    let mut write = |fields: &[String]| writer.write_record(fields).expect("memory does not fail");
    write(
        &header
            .iter()
            .map(|name| (*name).to_string())
            .collect::<Vec<_>>(),
    );
    for profile in found {
        let fit = &profile.fit;
        let mut fields = vec![
            profile.service.clone(),
            format!("{:.6}", fit.mean),
            format!("{:.6}", fit.deviation),
            fit.containers.to_string(),
        ];
        fields.extend(
            profile
                .memory
                .filter(|_| memory)
                .map(|memory| format!("{memory:.6}")),
        );
        write(&fields);
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("it was text")
}

/// The profile over the day: `service,epoch,cpu`.
pub fn epochs(found: &[Found]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let mut write = |fields: &[String]| writer.write_record(fields).expect("memory does not fail");
    write(&["service".into(), "epoch".into(), "cpu".into()]);
    for profile in found {
        for (epoch, cpu) in profile.epochs.iter().enumerate() {
            write(&[
                profile.service.clone(),
                epoch.to_string(),
                format!("{cpu:.6}"),
            ]);
        }
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("it was text")
}

/// Everything that was found.
pub fn everything(found: &[Found]) -> Result<String> {
    let one = |profile: &Found| {
        let fit = &profile.fit;
        let tail: Vec<_> = fit.tail.iter().map(|(z, share, gaussian)| json!({"deviations": z, "share": share, "gaussian": gaussian})).collect();
        json!({
            "service": profile.service, "containers": fit.containers, "peak": profile.peak,
            "mean": fit.mean, "std": fit.deviation, "skew": fit.skew, "excess_kurtosis": fit.excess_kurtosis,
            "tail": tail, "heavy_tail": fit.has_heavy_tail(), "lowest": fit.range.0, "highest": fit.range.1,
            "histogram": fit.histogram, "epochs": profile.epochs, "memory": profile.memory,
        })
    };
    let all: Vec<_> = found.iter().map(one).collect();
    Ok(
        serde_json::to_string_pretty(&json!({"schema": "bayplan/profile/v1", "services": all}))?
            + "\n",
    )
}
