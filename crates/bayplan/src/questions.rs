//! The five questions: each is its solver's parameters.
