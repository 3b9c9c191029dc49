//! What differs in NodeName from version to version.

use super::row::history;

history! {
    NodeName for "NodeName";

    flags {
        /// The reason for another node than the named one speaks of its node name, not of its
        /// hostname.
        node_name_text from "kubernetes/kubernetes#97841" { (21, 0) => true }

        /// NodeName is the first filter, before NodeUnschedulable.
        node_name_first from "pkg/scheduler/apis/config/v1/default_plugins.go (1.37)"
            { (37, 0) => true }

        /// NodeName narrows the nodes in PreFilter.
        node_name_narrows from "pkg/scheduler/framework/plugins/nodename/node_name.go (1.37)"
            { (37, 0) => true }
    }
}
