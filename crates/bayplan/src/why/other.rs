//! Why, about applications and requests.

use std::fmt::Write;

use bayplan_model::{Plan, Problem, format_units};

/// Applications and requests: where they are, and the figures behind it.
pub(super) fn why_other(
    problem: &Problem,
    plan: Option<&Plan>,
    object: &str,
) -> Result<String, String> {
    let cluster = problem.cluster();
    match (problem.applications(), problem.requests(), plan) {
        (Some(applications), _, plan) => {
            let id = applications.names.find(object).ok_or_else(|| {
                let hint = applications
                    .names
                    .nearest(object)
                    .map(|name| format!("; did you mean {name}?"));
                format!(
                    "no application is called {object:?}{}",
                    hint.unwrap_or_default()
                )
            })?;
            let (shares, opened) = match plan {
                Some(Plan::Division(plan)) => (plan.shares.as_slice(), plan.opened.as_slice()),
                Some(_) => return Err("the plan is not for applications".into()),
                None => (applications.layout.as_slice(), &[][..]),
            };
            let application = &applications.all[id as usize];
            let cpu = &cluster.resources[0];
            let own: Vec<_> = shares
                .iter()
                .filter(|share| share.application.0 == id)
                .collect();
            let load = format_units(application.load, cpu.scale);
            let mut text = format!(
                "{object}: {} instances for a load of {load} {}\n",
                own.len(),
                cpu.unit
            );
            for share in own {
                let node = cluster.node_name(share.node, opened);
                let _ = writeln!(
                    text,
                    "  {} {} on {node}",
                    format_units(share.load, cpu.scale),
                    cpu.unit
                );
            }
            Ok(text)
        }
        (_, Some(requests), Some(Plan::Admission(plan))) => {
            let wanted: usize = object
                .parse()
                .map_err(|_| format!("{object:?} is not the number of a request"))?;
            if wanted >= requests.len() {
                return Err(format!(
                    "there are only {} requests, counted from 0",
                    requests.len()
                ));
            }
            let at = plan
                .accepted
                .binary_search_by_key(&wanted, |(request, _)| request.index());
            Ok(match at {
                Ok(at) => format!(
                    "request {wanted} runs on {}\n",
                    cluster.node_name(plan.accepted[at].1, &plan.opened)
                ),
                Err(_) => format!("request {wanted} is not admitted\n"),
            })
        }
        (_, Some(_), _) => Err("ask about requests with --plan: nothing runs without one".into()),
        _ => Err(format!("nothing is called {object:?}")),
    }
}
