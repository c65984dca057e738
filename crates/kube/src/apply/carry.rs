//! An apply from its start to its end, whatever the end is.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use bayplan_formats::ReadOptions;
use futures::StreamExt;
use kube::Client;
use tokio::sync::watch;

use super::board::Board;
use super::calls::Caller;
use super::cleanup::release_all;
use super::core::{Action, Ending, Run, Status, Why, Workload};
use super::error::ApplyError;
use super::gates::{self, Address, GateKind, Scope};
use super::job::{self, Job, Places, at_rest, first_job, gain_at, reached, remaining};
use super::live::Live;
use super::record::{self, Raised, Record, Saved};
use super::report::ApplyReport;
use crate::{Snapshot, SnapshotOptions, snapshot};

/// Calls under way at once.
const AT_ONCE: usize = 24;

/// The longest that putting in order may take.
const LAST: Duration = Duration::from_secs(120);

/// How a plan is to be carried out.
#[derive(Clone, Debug)]
pub struct ApplyOptions {
    /// Pin pods to their nodes instead of nominating these.
    pub hard: bool,
    /// Who puts gates on; `None`: what the server can.
    pub gates: Option<GateKind>,
    /// Where the API server reaches us, for webhooks.
    pub address: Address,
    /// Share of each workload that must stay alive, in millionths.
    pub alive: u32,
    /// The longest a wave may take.
    pub wave_timeout: Duration,
    /// How the cluster is read; traffic makes the gain measurable.
    pub read: ReadOptions,
    /// The PlacementPlan: its name to be, or which one to go on with.
    pub name: Option<String>,
}

/// What to begin with.
#[derive(Clone, Debug)]
pub enum Start {
    /// A plan file.
    Plan(Vec<u8>),
    /// A PlacementPlan that was left.
    Resume,
    /// The way back of one.
    Rollback,
}

/// Carries a plan out. A `true` on `stop` pauses it cleanly; `say` hears how
/// far it is.
pub async fn apply(
    client: &Client,
    start: Start,
    options: &ApplyOptions,
    stop: watch::Receiver<bool>,
    say: &(dyn Fn(&str) + Send + Sync),
) -> Result<ApplyReport, ApplyError> {
    let begin = Instant::now();
    record::ensure(client).await?;
    let mut records = Record::list(client).await?;
    let rollback = matches!(start, Start::Rollback);
    let (mut record, first) = match start {
        Start::Plan(bytes) => {
            if let Some(open) = records.iter().find(|record| record.state.open()) {
                return Err(ApplyError::Busy(open.name.clone()));
            }
            let snapshot = read(client, options).await?;
            let checked = job::check_plan(&bytes, &snapshot, options.alive)?;
            let job = first_job(&snapshot, &checked, options.alive)?;
            let saved = Saved {
                start: checked.start,
                target: checked.target,
            };
            let name = options.name.clone().unwrap_or_else(fresh_name);
            (
                Record::create(client, &name, saved).await?,
                Some((snapshot, job)),
            )
        }
        Start::Resume | Start::Rollback => {
            records.retain(|record| match &options.name {
                Some(name) => record.name == *name,
                None => record.state.open(),
            });
            let found = records.len();
            match records.pop().filter(|_| found == 1) {
                Some(record) => (record, None),
                None => return Err(ApplyError::Nothing(format!("{found} plans to choose from"))),
            }
        }
    };
    let back = rollback || record.state.phase == "RollingBack";
    record.state.phase = if back { "RollingBack" } else { "Applying" }.into();
    record.state.message = String::new();
    record
        .save()
        .await
        .map_err(|refusal| refusal.into_error("patch placementplans/status"))?;
    let target = if back {
        record.saved.start.clone()
    } else {
        record.saved.target.clone()
    };
    let mut carrier = Carrier {
        client,
        options,
        live: Live::start(client).await?,
        record,
        target,
        stop,
        say,
        begin,
        report: ApplyReport::default(),
        nodes: None,
        trouble: None,
    };
    carrier.report.name = carrier.record.name.clone();
    let ended = carrier.carry(first).await;
    let tidied = carrier.tidy_up().await;
    match (ended, tidied) {
        (Ok(ended), Ok(())) => carrier.finish(ended, back).await,
        (Err(error), _) | (Ok(_), Err(error)) => {
            // Whatever went wrong, it can be gone on with or given up.
            carrier.record.state.phase = "Paused".into();
            carrier.record.state.message = error.to_string();
            let _ = carrier.record.save().await;
            Err(error)
        }
    }
}

