# Every job of a developer; .ci/run calls these, too. `just --list` shows them.

# How the programs of developers are built: release, or dev to share the build of `cargo test`
profile := "release"

# What must pass before a change goes in
check: fmt clippy one-build schema-fresh test doc wasm deny

# Formatting
fmt:
    cargo fmt --all --check

# Lints
clippy:
    cargo clippy --workspace --all-targets -- -D warnings
    # The tests that need more than `cargo test` has are not among all targets.
    cargo clippy --test e2e --test page -- -D warnings

# The tests of one crate use what the tests of all have built
one-build:
    {{python}} scripts/one-build

# Tests
test:
    cargo test

# The tests that try many cases, with all of them: recorded decisions, applies, laws, hostile texts, wrong types, memory (crates/builders/src/share.rs)
test-long:
    KUBECTL_PREEMPT_TESTS=long cargo test --test suite -- parity::every laws:: hostile:: autoscalers:: seeded:: bad_input::objects memory::apply
    KUBECTL_PREEMPT_TESTS=long cargo test -p kubectl-preempt-simulation --lib -- removal::

# Every recorded decision; `just test` takes one in ten
test-recorded:
    KUBECTL_PREEMPT_TESTS=long cargo test --test suite -- parity::agrees

# Builds the tests, so that what runs after it is only the tests
test-build:
    cargo test --no-run

# Processor seconds of a release build and of the tests, and the program's size, beside the last release's; `--write` keeps them
costs *ARGS:
    {{python}} scripts/costs --measure {{ARGS}}

# Documentation builds without warnings
doc:
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --document-private-items

# The engine and the page build for browsers, and so they do no input or output
wasm:
    rustup target add wasm32-unknown-unknown
    cargo check --package kubectl-preempt-engine --package kubectl-preempt-page --target wasm32-unknown-unknown

# Builds the page for browsers: one HTML file with the engine in it, target/dist/kubectl-preempt.html
page *ARGS:
    rustup target add wasm32-unknown-unknown
    {{python}} scripts/page {{ARGS}}

# The page in a browser: the same JSON as the program's, nothing asked of anybody, keyboard, phone (needs Chromium)
page-test: page
    KUBECTL_PREEMPT_BROWSER=required KUBECTL_PREEMPT_PAGE="{{justfile_directory()}}/target/dist/kubectl-preempt.html" cargo test --test page

# How long the page takes to read a cluster of N nodes with 30 pods each, and how much memory (needs Chromium)
page-bench NODES="5000": page
    cargo run --profile {{profile}} --quiet -p kubectl-preempt-tools --bin generate-cluster -- --nodes {{NODES}} > target/page-large.json
    KUBECTL_PREEMPT_BROWSER=required KUBECTL_PREEMPT_PAGE="{{justfile_directory()}}/target/dist/kubectl-preempt.html" \
        KUBECTL_PREEMPT_PAGE_LARGE="{{justfile_directory()}}/target/page-large.json" cargo test --test page -- large

# The plugin for Headlamp: checks, tests and packs it in target/headlamp (needs Node)
headlamp: page
    rm -rf target/headlamp/kubectl-preempt/src target/headlamp/kubectl-preempt/parts
    mkdir -p target/headlamp/kubectl-preempt/parts
    cp -r deploy/headlamp/. target/headlamp/kubectl-preempt
    cp crates/page/web/worker.js crates/render/src/html/page.css target/headlamp/kubectl-preempt/parts
    cp examples/pending-web/cluster.yaml examples/pending-web/explain.txt target/headlamp/kubectl-preempt/parts
    # The page has the engine on one line.
    sed -n 's/.*id="engine"[^>]*>\([^<]*\)<.*/\1/p' target/dist/kubectl-preempt.html > target/headlamp/kubectl-preempt/parts/packed.txt
    cd target/headlamp/kubectl-preempt && npm ci --ignore-scripts --no-audit --no-fund --silent
    cd target/headlamp/kubectl-preempt && npm run tsc && npm run lint && npm test && npm run build && npm run package

