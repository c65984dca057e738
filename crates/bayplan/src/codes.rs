//! Every code a user can meet, with what to do about it.

/// A code, its title and its explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Code {
    /// The code, such as `V001`.
    pub code: &'static str,
    /// What it is, in a few words.
    pub title: &'static str,
    /// What it means, the usual cause, and what to do.
    pub explanation: &'static str,
}

/// All codes, sorted: B (bayplan's own mistakes), F and N (input), S (solvers), V (violations).
pub fn codes() -> Vec<Code> {
    let as_code = |(code, title, explanation): &(&'static str, &'static str, &'static str)| Code {
        code,
        title,
        explanation,
    };
    let mut all: Vec<Code> = [OWN, bayplan_formats::codes(), bayplan_verify::codes()]
        .into_iter()
        .flatten()
        .map(as_code)
        .collect();
    all.sort_by_key(|code| code.code);
    all
}

const OWN: &[(&str, &str, &str)] = &[
    (
        "B001",
        "the verifier counts another objective",
        "The solver claimed a value that the independent verifier could not confirm. No plan is \
         written. This is a mistake in bayplan: please report it with the input and the command line.",
    ),
    (
        "B002",
        "a plan breaks a rule",
        "The verifier found a rule broken by the solver's plan that was not broken on arrival. No \
         plan is written. This is a mistake in bayplan: please report it with the input and the \
         command line.",
    ),
    (
        "B003",
        "an answer better than its bound",
        "The solver claimed a bound that its own answer beats, so the bound is wrong. No plan is \
         written. This is a mistake in bayplan: please report it with the input and the command line.",
    ),
    (
        "S001",
        "the wrong kind of workload",
        "provision, colocate and overcommit plan services, divide plans applications, admit plans \
         timed requests. The input holds another kind. Check the file, or give `--format`.",
    ),
    (
        "S002",
        "a rule the verb does not honour",
        "The input contains a rule that this verb or algorithm cannot keep. bayplan refuses rather \
         than ignore it. Use another verb or algorithm, or remove the rule from the input.",
    ),
    (
        "S003",
        "no such algorithm",
        "`--algorithm list` shows every algorithm of a verb with the paper it comes from; names are \
         matched whatever their case.",
    ),
    (
        "S004",
        "a parameter out of range",
        "A flag has a value that makes no sense for this input. The message says which, and what \
         would be right.",
    ),
    (
        "S005",
        "no answer exists",
        "The rules of the input contradict each other or the cluster: the message names the objects \
         and the numbers. Add capacity, relax the rule, or ask for a partial answer where the verb \
         offers one.",
    ),
    (
        "S006",
        "the LP solver failed",
        "The linear or integer program behind the algorithm ended without a usable answer, usually \
         for numerical reasons. Try `--algorithm auto` or another seed, and please report the input.",
    ),
];
