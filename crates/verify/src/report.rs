//! The check itself.

use bayplan_model::{AdmissionPlan, DivisionPlan, PlacementPlan, Plan, Problem, Workload};

use crate::admission::AdmissionSubject;
use crate::checks;
use crate::division::DivisionSubject;
use crate::findings::{Baseline, Findings, Numbers};
use crate::ground::Ground;
use crate::placement::PlacementSubject;
use crate::site::Site;
use crate::state_checks::View;
use crate::{Figures, Rule, Rules, Violation, waves};

/// What the verifier found.
#[derive(Clone, PartialEq, Debug)]
pub struct Report {
    /// Every broken rule, ordered by rule, then objects. Of each rule at most
    /// a thousand are kept that the plan is to blame for, and a thousand that
    /// were broken on arrival.
    pub violations: Vec<Violation>,
    /// How many more there were than are kept.
    pub further: u64,
    /// Every figure, recounted.
    pub figures: Figures,
}

impl Report {
    /// Whether the plan breaks nothing beyond what was broken on arrival.
    pub fn holds(&self) -> bool {
        // Those broken by the plan are only left out where others are kept.
        self.violations.iter().all(|violation| violation.on_arrival)
    }
}

/// Checks a plan against a problem and the rules of a run. Where the current
/// placement (or layout) breaks the same rule on the same objects at least as
/// badly, the violation is marked as broken on arrival.
pub fn check(problem: &Problem, plan: &Plan, rules: &Rules) -> Report {
    check_dropping(problem, plan, rules, None)
}

/// Checks the placement, layout or nothing that the problem itself carries.
/// There is no plan to blame or to excuse: no violation is marked as broken on
/// arrival, and [`Report::holds`] says whether what runs is legal.
pub fn check_current(problem: &Problem, rules: &Rules) -> Report {
    let plan = current_plan(problem);
    report(run(problem, &plan, rules, Findings::default()))
}

/// [`check`] with one rule dropped: tests use it to show that each rule is
/// needed.
#[doc(hidden)]
pub fn check_without(rule: Rule, problem: &Problem, plan: &Plan, rules: &Rules) -> Report {
    check_dropping(problem, plan, rules, Some(rule))
}

fn check_dropping(problem: &Problem, plan: &Plan, rules: &Rules, dropped: Option<Rule>) -> Report {
    let findings = Findings::against(Baseline::new(), dropped);
    let (findings, figures) = run(problem, plan, rules, findings);
    if findings.is_empty() {
        return report((findings, figures));
    }
    // Something is broken: was it before?
    let mut then = rules.clone();
    if problem.services().is_none() {
        // Survival is refused there, whatever runs: nothing to be excused by.
        then.survive = None;
    }
    let (before, _) = run(problem, &current_plan(problem), &then, Findings::recorder());
    let findings = Findings::against(before.into_baseline(), dropped);
    report(run(problem, plan, rules, findings))
}

fn report((findings, figures): (Findings, Figures)) -> Report {
    let (violations, further) = findings.into_violations();
    Report {
        violations,
        further,
        figures,
    }
}

/// What runs now, as a plan that changes nothing.
fn current_plan(problem: &Problem) -> Plan {
    match problem.workload() {
        Workload::Services(services) => Plan::Placement(PlacementPlan {
            placement: services.placement.clone(),
            ..PlacementPlan::default()
        }),
        Workload::Applications(applications) => Plan::Division(DivisionPlan {
            shares: applications.layout.clone(),
            ..DivisionPlan::default()
        }),
        Workload::Requests(_) => Plan::Admission(AdmissionPlan::default()),
    }
}

fn run(
    problem: &Problem,
    plan: &Plan,
    rules: &Rules,
    mut findings: Findings,
) -> (Findings, Figures) {
    let site = Site::new(problem.cluster(), plan.opened(), rules);
    let figures = match (problem.workload(), plan) {
        (Workload::Services(services), Plan::Placement(plan)) => {
            let subject = PlacementSubject::new(Ground::new(site, services, rules), plan);
            check_placement(&subject, &mut findings);
            subject.figures()
        }
        (Workload::Applications(applications), Plan::Division(plan)) => {
            let subject = DivisionSubject::new(site, applications, rules, plan);
            for (_, check) in checks::DIVISION {
                check(&subject, &mut findings);
            }
            subject.figures()
        }
        (Workload::Requests(requests), Plan::Admission(plan)) => {
            let subject = AdmissionSubject::new(site, requests, rules, plan);
            for (_, check) in checks::ADMISSION {
                check(&subject, &mut findings);
            }
            subject.figures()
        }
        (_, plan) => {
            wrong_kind(plan, &mut findings);
            Figures::default()
        }
    };
    (findings, figures)
}

fn check_placement(subject: &PlacementSubject<'_>, findings: &mut Findings) {
    let ground = &subject.ground;
    let known = ground.site.ids().filter(|n| ground.site.pool(*n).is_some());
    let nodes: Vec<_> = known.collect();
    let view = View {
        ground,
        state: &subject.state,
        nodes: &nodes,
        wave: None,
    };
    for (_, check) in checks::STATE {
        check(&view, findings);
    }
    for (_, check) in checks::PLACEMENT {
        check(subject, findings);
    }
    waves::replay(subject, findings);
}

/// A plan for another kind of workload names nothing the problem has.
fn wrong_kind(plan: &Plan, findings: &mut Findings) {
    let workload = match plan {
        Plan::Placement(_) => "services",
        Plan::Division(_) => "applications",
        Plan::Admission(_) => "requests",
    };
    let numbers = Numbers::counted(1, 0, "unknown objects");
    findings.add((Rule::UnknownObject, [0; 3]), numbers, || {
        vec![("the workload", workload.to_owned())]
    });
}
