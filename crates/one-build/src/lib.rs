//! Nothing: its manifest is what matters.