fn fresh_name() -> String {
    format!("plan-{}", crate::clock::now().as_millis())
}

/// The cluster before a plan is begun: by the rules that it was made by.
pub(super) async fn read(client: &Client, options: &ApplyOptions) -> Result<Snapshot, ApplyError> {
    read_with(client, options.read.clone()).await
}

async fn read_with(client: &Client, read: ReadOptions) -> Result<Snapshot, ApplyError> {
    let options = SnapshotOptions {
        read,
        ..SnapshotOptions::default()
    };
    let mut tries = 0;
    loop {
        match snapshot(client, &options).await {
            Err(error) if error.is_passing() && tries < 5 => {
                tries += 1;
                tokio::time::sleep(Duration::from_secs(2)).await;
            }
            other => return Ok(other?),
        }
    }
}

struct Carrier<'a> {
    client: &'a Client,
    options: &'a ApplyOptions,
    live: Live,
    record: Record,
    target: Places,
    stop: watch::Receiver<bool>,
    say: &'a (dyn Fn(&str) + Send + Sync),
    begin: Instant,
    report: ApplyReport,
    /// The nodes there were at first.
    nodes: Option<BTreeSet<String>>,
    /// What no repetition mends; everything is tidied before it is told.
    trouble: Option<crate::Error>,
}

