# Every job of a developer; .ci/run calls these, too. `just --list` shows them.

# What must pass before a change goes in
check: fmt clippy test doc deny

# Formatting
fmt:
    cargo fmt --all --check

# Lints, with and without the live cluster
clippy:
    cargo clippy --all-targets --no-default-features -- -D warnings
    cargo clippy --all-targets -- -D warnings

# Tests, with and without the live cluster
test:
    cargo test --no-default-features
    cargo test

# Documentation builds without warnings
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --no-deps --document-private-items

# Licences, banned crates, sources
deny:
    cargo deny --offline check bans licenses sources

# Rewrites the goldens; look at `git diff` before you commit
bless:
    BLESS=1 cargo test --no-default-features --test scenarios --test rows --test versions

# Writes docs/VERSIONS.md from the history table and the recordings
versions:
    BLESS=1 cargo test --no-default-features --test versions

# Writes deploy/rbac.yaml and docs/RBAC.md from the table of what the commands need
rbac:
    BLESS=1 cargo test --no-default-features --test rbac

# Writes completions/ and man/ from the command line
completions:
    BLESS=1 cargo test --test completion

# Looks for scenarios of rows of the history table that have none, among recorded cases (tests/rows/README.md)
rows *CASES="tests/parity/*/*.gz":
    cargo run --release --no-default-features --quiet --example rows -- {{CASES}}

# The main job on the shipped example; no cluster needed
example:
    cargo run --release --no-default-features --quiet -- explain web-6d4cf56db6-q7rtz -n shop --from examples/pending-web/cluster.yaml --now 2026-06-01T12:00:00Z

# Time and memory at three sizes
bench *ARGS:
    cargo bench --no-default-features --bench scale -- {{ARGS}}

# Begins a filter plugin: rule, tests and scenario to fill in
new-plugin NAME:
    scripts/new-plugin {{NAME}}

# Builds the program that links kube-scheduler of this release, e.g. 1.37.1 (needs Go; see docs/FIDELITY.md)
oracle VERSION:
    tests/oracle/build {{VERSION}}

# Generates N clusters, asks the scheduler and us, and writes what differs to tests/parity/found, made small
parity-fuzz VERSION N SEED *ARGS:
    cargo run --release --no-default-features --quiet --example parity -- --oracle "$(tests/oracle/build {{VERSION}})" --count {{N}} --seed {{SEED}} --found tests/parity/found {{ARGS}}

# Records the scheduler's decisions again, N clusters of each family; look at `git diff --stat`
parity-record VERSION N="150":
    tests/oracle/record {{VERSION}} {{N}}

# Builds the control plane of these releases and runs the program against them (needs Go; see docs/E2E.md)
e2e *VERSIONS="1.37.1":
    set -e; for version in {{VERSIONS}}; do tests/e2e/build "$version"; done
    KUBECTL_PREEMPT_E2E=required cargo test --test e2e

# How much longer the scheduler takes than we do
ratio VERSION="1.37.1" NODES="5000":
    tests/oracle/ratio {{VERSION}} {{NODES}}
