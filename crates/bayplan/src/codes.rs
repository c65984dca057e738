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

/// All codes, sorted: B (bayplan's own mistakes), F and N (input), S (solvers), V (violations),
/// W (the server).
pub fn codes() -> Vec<Code> {
    let as_code = |(code, title, explanation): &(&'static str, &'static str, &'static str)| Code {
        code,
        title,
        explanation,
    };
    let mut all: Vec<Code> = [
        OWN,
        SERVER,
        bayplan_formats::codes(),
        bayplan_verify::codes(),
    ]
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

const SERVER: &[(&str, &str, &str)] = &[
    (
        "W001",
        "nothing there",
        "The server has no such route, input, run or point. It keeps a bounded number of inputs and \
         finished runs and forgets the oldest for a new one (and with an input its runs); \
         `/api/v1/health` tells how many. Load the input or ask the question again.",
    ),
    (
        "W002",
        "a request that cannot be read",
        "The query or the body is not what the route takes: no JSON, nested too deeply, not a \
         number, or it came too slowly. `/api/v1/openapi.json` describes every route.",
    ),
    (
        "W003",
        "a request that makes no sense",
        "The request can be read, but a field or option has a wrong type or value. The place names \
         it; `/api/v1/verbs` lists every option with its kind and default.",
    ),
    (
        "W004",
        "too large",
        "The body is larger than the server takes. `bayplan serve --max-input BYTES` raises the \
         bound for inputs, as sent and when decompressed.",
    ),
    (
        "W005",
        "the queue is full",
        "One run is at work at a time and a bounded number may wait. Try again after the seconds in \
         the header Retry-After, stop a run, or start the server with a larger `--queue`.",
    ),
    (
        "W006",
        "too many at once",
        "As many clients as the server serves at the same time are already listening to events or \
         sending inputs. Try again after the seconds in the header Retry-After.",
    ),
    (
        "W007",
        "no token, or a wrong one",
        "The server was started with a token. Send it as `Authorization: Bearer TOKEN`, or open \
         the page in a browser, which asks for it once and sets a cookie.",
    ),
    (
        "W008",
        "from another site",
        "The header Host names another server, or a page of another site made the request: the \
         server answers its own page and programs only. Behind a proxy, name the host with \
         `bayplan serve --host NAME`.",
    ),
    (
        "W009",
        "not in this state",
        "A run that waits or is at work has no answer yet and cannot be forgotten. Wait for it, or \
         stop it: stopping returns the best answer so far.",
    ),
    (
        "W010",
        "a failure of the server",
        "A run or a request ended in a panic, or the store could not be read or written. The server \
         goes on. Look at the disk of `--store`; otherwise please report it with the input and the \
         command line.",
    ),
    (
        "W011",
        "the server does not start",
        "The address is taken or needs a token, the token is too short or has characters that do \
         not fit into a header, or the store is in use by another server. The message says which.",
    ),
];
