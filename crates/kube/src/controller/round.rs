//! One round of the controller.

use bayplan::solve::colocate::Params;
use bayplan::solve::{Budget, Context};
use bayplan::{Outcome, answer};
use bayplan_formats::write_plan_json;
use bayplan_model::{ServiceId, Traffic};
use kube::Client;
use tokio::sync::watch;

use super::{ControllerOptions, MEMORY, Metrics, OWN};
use crate::apply::record::{Record, Saved};
use crate::apply::{ApplyError, ApplyOptions, ApplyReport, Start, apply};
use crate::{Prometheus, Snapshot, SnapshotOptions, snapshot, traffic};

/// Plans made in one round when the cluster changes faster than we plan.
const TRIES: u32 = 3;

/// Share of the gain that must arrive, or the plan is rolled back.
const KEPT: f64 = 0.5;

pub(super) struct Round<'a> {
    pub client: &'a Client,
    pub options: &'a ControllerOptions,
    pub metrics: &'a Metrics,
    /// True when nothing more may be changed.
    pub halt: &'a watch::Receiver<bool>,
    /// Whether changes may be made in this round at all.
    pub allowed: bool,
    pub say: &'a (dyn Fn(&str) + Send + Sync),
}

impl Round<'_> {
    /// Goes on with what was left, then collects, plans, and carries out what is
    /// worth it.
    pub async fn run(&self) -> Result<(), ApplyError> {
        let mut memory = self.memory().await?;
        for left in Record::list(self.client).await? {
            if left.name.starts_with(OWN)
                && left.state.open()
                && !self.go_on(left, &mut memory).await?
            {
                return Ok(());
            }
        }
        for attempt in 1..=TRIES {
            let (now, how) = self.collect().await?;
            let alone: Vec<String> = memory.state.left_alone.keys().cloned().collect();
            let (outcome, plan) = self.plan(now, alone).await?;
            let gain = outcome.objective - before(&outcome);
            self.metrics.change(|figures| {
                figures.gained_affinity = Some(before(&outcome));
                figures.nodes = Some(outcome.report.figures.nodes);
            });
            let moves = outcome.report.figures.moves.unwrap_or(0);
            (self.say)(&format!(
                "{moves} moves would gain {:.2} % of traffic",
                gain * 100.0
            ));
            if gain < self.options.min_gain || moves == 0 {
                self.metrics.plan("NotWorthIt");
                return Ok(());
            }
            if !self.allowed {
                (self.say)("not carried out: a dry run, or outside of the window");
                self.metrics.plan("DryRun");
                return Ok(());
            }
            let how = ApplyOptions {
                name: Some(format!("{OWN}{}", seconds())),
                ..how
            };
            match self.carry_out(Start::Plan(plan), &how).await {
                Err(ApplyError::Stale(_) | ApplyError::Breaks(_)) if attempt < TRIES => {
                    (self.say)("the cluster changed meanwhile; planning again");
                }
                Err(error) => return Err(error),
                Ok(report) => return self.judge(&report, &how, &mut memory).await,
            }
        }
        Ok(())
    }

    /// Goes on with a plan that another round, or another controller, left; says
    /// whether it came to its end. While nothing may be changed, what a process
    /// that died left behind is put in order all the same, and the plan waits.
    async fn go_on(&self, left: Record, memory: &mut Record) -> Result<bool, ApplyError> {
        if !self.allowed && left.state.phase == "Paused" {
            (self.say)(&format!("{} waits until changes may be made", left.name));
            return Ok(false);
        }
        (self.say)(&format!("going on with {}", left.name));
        let (_, how) = self.collect().await?;
        let how = ApplyOptions {
            name: Some(left.name),
            ..how
        };
        let report = self.carry_out(Start::Resume, &how).await?;
        let ended = report.phase != "Paused";
        self.judge(&report, &how, memory).await?;
        Ok(ended)
    }

    /// The PlacementPlan with what to leave alone; what is over is dropped.
    async fn memory(&self) -> Result<Record, ApplyError> {
        let records = Record::list(self.client).await?;
        let mut memory = match records.into_iter().find(|record| record.name == MEMORY) {
            Some(memory) => memory,
            None => Record::create(self.client, MEMORY, Saved::default()).await?,
        };
        let now = seconds();
        memory.state.left_alone.retain(|_, until| *until > now);
        Ok(memory)
    }

    /// The cluster with its traffic, and how to read it the same way again.
    async fn collect(&self) -> Result<(Snapshot, ApplyOptions), ApplyError> {
        let mut how = self.options.apply.clone();
        let mut read = SnapshotOptions {
            read: how.read.clone(),
            ..SnapshotOptions::default()
        };
        read.read.move_stateful = self.options.move_stateful;
        let now = snapshot(self.client, &read).await?;
        let Some((url, back)) = &self.options.prometheus else {
            return Ok((now, how));
        };
        let services = now.problem().services();
        let services = services.ok_or_else(|| ApplyError::Unusable("no services".into()))?;
        let server = Prometheus::new(url).await?;
        let at = seconds() as f64;
        let (pairs, _) = traffic(&server, services, now.objects(), at, *back).await?;
        how.read.traffic = Some(table(&pairs, services));
        read.read.traffic = how.read.traffic.clone();
        let now = Snapshot::of_list(now.list, &read.read)?;
        Ok((now, how))
    }

    async fn plan(
        &self,
        now: Snapshot,
        alone: Vec<String>,
    ) -> Result<(Outcome, Vec<u8>), ApplyError> {
        let options = self.options.clone();
        let work = tokio::task::spawn_blocking(move || {
            let problem = now.problem();
            let find = |name: &String| problem.services()?.names.find(name).map(ServiceId);
            let params = Params {
                leave_alone: alone.iter().filter_map(find).collect(),
                max_moves: options.max_moves,
                alive: options.apply.alive,
                ..Params::default()
            };
            let context = Context::new(1, Budget::Seconds(options.plan_seconds), 0);
            let outcome = answer(problem, &params, &context);
            outcome.map(|outcome| {
                let plan = write_plan_json(problem, &outcome.plan);
                (outcome, plan.into_bytes())
            })
        });
        let planned = work
            .await
            .map_err(|error| ApplyError::Unusable(error.to_string()))?;
        planned.map_err(|error| ApplyError::Unusable(error.to_string()))
    }

    async fn carry_out(&self, start: Start, how: &ApplyOptions) -> Result<ApplyReport, ApplyError> {
        let report = apply(self.client, start, how, self.halt.clone(), self.say).await?;
        self.count(&report);
        Ok(report)
    }

    fn count(&self, report: &ApplyReport) {
        self.metrics.plan(&report.phase);
        self.metrics.change(|figures| {
            figures.moves += report.steered;
            figures.evicted += report.evicted;
            figures.gained_affinity = report.gained_affinity_reached;
        });
    }

    /// Goes back when too little of the gain arrived, and leaves alone for a
    /// while what did not get where it should.
    async fn judge(
        &self,
        report: &ApplyReport,
        how: &ApplyOptions,
        memory: &mut Record,
    ) -> Result<(), ApplyError> {
        (self.say)(&report.text());
        // A plan that is paused has not failed yet, and one that went back was judged before.
        let failed = report.phase == "Incomplete";
        if failed {
            let until = seconds() + self.options.leave_alone.as_secs() as i64;
            for service in &report.astray {
                (self.say)(&format!("{service} is left alone for a while"));
                memory.state.left_alone.insert(service.clone(), until);
            }
        }
        memory.state.phase = "Watching".into();
        memory.state.message = format!("{}: {}", report.name, report.phase);
        let saved = memory.save().await;
        saved.map_err(|refusal| refusal.into_error("patch placementplans/status"))?;
        let before = report.gained_affinity_before.unwrap_or(0.0);
        let promised = report.gained_affinity_promised.unwrap_or(before) - before;
        let arrived = report.gained_affinity_reached.unwrap_or(before) - before;
        if failed && arrived < promised * KEPT {
            (self.say)("too little of the gain arrived: going back");
            let back = self.carry_out(Start::Rollback, how).await?;
            (self.say)(&back.text());
        }
        self.forget(&report.name).await
    }

    /// Plans of earlier rounds that are over.
    async fn forget(&self, newest: &str) -> Result<(), ApplyError> {
        for record in Record::list(self.client).await? {
            let own = record.name.starts_with(OWN) && record.name != newest;
            if own && !record.state.open() {
                record.delete().await?;
            }
        }
        Ok(())
    }
}

fn before(outcome: &Outcome) -> f64 {
    let figure = outcome
        .figures
        .iter()
        .find(|(name, _)| *name == "gain_before");
    match figure {
        Some((_, bayplan::solve::Figure::Number(before))) => *before,
        _ => 0.0,
    }
}

/// Traffic as a table that the reader takes.
fn table(pairs: &[Traffic], services: &bayplan_model::Services) -> Vec<u8> {
    let mut text = String::from("service,service,weight\n");
    for pair in pairs {
        let (a, b) = (
            services.names.get(pair.a.index()),
            services.names.get(pair.b.index()),
        );
        text.push_str(&format!("{a},{b},{}\n", pair.weight));
    }
    text.into_bytes()
}

fn seconds() -> i64 {
    crate::clock::now().as_secs() as i64
}
