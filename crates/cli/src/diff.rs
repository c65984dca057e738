//! `bayplan diff PLAN PLAN`: what stands where in one and not in the other.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use bayplan_formats::plan_rows;
use clap::Args;

use crate::failure::Verdict;
use crate::files;

/// Two plans of the same kind.
#[derive(Args)]
pub struct Diff {
    /// The plan before.
    #[arg(value_name = "PLAN")]
    before: String,
    /// The plan after.
    #[arg(value_name = "PLAN")]
    after: String,
}

impl Diff {
    /// Prints the differences; the verdict first.
    pub fn run(self) -> Result<Verdict> {
        let (before, after) = (rows(&self.before)?, rows(&self.after)?);
        let mut changes = Vec::new();
        let (mut arrivals, mut departures) = (0.0, 0.0);
        let keys: std::collections::BTreeSet<_> = before.keys().chain(after.keys()).collect();
        for key in keys {
            let amount = |rows: &Rows| rows.get(key).copied().unwrap_or(0.0);
            let (old, new) = (amount(&before), amount(&after));
            if old != new {
                arrivals += f64::max(0.0, new - old);
                departures += f64::max(0.0, old - new);
                changes.push(vec![
                    key.0.clone(),
                    key.1.clone(),
                    old.to_string(),
                    new.to_string(),
                ]);
            }
        }
        let verdict = match changes.len() {
            0 => "the plans are the same".to_string(),
            n => format!("{n} differences: {arrivals} arrive, {departures} leave"),
        };
        let table = bayplan_report::table(&["what", "node", "before", "after"], &changes);
        files::write_text("-", &format!("{verdict}\n{table}"))?;
        Ok(if changes.is_empty() {
            Verdict::Holds
        } else {
            Verdict::Fails
        })
    }
}

type Rows = BTreeMap<(String, String), f64>;

/// Amounts by (what, node).
fn rows(path: &str) -> Result<Rows> {
    let bytes = files::read(path)?;
    let rows = plan_rows(&bytes)
        .map_err(|errors| anyhow::anyhow!("{errors}"))
        .with_context(|| format!("the plan {path} cannot be read"))?;
    let mut amounts = Rows::new();
    for (what, node, amount) in rows {
        *amounts.entry((what, node)).or_default() += amount;
    }
    Ok(amounts)
}