# Whether public names of the engine or the JSON changed so that it takes a new minor version, and whether fields, flags and exit
# codes are all still there (scripts/stable); since BASE, else the last release, else the commit before this one
semver BASE="":
    scripts/tool cargo-semver-checks
    base={{BASE}}; \
    base=${base:-$(git describe --tags --abbrev=0 2>/dev/null || git rev-parse --verify --quiet HEAD~1 || true)}; \
    [ -n "$base" ] || { echo "no earlier commit in this clone: git fetch --unshallow, or just semver BASE"; exit 1; }; \
    scripts/stable "$base" && \
    cargo semver-checks --baseline-rev "$base" --package kubectl-preempt-engine --package kubectl-preempt-json

# Licences, banned crates, sources
deny:
    scripts/tool cargo-deny
    cargo deny --offline check bans licenses sources

# Known vulnerabilities and crates that were given up or taken back; needs the network
advisories:
    scripts/tool cargo-deny
    cargo deny check advisories

# Writes everything that tests write: goldens, values, schemas, documents and their parts, completions, pictures; look at `git diff` before you commit
bless: schema
    BLESS=1 cargo test --test suite -- $(grep -rl golden:: tests --include='*.rs' | sed -E 's,^tests/,,; s,(/mod)?\.rs$,::,; s,/,::,g')

# Writes docs/schema.json from the types of crates/json, and the schemas of the tools of `mcp` from their arguments
schema:
    cargo run --quiet --package kubectl-preempt-json --features schema --example schema > docs/schema.json.new
    mv docs/schema.json.new docs/schema.json
    BLESS=1 cargo test --package kubectl-preempt --lib -- cli::mcp::questions::

# Whether docs/schema.json is what the types of crates/json say; builds no other crate of ours
schema-fresh:
    cargo run --quiet --package kubectl-preempt-json --features schema --example schema | diff docs/schema.json - || { echo "docs/schema.json is not fresh: just schema"; exit 1; }

# Drives `mcp` with the official client in Python, and has metrics checked by Prometheus' own tool (needs the network, and promtool)
others:
    cargo build
    {{python}} -m venv target/others
    target/others/bin/pip install --quiet --disable-pip-version-check mcp==2.3.0 prometheus-client==0.26.0
    target/others/bin/python tests/mcp/sdk_client.py "${CARGO_TARGET_DIR:-target}/debug/kubectl-preempt" examples/pending-web/cluster.yaml
    "${CARGO_TARGET_DIR:-target}/debug/kubectl-preempt" pending -A --from examples/pending-web/cluster.yaml -o openmetrics > target/others/pending.prom
    target/others/bin/python -c 'import sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families as read; print(len(list(read(sys.stdin.read()))), "metrics")' < target/others/pending.prom
    promtool check metrics < target/others/pending.prom

# Prometheus itself checks the alerts, with a case for each (needs promtool)
alerts:
    promtool check rules deploy/prometheus-rules.yaml
    promtool test rules tests/packaging/prometheus-rules.test.yaml

# Has a client that follows the first advice of the tools of `mcp` solve the incidents of benches/agents
agents:
    cargo build --quiet
    {{python}} benches/agents/run "${CARGO_TARGET_DIR:-target}/debug/kubectl-preempt"

# Looks for scenarios of rows of the history table that have none, among recorded cases (tests/versions/rows/README.md)
rows *CASES="tests/recorded/parity/*/*.gz":
    cargo run --profile {{profile}} --quiet -p kubectl-preempt-tools --bin rows -- {{CASES}}

# Hostile texts (hostile), files (inputs), answers of a server (answers) or its protobuf (pages), made by a fuzzer (needs nightly and a C++ compiler)
fuzz SECONDS="300" TARGET="hostile":
    scripts/tool cargo-fuzz
    mkdir -p target/fuzz-corpus/{{TARGET}}
    cargo +nightly fuzz run --codegen-units 16 {{TARGET}} target/fuzz-corpus/{{TARGET}} tests/laws/hostile/{{ if TARGET == "hostile" { "corpus" } else { TARGET } }} -- -max_total_time={{SECONDS}} -max_len={{ if TARGET == "pages" { "16384" } else { "8192" } }} -timeout=120

