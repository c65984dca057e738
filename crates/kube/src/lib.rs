//! Reads a live Kubernetes cluster and carries a plan out on it.
