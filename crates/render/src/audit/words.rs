//! The words of an audit: what each check means, what a finding says, and what helps.

use engine::audit::{Check, ClassDifference, Evidence, Finding, Gap, GapCause, ObjectName};

use crate::{notes, words};

/// The most names that a sentence lists.
const NAMED: usize = 4;

/// What a check says about the cluster when it finds something.
pub(super) const fn title(check: Check) -> &'static str {
    match check {
        Check::SeveralBudgets => "Several PodDisruptionBudgets select the same pods",
        Check::BudgetNeverAllows => "A PodDisruptionBudget never allows a disruption",
        Check::BudgetSelectsAll => "A PodDisruptionBudget selects every pod of its namespace",
        Check::BudgetSelectsNothing => "A PodDisruptionBudget selects no pod",
        Check::SeveralGlobalDefaults => "Several priority classes are the global default",
        Check::OlderThanGlobalDefault => "Pods have another priority than the global default gives",
        Check::GlobalDefaultAboveClass => "The global default is higher than another class",
        Check::UnusedClass => "No pod has this priority class",
        Check::ClassDiffers => "A priority class differs from the other cluster",
        Check::PriorityNotOfClass => "The priority of pods is not that of their class",
        Check::MissingClass => "Pods name a priority class that does not exist",
        Check::AddOnPreemptible => "Pods of users can preempt an add-on",
        Check::NeverPreempts => "A pod waits because its preemptionPolicy is Never",
        Check::BarePod => "A pod without a controller can be preempted",
        Check::DaemonSetComesBack => "Pods of a DaemonSet can be preempted and come back",
        Check::NoRequests => "Pods request no resources, so preempting them frees none",
        Check::StaleNomination => "A pod keeps room on a node that it does not get",
        Check::StuckVictim => "A victim of preemption does not end",
        Check::SpreadWithoutDomains => "No node has the label of a topology spread constraint",
        Check::SpreadTooFewDomains => {
            "A topology spread constraint has too few domains for its pods"
        }
    }
}

/// Why it matters.
pub(crate) const fn meaning(check: Check) -> &'static str {
    match check {
        Check::SeveralBudgets => {
            "The eviction API refuses every eviction of such a pod, so kubectl drain and descheduling fail. kube-scheduler \
             preempts it all the same."
        }
        Check::BudgetNeverAllows => {
            "The budget requires all of its pods to stay, so every eviction through the API fails, also that of a drain. \
             kube-scheduler counts each preemption of such a pod as a violation, and preempts it if nothing else helps."
        }
        Check::BudgetSelectsAll => {
            "An empty selector selects all pods of the namespace, of different workloads: one disruption counts against all \
             of them. kube-scheduler up to 1.37 passes over a budget with an empty selector."
        }
        Check::BudgetSelectsNothing => {
            "The budget protects nothing. Its selector may have a typing error."
        }
        Check::SeveralGlobalDefaults => {
            "Pods that name no class get the one with the lowest value."
        }
        Check::OlderThanGlobalDefault => {
            "These pods name no priority class and were created before the default was set. Pods created after them get \
             another priority, and the higher ones preempt the lower ones."
        }
        Check::GlobalDefaultAboveClass => {
            "Pods that name this class can be preempted by pods that name none."
        }
        Check::UnusedClass => "It may be left over, or meant for workloads that have no pods now.",
        Check::ClassDiffers => {
            "The same manifest gets another priority in each cluster, or is refused in one of them."
        }
        Check::PriorityNotOfClass => {
            "The class was probably deleted and created again with another value. kube-scheduler counts the priority in the \
             pod, not that of the class."
        }
        Check::MissingClass => {
            "The pods keep their priority, but the API server refuses new pods that name the class: the workload cannot \
             replace a pod that is preempted."
        }
        Check::AddOnPreemptible => {
            "What monitors the cluster or keeps it running is preempted to make room for applications."
        }
        Check::NeverPreempts => {
            "Preemption would make room for the pod, but the pod does not preempt."
        }
        Check::BarePod => "A pod without a controller is gone for good after a preemption.",
        Check::DaemonSetComesBack => {
            "The DaemonSet recreates a pod that is preempted on the same node. It takes the room back, or stays pending there."
        }
        Check::NoRequests => {
            "kube-scheduler counts only requests: preempting these pods frees a place, but no cpu or memory."
        }
        Check::StaleNomination => {
            "The pod has status.nominatedNodeName, but does not fit on that node, or the node is gone. Until the nomination is \
             cleared, kube-scheduler keeps the room there from other pods of its priority or lower."
        }
        Check::StuckVictim => {
            "The pod was to make room for another one and should have ended. Until it is gone, kube-scheduler neither places the \
             pod that waits for it nor preempts others for that."
        }
        Check::SpreadWithoutDomains => {
            "With whenUnsatisfiable: DoNotSchedule, every node is rejected."
        }
        Check::SpreadTooFewDomains => {
            "With fewer domains than minDomains, each domain takes at most maxSkew pods. The others stay pending, and no \
             preemption helps."
        }
    }
}