# The main job on the shipped example; no cluster needed
example:
    cargo run --quiet -- explain web-6d4cf56db6-q7rtz -n shop --from examples/pending-web/cluster.yaml --now 2026-06-01T12:00:00Z

# Time and memory at three sizes
bench *ARGS:
    cargo bench --bench scale -- {{ARGS}}

# Requests, bytes and delays of `pending --watch` and `simulate --apply`; `--before FILE` compares another program, `--write` keeps the table
bench-watch *ARGS:
    cargo bench --bench watch -- {{ARGS}}

# Begins a filter plugin: rule, tests and scenario to fill in
new-plugin NAME:
    scripts/new-plugin {{NAME}}

# What new-plugin leaves compiles; it is run on a copy
try-new-plugin:
    scripts/try-new-plugin

# Builds the program that links kube-scheduler of this release, e.g. 1.37.1 (needs Go; see docs/FIDELITY.md)
oracle VERSION:
    tests/oracle/build {{VERSION}}

# Generates N clusters, asks the scheduler and us, and writes what differs to tests/recorded/parity/found, made small
parity-fuzz VERSION N SEED *ARGS:
    cargo run --profile {{profile}} --quiet -p kubectl-preempt-tools --bin parity -- --oracle "$(tests/oracle/build {{VERSION}})" --count {{N}} --seed {{SEED}} --found tests/recorded/parity/found {{ARGS}}

# Judges N random pools and pods by Karpenter's own code (needs Go), and compares what `explain` says of them
karpenter-cases N="12000" SEED="7":
    cd tests/oracle/karpenter && go run . {{N}} {{SEED}} > "{{justfile_directory()}}/target/karpenter.jsonl"
    KARPENTER_CASES=target/karpenter.jsonl cargo test --test suite autoscalers::pools_are_judged -- --nocapture

# Lets Karpenter's provisioner decide about N random clusters (needs Go), and compares who acts next by `explain`
karpenter-situations N="2000" SEED="7":
    cd tests/oracle/karpenter && go run ./situations {{N}} {{SEED}} > "{{justfile_directory()}}/target/situations.jsonl"
    KARPENTER_SITUATIONS=target/situations.jsonl cargo test --test suite autoscalers::no_node_is_denied -- --nocapture

# Lets cluster-autoscaler's loops decide about N random clusters (needs Go), and compares who acts next by `explain` and `pending`
cluster-autoscaler-cases N="2000" SEED="7":
    "$(tests/oracle/cluster-autoscaler/build)" {{N}} {{SEED}} > "{{justfile_directory()}}/target/cluster-autoscaler.jsonl"
    KUBECTL_PREEMPT_TESTS=long CLUSTER_AUTOSCALER_CASES=target/cluster-autoscaler.jsonl cargo test --test suite autoscalers::loops -- --nocapture

# The same with N clusters about pod groups, of each kind as many
groups-fuzz VERSION N SEED *ARGS:
    cargo run --profile {{profile}} --quiet -p kubectl-preempt-tools --bin parity -- --oracle "$(tests/oracle/build {{VERSION}})" --groups --runs 8 --count {{N}} --seed {{SEED}} --found tests/recorded/parity/found {{ARGS}}

# Has the scheduler judge every copy of `headroom`, or with `--of suggest` every move, on N clusters of each `--family` given
room-fuzz VERSION N SEED *ARGS:
    cargo run --profile {{profile}} --quiet -p kubectl-preempt-tools --bin room -- --oracle "$(tests/oracle/build {{VERSION}})" --count {{N}} --seed {{SEED}} {{ARGS}}

# Asks the scheduler's CEL and ours about N random device selectors, and shows what differs; `-lists` for the gate of 1.36
cel-fuzz VERSION N SEED *ARGS:
    "$(tests/oracle/cel/build {{VERSION}})" -count {{N}} -seed {{SEED}} {{ARGS}} | cargo run --quiet -p kubectl-preempt-tools --bin cel-compare

