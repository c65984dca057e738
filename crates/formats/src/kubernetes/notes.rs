//! Notes by code, with the objects concerned.

use std::collections::BTreeMap;

use crate::Note;

const TEXTS: &[(&str, &str)] = &[
    (
        "N010",
        "prices are not in the listing: every node costs 1, and any number of nodes of a kind may be added",
    ),
    ("N011", "finished pods hold no room and are left out"),
    (
        "N012",
        "pods that nothing replaces when they are moved (bare, job, static or terminating pods, or told not to be disturbed) stay where they are",
    ),
    (
        "N013",
        "pod affinity cannot be expressed: these services, and those they want to be near, stay where they are",
    ),
    (
        "N014",
        "anti-affinity beyond single nodes between different services, or with namespace selectors, cannot be expressed: these services stay where they are",
    ),
    (
        "N015",
        "topology spread constraints that no bound on each domain can stand for: these services stay where they are",
    ),
    (
        "N016",
        "volumes whose place is not known (claims not in the listing or shared, host paths, ephemeral claims): these services stay where they are",
    ),
    (
        "N017",
        "preferences (preferred affinity, soft spreading, deletion cost) are not rules and are not used",
    ),
    (
        "N018",
        "a disruption budget over several services: its allowance was divided between them",
    ),
    (
        "N019",
        "pods on nodes that are not in the listing count as not placed",
    ),
    (
        "N020",
        "pods on nodes where they would not be scheduled again (taints, cordons, changed labels): they count as misplaced",
    ),
    (
        "N021",
        "pods with a scheduler of their own, or with claims on devices, stay where they are",
    ),
    ("N022", "kinds of objects in the listing that are not used"),
    (
        "N023",
        "pods differ in priority; plans do not preempt, so priorities are not used",
    ),
    (
        "N024",
        "what daemon sets ask for was subtracted from their nodes",
    ),
    (
        "N025",
        "workloads with fewer pods than they want: planned with the number wanted",
    ),
    (
        "N026",
        "nodes on which daemon sets ask for more than there is: nothing is left",
    ),
    (
        "N027",
        "pods outside of the namespaces and labels asked for stay where they are",
    ),
    (
        "N028",
        "kinds of nodes that exist but are not among the node types: they are taken to cost as much as the dearest, and no more can be had",
    ),
    (
        "N029",
        "topology spread constraints are kept by a bound on what each domain holds, which is stricter than the maximum skew",
    ),
    (
        "N032",
        "pods of stateful sets keep their name and their storage: they stay where they are unless --move-stateful is given",
    ),
    (
        "N033",
        "autoscalers set the replicas of these workloads: planned with as many as there are now",
    ),
];

/// Collects notes.
#[derive(Default)]
pub(crate) struct Notes(BTreeMap<&'static str, Note>);

impl Notes {
    /// A note about one more object.
    pub fn add(&mut self, code: &'static str, object: &str) {
        self.note(code).add(object);
    }

    /// A note about the listing.
    pub fn general(&mut self, code: &'static str) {
        self.note(code);
    }

    fn note(&mut self, code: &'static str) -> &mut Note {
        self.0.entry(code).or_insert_with(|| {
            let text = TEXTS
                .iter()
                .find(|(known, _)| *known == code)
                .map_or("", |(_, text)| text);
            Note::general(code, text)
        })
    }

    pub fn into_vec(self) -> Vec<Note> {
        self.0.into_values().collect()
    }
}