/// What to do about it.
pub(crate) const fn fix(check: Check) -> &'static str {
    match check {
        Check::SeveralBudgets => {
            "delete all budgets but one, or change their selectors so that no pod has two"
        }
        Check::BudgetNeverAllows => {
            "lower minAvailable, raise maxUnavailable, or run one replica more"
        }
        Check::BudgetSelectsAll => "write a budget for each workload, with a selector of its own",
        Check::BudgetSelectsNothing => "correct the selector, or delete the budget",
        Check::SeveralGlobalDefaults => "set globalDefault: false on all classes but one",
        Check::OlderThanGlobalDefault => {
            "restart these workloads, or name a class in their manifests"
        }
        Check::GlobalDefaultAboveClass => {
            "lower the value of the default, or raise that of the class"
        }
        Check::UnusedClass => "delete the class if nothing will use it",
        Check::ClassDiffers => {
            "apply the same classes to both clusters; a value can only be changed by recreating the class"
        }
        Check::PriorityNotOfClass => {
            "restart these workloads, so that their pods get the value of today"
        }
        Check::MissingClass => "create the class again, or name another one in the manifest",
        Check::AddOnPreemptible => {
            "give it a higher class, such as system-cluster-critical or system-node-critical, or one of your own"
        }
        Check::NeverPreempts => {
            "set preemptionPolicy: PreemptLowerPriority on its class, or add room"
        }
        Check::BarePod => "run it with a Deployment, StatefulSet or Job",
        Check::DaemonSetComesBack => {
            "give the DaemonSet a higher class than the pods that share its nodes"
        }
        Check::NoRequests => "set requests for its containers, or a LimitRange in its namespace",
        Check::StaleNomination => {
            "delete the pod, so that its controller makes a new one, or make room for it on the node; kubectl preempt explain tells \
             what clears the nomination"
        }
        Check::StuckVictim => {
            "remove what keeps it: a finalizer whose program is gone, or a node that does not come back (delete the Node, or taint it \
             node.kubernetes.io/out-of-service)"
        }
        Check::SpreadWithoutDomains => "label the nodes, or correct topologyKey",
        Check::SpreadTooFewDomains => {
            "add nodes in another domain, lower minDomains, or raise maxSkew"
        }
    }
}

/// The object, as kubectl names it: `Deployment shop/web`.
pub(super) fn object(object: &ObjectName) -> String {
    let ObjectName { kind, namespace, name } = object;
    let slash = if namespace.is_empty() { "" } else { "/" };
    format!("{kind} {namespace}{slash}{name}")
}

