//! The server and the page: see the cluster, the plan and the proof.
