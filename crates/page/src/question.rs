//! What the script asks and is answered, as JSON.

use serde::{Deserialize, Serialize};

/// What the script asks.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(tag = "ask", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageQuestion {
    /// What is read of a cluster?
    Kinds,
    /// Read files, instead of those before.
    Read {
        /// The files, or the directory that they are in.
        name: String,
        /// Whether a directory was dropped, rather than files.
        is_directory: bool,
        /// The files.
        files: Vec<DroppedFile>,
        /// The present, in RFC 3339.
        present: String,
        /// The cluster whose lists the files are; `None` if somebody saved them.
        #[serde(default)]
        cluster: Option<String>,
    },
    /// Which pods are pending?
    Queue {
        /// Who decides, and what is assumed.
        #[serde(flatten)]
        options: PageOptions,
    },
    /// What is decided about a pod?
    Pod {
        /// Its namespace.
        namespace: String,
        /// Its name.
        name: String,
        /// Who decides, and what is assumed.
        #[serde(flatten)]
        options: PageOptions,
    },
    /// One of the other questions.
    Other {
        /// Which one.
        question: OtherQuestion,
        /// What it is about, as its command takes it: `worker-1`, `deploy/web`, `cpu=4,memory=8Gi`.
        about: String,
        /// The namespace of what is named without one.
        #[serde(default)]
        namespace: String,
        /// Who decides, and what is assumed.
        #[serde(flatten)]
        options: PageOptions,
    },
}

/// A question that is answered by one page, as its command answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OtherQuestion {
    /// Can these nodes go away?
    Node,
    /// What if these nodes are gone at once?
    Loss,
    /// What lets these pods in?
    Suggest,
    /// How many more pods like this fit?
    Headroom,
    /// Which running pods can be preempted?
    Risk,
    /// What is surprising, dangerous or useless?
    Audit,
    /// What would happen to these pods, and which pods would be evicted for them?
    Simulate,
    /// How many new nodes do these pods need?
    NodesNeeded,
    /// Are the scheduler's own messages what its rules give?
    Verify,
    /// Why is this pod gone?
    Evictions,
    /// What do these versions of kube-scheduler decide differently?
    Compare,
    /// What does this plugin, code or message mean?
    Rules,
}

/// A file of the browser. Its number there is its place in the list.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct DroppedFile {
    /// Its path in the directory, or its name.
    pub path: String,
    /// Its size in bytes.
    pub size: u64,
}

/// What may be chosen for each answer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PageOptions {
    /// `--now`.
    #[serde(default)]
    pub now: Option<String>,
    /// `--scheduler-version`.
    #[serde(default)]
    pub scheduler_version: Option<String>,
    /// The what-if flags of `simulate`, each with its value: `["--cordon", "worker-1"]`.
    #[serde(default)]
    pub what_if: Vec<(String, String)>,
}

/// What the script is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "answer", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PageAnswer {
    /// What is read of a cluster.
    Kinds {
        /// The lists, in the order in which they are read.
        kinds: Vec<ReadKind>,
        /// Paths of what shows the programs beside kube-scheduler, as far as it can be read.
        programs: Vec<String>,
    },
    /// The files were read.
    Read {
        /// What was passed over.
        warnings: Vec<String>,
        /// How many nodes there are, and pods.
        nodes: usize,
        /// How many pods there are.
        pods: usize,
        /// The first names of nodes, for proposals.
        node_names: Vec<String>,
    },
    /// The pending pods.
    Queue {
        /// How many there are of each verdict, in words.
        summary: String,
        /// The version whose rules decide, in words.
        rules: String,
        /// The time of the decisions.
        as_of: String,
        /// What is assumed, in words.
        assumed: Vec<String>,
        /// Why the list may lack a pod.
        lacks: Vec<String>,
        /// What makes decisions less than certain.
        notes: Vec<String>,
        /// A row for each pod or group, in the order of the scheduler's queue.
        rows: Vec<PodRow>,
        /// What `pending -A -o json` prints.
        json: String,
    },
    /// The decision about a pod.
    Pod {
        /// The page about it, as markup.
        html: String,
        /// What the script of that page needs.
        data: String,
        /// The nodes that it may get, as far as there are few.
        nodes: Vec<String>,
        /// What is assumed, in words.
        assumed: Vec<String>,
        /// What `explain -o json` prints.
        json: String,
    },
    /// The answer to one of the other questions.
    Other {
        /// The page about it, as markup.
        html: String,
        /// What is assumed, in words.
        assumed: Vec<String>,
        /// What its command prints with `-o json`.
        json: String,
    },
    /// There is no answer.
    Error {
        /// Why, in one line.
        problem: String,
    },
}

/// A kind whose lists are read of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReadKind {
    /// Its name in the header of a snapshot.
    pub resource: &'static str,
    /// The paths of its list, that of the newest API version first.
    pub paths: Vec<String>,
    /// Whether its objects are in namespaces.
    pub is_namespaced: bool,
    /// Whether a cluster that does not serve it has none of its objects.
    pub may_be_absent: bool,
    /// Whether another program serves it, which may be down.
    pub is_custom: bool,
}

/// A pod, or a group of pods that is scheduled as a whole. What is shown has no character that
/// would hide or turn text around; `namespace`, `name` and `members` are as the API has them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PodRow {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
    /// The pods of a group that wait.
    pub members: Vec<String>,
    /// Namespace and name.
    pub shown: String,
    /// What keeps it from nodes.
    pub cause: String,
    /// Its priority.
    pub priority: i32,
    /// How long it has been pending.
    pub age: String,
    /// The verdict, with a question mark if it is not certain.
    pub verdict: String,
    /// Where it goes.
    pub node: String,
    /// Whom it evicts there.
    pub victims: String,
}