# Asks the scheduler's loader and ours about N changed configurations, and shows what differs
config-fuzz VERSION N SEED *ARGS:
    "$(tests/oracle/config/build {{VERSION}})" -count {{N}} -seed {{SEED}} {{ARGS}} | cargo run --quiet -p kubectl-preempt-tools --bin config-compare

# Prints what patch releases of these minors, or of all since 1.29, changed and nobody has judged yet (needs Go, and the module proxy)
patches *MINORS:
    tests/oracle/patches/compare {{MINORS}}

# Records the scheduler's decisions again, N clusters of each family; look at `git diff --stat`
parity-record VERSION N="150":
    tests/oracle/record {{VERSION}} {{N}}

# Records decisions of 1.37.1 on the clusters of kube-scheduler's own unit tests again
parity-record-tables:
    tests/oracle/tables/record

# Builds the control plane of these releases and runs the program against them (needs Go; see tests/e2e/README.md)
e2e *VERSIONS="1.37.1 1.38.0-beta.0":
    set -e; for version in {{VERSIONS}}; do tests/e2e/build "$version"; done
    tests/e2e/karpenter/build || { echo "Karpenter is left out: its modules cannot be had here"; export KUBECTL_PREEMPT_KARPENTER=off; }; \
        KUBECTL_PREEMPT_E2E=required cargo test --test e2e

# Runs N random situations, applies and ends of pods on each of these releases, from a seed (tests/e2e/README.md)
e2e-many N="300" SEED="1" *VERSIONS="1.37.1 1.33.13":
    set -e; for version in {{VERSIONS}}; do tests/e2e/build "$version"; done
    KUBECTL_PREEMPT_E2E_RANDOM={{N}} KUBECTL_PREEMPT_E2E_SEED={{SEED}} KUBECTL_PREEMPT_E2E=required cargo test --test e2e -- random:

# Records random lists as Kubernetes' encoders write them in JSON and in protobuf (needs Go)
protobuf-record SEED:
    cd tests/recorded/protobuf/record && go run . {{SEED}} | gzip -9n > ../1.37.ndjson.gz

# Records N random YAML texts as kubectl reads them (needs Go)
yaml-record SEED N="900":
    cd tests/recorded/yaml/record && go run . {{SEED}} {{N}} | gzip -9n > ../1.37.ndjson.gz

# Reads N random YAML texts as kubectl does and as we do, and shows what differs (needs Go)
yaml-fuzz N="20000" SEED="1":
    cd tests/recorded/yaml/record && go run . {{SEED}} {{N}} | cargo run --quiet -p kubectl-preempt-tools --bin yaml-compare

# How a large cluster is read, beside kubectl, against a real API server (needs the control plane of `just e2e`)
reading *ARGS:
    cargo build --release
    benches/reading {{ARGS}} target/release/kubectl-preempt

# How files of clusters of growing size are read, beside jq and Python: the table of benches/PERFORMANCE.md
sizes *ARGS="--peers":
    cargo build --release -p kubectl-preempt-tools --bin generate-cluster
    cargo build --release
    benches/sizes --generator target/release/generate-cluster {{ARGS}} target/release/kubectl-preempt

# What many questions about one cluster take, with pods of 20 kinds and with different ones: a table of benches/PERFORMANCE.md
questions *ARGS="--nodes 5000 --pending 1000":
    cargo build --release -p kubectl-preempt-tools --bin generate-cluster
    cargo build --release
    benches/questions --generator target/release/generate-cluster {{ARGS}} target/release/kubectl-preempt

# How much longer the scheduler takes than we do
ratio VERSION="1.37.1" NODES="5000":
    tests/oracle/ratio {{VERSION}} {{NODES}}

python := if os() == "windows" { "python" } else { "python3" }

# Builds the program for a target (this machine's if none is given) and packs it into target/dist
package *ARGS:
    {{python}} scripts/package {{ARGS}}

# Unpacks the archive of a target in target/dist and runs what is in it on the example
try TARGET="" *FLAGS:
    {{python}} tests/packaging/try "$({{python}} scripts/package --where {{TARGET}})" {{FLAGS}}