impl Carrier<'_> {
    /// All rounds; gates are installed meanwhile, and left to be removed.
    async fn carry(&mut self, first: Option<(Snapshot, Job)>) -> Result<Ending, ApplyError> {
        let patience = self.options.wave_timeout;
        let (mut board, mut run, _gates) = match first {
            Some((snapshot, job)) => {
                self.report.gained_affinity_before =
                    bayplan_verify::check_current(snapshot.problem(), &Default::default())
                        .figures
                        .gained_affinity;
                let board = self.board(&job, &snapshot)?;
                let gates = self.install(&board).await?;
                self.report.waves = job.stages.len();
                (board, Run::new(job.workloads, job.stages, patience), gates)
            }
            None => {
                (self.say)("putting in order what was left behind");
                let snapshot = self.look().await?;
                let (job, slots) = at_rest(&snapshot, &self.target, self.options.alive)?;
                let mut board = self.board(&job, &snapshot)?;
                let gates = self.install(&board).await?;
                let mut run = self.tidying(&job, slots, &mut board);
                self.drive(&mut run, &mut board).await?;
                (board, run, gates)
            }
        };
        if self.report.waves == 0 && !self.stopped() {
            self.plan_again(&mut run, &mut board).await?;
        }
        loop {
            match self.drive(&mut run, &mut board).await? {
                Status::Ended(ending) => {
                    self.report.put_right_at_the_end |= run.repaired;
                    return Ok(ending);
                }
                Status::NeedsPlan(why) => {
                    if let Why::Scaled { workload, .. } = &why {
                        // What somebody else has set is not ours to take back.
                        self.record
                            .state
                            .raised
                            .remove(&run.workloads()[*workload].name);
                    }
                    let event = describe(&why, &run, &board);
                    (self.say)(&format!(
                        "{event}; planning again from the cluster as it is"
                    ));
                    self.report.events.push(event);
                    self.report.rounds += 1;
                    self.plan_again(&mut run, &mut board).await?;
                }
                Status::Working => {}
            }
        }
    }

    fn board(&mut self, job: &Job, snapshot: &Snapshot) -> Result<Board, ApplyError> {
        self.note_lost_nodes(snapshot);
        let resources = snapshot.problem().cluster().resources.clone();
        Board::new(job, resources, &self.live)
    }

    /// Nodes that went are named, whatever it was that made us look again.
    fn note_lost_nodes(&mut self, snapshot: &Snapshot) {
        let nodes = snapshot.problem().cluster().nodes.iter();
        let here: BTreeSet<String> = nodes.map(|node| node.name.clone()).collect();
        let known = self.nodes.replace(here.clone()).unwrap_or_default();
        for node in known.difference(&here) {
            self.note_once(node, "the node", "is gone");
        }
    }

    /// The same of workloads that somebody scaled.
    fn note_scaled(&mut self, before: &[Workload], now: &[Workload]) {
        for workload in now {
            let known = before.iter().find(|known| known.name == workload.name);
            let Some(known) = known.filter(|known| known.base != workload.base) else {
                continue;
            };
            let raised = self.record.state.raised.get(&known.name);
            if raised.is_none_or(|ours| workload.base < ours.base || workload.base > ours.most) {
                let text = format!("from {} to {}", known.base, workload.base);
                self.note_once(&known.name, "scaled", &text);
            }
        }
    }

    fn note_once(&mut self, name: &str, what: &str, how: &str) {
        let begin = format!("{name}: {what}");
        if !self
            .report
            .events
            .iter()
            .any(|event| event.starts_with(&begin))
        {
            self.report.events.push(format!("{begin} {how}"));
        }
    }

    async fn install(&mut self, board: &Board) -> Result<gates::Gates, ApplyError> {
        self.report.workloads = board.refs.len();
        // Those of a process that died are not ours to rely on.
        gates::remove(self.client).await?;
        let scope = Scope {
            owners: board.owner_ids(),
            namespaces: board.namespaces(),
        };
        let options = self.options;
        gates::install(self.client, &scope, options.gates, &options.address).await
    }

    /// A run that puts in order, with the replicas each workload should have.
    fn tidying(&self, job: &Job, slots: Vec<super::core::Slots>, board: &mut Board) -> Run {
        let view = board.view(&self.live);
        let mut workloads = job.workloads.clone();
        for (workload, live) in workloads.iter_mut().zip(&view.workloads) {
            let spec = live.spec.unwrap_or(workload.base);
            let ours = self.record.state.raised.get(&workload.name);
            let ours = ours.filter(|raised| spec > raised.base && spec <= raised.most);
            workload.base = ours.map_or(spec, |raised| raised.base);
        }
        Run::tidy(workloads, slots, self.options.wave_timeout.min(LAST))
    }

    async fn plan_again(&mut self, run: &mut Run, board: &mut Board) -> Result<(), ApplyError> {
        let snapshot = self.look().await?;
        self.note_lost_nodes(&snapshot);
        match remaining(&snapshot, &self.target, self.options.alive) {
            Ok((job, given_up)) => {
                for what in given_up {
                    if !self.report.events.contains(&what) {
                        self.report.events.push(what);
                    }
                }
                self.note_scaled(run.workloads(), &job.workloads);
                if job.stages.is_empty() {
                    run.finish();
                } else {
                    self.report.waves += job.stages.len();
                    *board = self.board(&job, &snapshot)?;
                    run.replan(job.workloads, job.stages);
                }
            }
            Err(error) => {
                self.report
                    .events
                    .push(format!("not gone on with: {error}"));
                run.finish();
            }
        }
        Ok(())
    }

    /// The cluster with the plan under way.
    async fn look(&self) -> Result<Snapshot, ApplyError> {
        let read = ReadOptions {
            under_way: true,
            ..self.options.read.clone()
        };
        read_with(self.client, read).await
    }

    fn stopped(&self) -> bool {
        *self.stop.borrow()
    }

    /// Follows a run until it needs something else than calls.
    async fn drive(&mut self, run: &mut Run, board: &mut Board) -> Result<Status, ApplyError> {
        let mut stopping = false;
        let mut wave = usize::MAX;
        loop {
            if (self.stopped() || self.trouble.is_some()) && !stopping {
                (self.say)("stopping: what is held is let go, what is too many is taken back");
                run.stop();
                stopping = true;
            }
            let view = board.view(&self.live);
            let (calls, status) = run.next(&view, self.begin.elapsed());
            let (at, of) = run.wave();
            if at != wave && at < of {
                wave = at;
                (self.say)(&format!("wave {} of {of}", at + 1));
                self.record.state.waves =
                    "d".repeat(at) + "r" + &".".repeat(of.saturating_sub(at + 1));
                // The cluster wins over the record: this one is for people.
                let _ = self.record.save().await;
            }
            if self.write_ahead(&calls, run).await {
                self.perform(calls, run, board).await;
            }
            if status != Status::Working {
                return Ok(status);
            }
            self.live.changed().await;
        }
    }

    /// Notes which workloads are about to be raised, before they are.
    async fn write_ahead(&mut self, calls: &[Action], run: &Run) -> bool {
        let mut news = false;
        for call in calls {
            let Action::Scale { workload, to, from } = call else {
                continue;
            };
            let known = &run.workloads()[*workload];
            let raised = self
                .record
                .state
                .raised
                .entry(known.name.clone())
                .or_default();
            let most = raised.most.max(*to).max(*from);
            let next = Raised {
                base: known.base,
                most,
            };
            news |= *raised != next && to > from;
            *raised = next;
        }
        !news || self.record.save().await.is_ok()
    }

    async fn perform(&mut self, calls: Vec<Action>, run: &mut Run, board: &Board) {
        let caller = Caller {
            client: self.client,
            board,
            live: &self.live,
            hard: self.options.hard,
            dry: false,
        };
        let answers: Vec<_> = futures::stream::iter(calls)
            .map(|call| async {
                let answer = caller.perform(&call).await;
                (call, answer)
            })
            .buffer_unordered(AT_ONCE)
            .collect()
            .await;
        for (call, answer) in answers {
            let outcome = answer.unwrap_or_else(|error| {
                self.trouble.get_or_insert(error);
                super::core::Outcome::Unknown
            });
            self.report.count(&call, outcome);
            run.note(&call, outcome, self.begin.elapsed());
        }
    }

    /// Nothing left behind, on any end: no policy, no gate, no replica too
    /// many, no mark.
    async fn tidy_up(&mut self) -> Result<(), ApplyError> {
        gates::remove(self.client).await?;
        let snapshot = self.look().await?;
        let (job, slots) = at_rest(&snapshot, &self.target, self.options.alive)?;
        let board = self.board(&job, &snapshot).ok();
        if let Some(mut board) = board.filter(|_| !job.workloads.is_empty()) {
            let mut run = self.tidying(&job, slots, &mut board);
            // It cannot be stopped: it is what stopping means.
            let (_hold, never) = watch::channel(false);
            let stop = std::mem::replace(&mut self.stop, never);
            let trouble = self.trouble.take();
            let driven = self.drive(&mut run, &mut board).await;
            self.trouble = trouble.or(self.trouble.take());
            self.stop = stop;
            driven?;
        }
        self.report.left_behind = release_all(self.client, &self.live).await;
        self.record.state.raised.clear();
        Ok(())
    }

    async fn finish(mut self, ended: Ending, back: bool) -> Result<ApplyReport, ApplyError> {
        let snapshot = self.look().await?;
        self.note_lost_nodes(&snapshot);
        let report = &mut self.report;
        (report.reached, report.wanted, report.astray) = reached(&snapshot, &self.target);
        report.gained_affinity_promised = gain_at(&snapshot, &self.target);
        if report.gained_affinity_before.is_none() {
            // Gone on with: it began where the plan did.
            report.gained_affinity_before = gain_at(&snapshot, &self.record.saved.start);
        }
        let now = bayplan_verify::check_current(snapshot.problem(), &Default::default());
        report.gained_affinity_reached = now.figures.gained_affinity;
        report.seconds = self.begin.elapsed().as_secs_f64();
        report.phase = match ended {
            Ending::Stopped => "Paused",
            Ending::Finished if report.reached < report.wanted => "Incomplete",
            Ending::Finished if back => "RolledBack",
            Ending::Finished => "Completed",
        }
        .into();
        self.record.state.phase = report.phase.clone();
        self.record.state.message = format!(
            "{} of {} pods where the plan wants them",
            report.reached, report.wanted
        );
        if report.phase == "Completed" {
            self.record.state.waves = self.record.state.waves.replace(['r', '.'], "d");
        }
        let saved = self.record.save().await;
        saved.map_err(|refusal| refusal.into_error("patch placementplans/status"))?;
        match self.trouble {
            Some(trouble) => Err(trouble.into()),
            None => Ok(self.report),
        }
    }
}

fn describe(why: &Why, run: &Run, board: &Board) -> String {
    let name = |workload: &usize| run.workloads()[*workload].name.clone();
    match why {
        Why::Scaled { workload, from, to } => {
            format!(
                "{}: scaled from {from} to {to} by somebody else",
                name(workload)
            )
        }
        Why::Gone { workload } => format!("{}: deleted", name(workload)),
        Why::Changed { workload } => format!("{}: a rollout began", name(workload)),
        Why::NodeGone { node } => {
            let name = board
                .node_names
                .get(*node as usize)
                .map_or("?", String::as_str);
            format!("{name}: the node is gone or takes no pods any more")
        }
        Why::Slow { stage } => format!("wave {} did not end in time", stage + 1),
        Why::Astray => "after the last wave some pods stand elsewhere".into(),
    }
}
