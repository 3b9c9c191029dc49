//! Carries a plan out on a cluster: the only part of the program that writes.
