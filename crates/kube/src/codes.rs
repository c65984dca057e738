//! Every code of this crate, for `bayplan explain` and the docs.

use bayplan::Code;

/// Codes K1xx: reading a cluster.
const READING: &[(&str, &str, &str)] = &[
    (
        "K101",
        "No cluster configured",
        "Neither --kubeconfig, $KUBECONFIG, ~/.kube/config nor a service account inside a cluster gives a server to talk to, or the context named does not exist. `kubectl config get-contexts` lists the contexts.",
    ),
    (
        "K102",
        "API server unreachable",
        "The server of the context did not answer, also after several tries. Check the address, the network and the certificate authority with `kubectl version`.",
    ),
    (
        "K103",
        "Credentials refused",
        "The token, certificate or exec plugin of the context is not accepted. Log in again; `kubectl auth whoami` shows who you are.",
    ),
    (
        "K104",
        "Not allowed",
        "The account lacks a right. Planning needs the read-only ClusterRole of the chart (get and list); carrying out needs the second one. A kind that may not be listed is an error: it is never taken for absent.",
    ),
    (
        "K105",
        "Refused by the API server",
        "The server answered with an error that is not about rights. The message is the server's own.",
    ),
    (
        "K106",
        "Answer not understood",
        "The server's answer is not the JSON its API promises. Something between, such as a proxy or a login page, may have answered instead.",
    ),
    (
        "K107",
        "List expired",
        "A long list is read in pages of one state of the cluster, and the server forgot that state before the last page, three times. Try again when the cluster is quieter.",
    ),
    (
        "K108",
        "Objects that make no problem",
        "The cluster was read, but its objects cannot be planned with; the lines name the objects and their own codes.",
    ),
    (
        "K110",
        "Prometheus does not answer",
        "The address given with --prometheus did not answer, or refused the query. Give the address of the server itself, such as http://prometheus:9090; behind a path, give the path too.",
    ),
    (
        "K111",
        "Nothing measured",
        "Prometheus answered but has no samples for what was asked: no container metrics in the range, no mesh metrics known to bayplan, or none whose pods are in the cluster. Check the range, and that the server scrapes this cluster.",
    ),
];

/// All codes of this crate.
pub fn codes() -> Vec<Code> {
    [READING, crate::apply::CODES]
        .into_iter()
        .flatten()
        .map(|(code, title, explanation)| Code {
            code,
            title,
            explanation,
        })
        .collect()
}