# Packs the program for this machine, and tries the archive
package-try *ARGS: (package ARGS) try

# Packs the program twice, from two folders, and compares the archives byte for byte; the arguments are those of `package`
reproducible *ARGS:
    tests/packaging/reproducible {{ARGS}}

# Builds for every machine that there is a release for, as far as this one can, and runs what can be run (needs Linux)
cross-check *PROFILE:
    tests/packaging/cross {{PROFILE}}

# Installs real archives with krew and uses them through kubectl; TARGETS are built besides this machine's (needs Go)
krew-test *TARGETS:
    tests/packaging/krew {{TARGETS}}

# Writes krew's manifest of a release, e.g. v0.1.0, from its archives in FOLDER (needs Go); krew/names has the names
krew-manifest VERSION FOLDER="target/dist" NAME="preempt":
    go run krew/manifest.go .krew.yaml {{VERSION}} {{FOLDER}} {{NAME}} > {{FOLDER}}/{{NAME}}.yaml

# The page for browsers in one (needs Chromium)
browser:
    KUBECTL_PREEMPT_BROWSER=required cargo test --test html

# Lints the workflows (needs Go)
workflows:
    "$(tests/packaging/tools/build actionlint)/actionlint"

# Writes which crates the program is made of, as CycloneDX, to target/dist
sbom:
    scripts/tool cargo-cyclonedx
    mkdir -p target/dist
    cargo cyclonedx --quiet --target all --format json --spec-version 1.5 --override-filename kubectl-preempt.cdx
    mv kubectl-preempt.cdx.json target/dist/

# Makes the image for containers of the archives for Linux
image VERSION FOLDER="target/dist":
    {{python}} scripts/image {{VERSION}} {{FOLDER}}

# Writes the manifests of Homebrew, AUR, Scoop and Nix of a release, from its archives in FOLDER
packages VERSION FOLDER="target/dist":
    {{python}} scripts/packages {{VERSION}} {{FOLDER}}

# Sums of all that is released
sums:
    cd target/dist && rm -f SHA256SUMS SHA256SUMS.sigstore.json && sha256sum -- * > ../SHA256SUMS && mv ../SHA256SUMS .

# Signs the sums without a key, by the identity of the workflow that runs it (needs cosign, and GitHub's or another OIDC token)
sign:
    cosign sign-blob --yes --bundle target/dist/SHA256SUMS.sigstore.json target/dist/SHA256SUMS

# Pushes the image to a registry and signs it there (needs Go, cosign, and a token in REGISTRY_TOKEN)
push-image VERSION NAME USER:
    rm -rf target/image && mkdir -p target/image && tar -xf target/dist/kubectl-preempt_{{VERSION}}_image.tar -C target/image
    printf '%s' "$REGISTRY_TOKEN" | cosign login {{ replace_regex(NAME, '/.*', '') }} --username {{USER}} --password-stdin
    cosign sign --yes "$("$(tests/packaging/tools/build image)/crane" push target/image {{NAME}}:{{VERSION}})"

# The whole release on this machine, from a clean clone, without publishing: files, sizes, checks (needs Go; scripts/rehearse)
rehearse *ARGS:
    scripts/rehearse {{ARGS}}

# What `cargo install` and crates.io get: the crates build by themselves and are complete
crate:
    scripts/crate

# Whether a release may have this tag: it is the version of Cargo.toml, and CHANGELOG.md has a section about it
tagged TAG:
    test {{TAG}} = "v$(cargo pkgid | sed 's/.*[#@]//')" || { echo "{{TAG}} is not the version in Cargo.toml"; exit 1; }
    scripts/notes {{TAG}} > /dev/null

# Makes the release on GitHub with all that is in target/dist (needs gh, and a token)
upload TAG:
    scripts/notes {{TAG}} | gh release create {{TAG}} target/dist/* --verify-tag --title {{TAG}} --notes-file - {{ if TAG =~ "-" { "--prerelease" } else { "" } }}

# Publishes the crates; there is no way back
publish:
    cargo publish --workspace --locked