/// What was found, as a clause that follows the name of the object.
pub(super) fn clause(evidence: &Evidence) -> String {
    match evidence {
        Evidence::SeveralBudgets { budgets, pods } => {
            format!(
                "PodDisruptionBudgets {} select {}",
                words::list(budgets, NAMED),
                words::count(*pods, "running pod")
            )
        }
        Evidence::BudgetNeverAllows { expected_pods, desired_healthy } => {
            format!(
                "{desired_healthy} of {} have to stay healthy",
                words::count(to_usize(*expected_pods), "pod")
            )
        }
        Evidence::BudgetSelectsAll { pods, workloads } => {
            format!(
                "selects {} of {}",
                words::count(*pods, "running pod"),
                words::count(*workloads, "workload")
            )
        }
        Evidence::BudgetSelectsNothing { without_selector: true } => {
            "has no selector that selects anything".to_owned()
        }
        Evidence::BudgetSelectsNothing { without_selector: false } => {
            "no pod of its namespace has these labels".to_owned()
        }
        Evidence::SeveralGlobalDefaults { others, used } => {
            format!("{} is used; also the default: {}", used, words::list(others, NAMED))
        }
        Evidence::OlderThanGlobalDefault { pods, class, value, priority } => format!(
            "gives {value}, but {} without a class {} another priority, the lowest {priority} (default: {class})",
            words::count(*pods, "pod"),
            has(*pods)
        ),
        Evidence::GlobalDefaultAboveClass { default, default_value, value } => {
            format!("has value {value}, below the {default_value} of the global default {default}")
        }
        Evidence::UnusedClass { value } => format!("value {value}"),
        Evidence::ClassDiffers { difference } => self::difference(difference),
        Evidence::PriorityNotOfClass { pods, priority, class, value } => format!(
            "{} of class {class} {} priority {priority}; the class has {value}",
            words::count(*pods, "pod"),
            has(*pods)
        ),
        Evidence::MissingClass { pods, class, priority } => {
            format!(
                "{} of priority {priority} {} class {class}",
                words::count(*pods, "pod"),
                if *pods == 1 { "names" } else { "name" }
            )
        }
        Evidence::AddOnPreemptible { pods, priority, preemptors }
        | Evidence::DaemonSetComesBack { pods, priority, preemptors } => format!(
            "{} of priority {priority} can be preempted by {}",
            words::count(*pods, "pod"),
            words::list(preemptors, NAMED)
        ),
        Evidence::NeverPreempts { pods, priority, node, victims } => format!(
            "{} of priority {priority} {}; preempting {} would make room on node {node}",
            words::count(*pods, "pod"),
            if *pods == 1 { "waits" } else { "wait" },
            words::list(victims, NAMED)
        ),
        Evidence::BarePod { priority, preemptors } => {
            format!(
                "has priority {priority} and can be preempted by {}",
                words::list(preemptors, NAMED)
            )
        }
        Evidence::NoRequests { pods, priority } => {
            format!(
                "{} of priority {priority} {} nothing",
                words::count(*pods, "pod"),
                if *pods == 1 { "requests" } else { "request" }
            )
        }
        Evidence::StaleNomination { pod, priority, node, node_exists: false, .. } => {
            format!("{pod} of priority {priority} is nominated to {node}, which does not exist")
        }
        Evidence::StaleNomination {
            pod,
            priority,
            node,
            node_exists: true,
            reserves,
            taken_by,
        } => {
            let reserved = if reserves.is_empty() {
                "a place for a pod".to_owned()
            } else {
                reserves.join(" and ")
            };
            let takers = match taken_by.len() {
                0 => String::new(),
                1 => format!("; {} has taken the room", words::list(taken_by, NAMED)),
                _ => format!("; {} have taken the room", words::list(taken_by, NAMED)),
            };
            format!(
                "{pod} is nominated to {node}, where it does not fit{takers}; {reserved} is kept there from pods of priority \
                 {priority} or lower"
            )
        }
        Evidence::StuckVictim {
            pod,
            node,
            overdue_seconds,
            grace_seconds,
            kept_by,
            finalizers,
            waiting,
        } => {
            let why: Vec<String> = kept_by
                .iter()
                .map(|by| match by.as_str() {
                    "NodeGone" => format!("its node {node} does not exist"),
                    "SilentKubelet" => format!("the kubelet of {node} does not report"),
                    "Finalizers" => {
                        format!("finalizer {} is still set", words::list(finalizers, NAMED))
                    }
                    _ => format!(
                        "its kubelet has not ended it within {}",
                        words::age(*grace_seconds)
                    ),
                })
                .collect();
            let for_whom = match waiting.as_slice() {
                [] => String::new(),
                waiting => format!("; waited for by {}", words::list(waiting, NAMED)),
            };
            format!(
                "{pod} should have ended {} ago: {}{for_whom}",
                words::age(*overdue_seconds),
                why.join(" and ")
            )
        }
        Evidence::SpreadWithoutDomains { topology_key, nodes } => {
            format!("none of {} has label {topology_key}", words::count(*nodes, "node"))
        }
        Evidence::SpreadTooFewDomains { topology_key, domains, min_domains, max_skew, pods } => {
            format!(
                "{} of {topology_key} take {max_skew} each (minDomains {min_domains}), but it counts {}",
                words::count(*domains, "domain"),
                words::count(*pods, "pod")
            )
        }
    }
}

fn difference(difference: &ClassDifference) -> String {
    match difference {
        ClassDifference::OnlyHere { value } => {
            format!("value {value}; the other cluster does not have it")
        }
        ClassDifference::OnlyThere { value } => {
            format!("only the other cluster has it, with value {value}")
        }
        ClassDifference::Value { here, there } => {
            format!("value {here}; in the other cluster {there}")
        }
        ClassDifference::PreemptionPolicy { preempts_here: true } => {
            "its pods preempt; in the other cluster its preemptionPolicy is Never".to_owned()
        }
        ClassDifference::PreemptionPolicy { preempts_here: false } => {
            "its preemptionPolicy is Never; in the other cluster its pods preempt".to_owned()
        }
        ClassDifference::GlobalDefault { default_here: true } => {
            "is the global default only here".to_owned()
        }
        ClassDifference::GlobalDefault { default_here: false } => {
            "is the global default only in the other cluster".to_owned()
        }
    }
}

/// A finding as one sentence, without a full stop.
pub(crate) fn sentence(finding: &Finding) -> String {
    format!("{}: {}", object(&finding.object), clause(&finding.evidence))
}

/// What could not be looked at, as one sentence without a full stop.
#[must_use]
pub(crate) fn gap(gap: &Gap) -> String {
    let kind = gap.kind.map_or("object", |kind| kind.name());
    let codes = || gap.left_out.iter().map(|check| check.code()).collect::<Vec<_>>().join(", ");
    let what = match &gap.cause {
        GapCause::Refused(answer) => format!("{kind}s could not be read: {answer}"),
        GapCause::Absent => format!("the input has no {kind}"),
        GapCause::Unread(note) => {
            return format!("{}; left out for it: {}", notes::sentence(note), codes());
        }
        GapCause::UnreadThere(note) => {
            return format!(
                "in the other cluster, {}; left out for it: {}",
                notes::sentence(note),
                codes()
            );
        }
    };
    if gap.left_out.is_empty() {
        return format!("{what}: if the cluster has some, findings about them are missing");
    }
    format!("{what}; left out: {}", codes())
}

const fn has(pods: usize) -> &'static str {
    if pods == 1 { "has" } else { "have" }
}

fn to_usize(number: i64) -> usize {
    usize::try_from(number).unwrap_or(0)
}
