//! Tests against plain forms and the verifier.
