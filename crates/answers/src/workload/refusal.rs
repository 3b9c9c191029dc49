//! Why the API server refuses to create a pod, from its message. Each plugin of admission writes in
//! its own form; what matches none is quoted.
//!
//! Upstream: `plugin/pkg/admission` and `apiserver/pkg/admission/plugin/webhook` (1.37).

use crate::words;
use engine::cluster::limit_range::{BoundKind, BoundOf};
use engine::cluster::selector::Labels;
use engine::cluster::{Cluster, Quantity, Sym};

/// What refuses a pod.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    Quota,
    LimitRange,
    PodSecurity,
    Webhook,
    /// A webhook that must be asked does not answer.
    WebhookUnreachable,
    Policy,
    SecurityContextConstraints,
    ServiceAccount,
    PriorityClass,
    NamespaceEnds,
    Invalid,
    Other,
}

/// A refusal: by what, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub kind: RefusalKind,
    /// The name of the quota, the webhook, the policy or the missing object; may be empty.
    pub name: String,
    /// What it says, in short.
    pub detail: String,
    /// Whether the quota would admit the pod now.
    pub has_room: bool,
}

/// How the message of each plugin is recognised: a text that it has, and what stands behind it.
const FORMS: [(&str, RefusalKind); 14] = [
    ("exceeded quota: ", RefusalKind::Quota),
    ("failed quota: ", RefusalKind::Quota),
    ("insufficient quota to match these scopes: ", RefusalKind::Quota),
    ("violates PodSecurity ", RefusalKind::PodSecurity),
    ("failed calling webhook ", RefusalKind::WebhookUnreachable),
    ("admission webhook ", RefusalKind::Webhook),
    ("ValidatingAdmissionPolicy ", RefusalKind::Policy),
    (
        "unable to validate against any security context constraint: ",
        RefusalKind::SecurityContextConstraints,
    ),
    ("serviceaccount ", RefusalKind::ServiceAccount),
    ("no PriorityClass with name ", RefusalKind::PriorityClass),
    ("because it is being terminated", RefusalKind::NamespaceEnds),
    (" usage per ", RefusalKind::LimitRange),
    (" max limit to request ratio per ", RefusalKind::LimitRange),
    (" is invalid: ", RefusalKind::Invalid),
];

impl RefusalKind {
    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Quota => "ResourceQuota",
            Self::LimitRange => "LimitRange",
            Self::PodSecurity => "PodSecurity",
            Self::Webhook => "Webhook",
            Self::WebhookUnreachable => "WebhookUnreachable",
            Self::Policy => "ValidatingAdmissionPolicy",
            Self::SecurityContextConstraints => "SecurityContextConstraints",
            Self::ServiceAccount => "ServiceAccount",
            Self::PriorityClass => "PriorityClass",
            Self::NamespaceEnds => "NamespaceTerminating",
            Self::Invalid => "Invalid",
            Self::Other => "Other",
        }
    }
}

impl Refusal {
    /// The refusal in a message about a pod of `namespace`.
    pub fn of(message: &str, cluster: &Cluster, namespace: Sym) -> Self {
        let found = FORMS.iter().find_map(|(form, kind)| {
            let (before, after) = message.split_once(form)?;
            Some((*kind, *form, before, after))
        });
        let Some((kind, form, before, after)) = found else {
            let (kind, detail) = (RefusalKind::Other, brief(message));
            return Self { kind, name: String::new(), detail, has_room: false };
        };
        let mut has_room = false;
        let (name, detail) = match kind {
            RefusalKind::Quota => {
                let (name, rest) = after.split_once([',', ':']).unwrap_or((after, ""));
                let mut detail = rest.trim().to_owned();
                if form.starts_with("exceeded") {
                    (detail, has_room) = exceeded(name, rest, cluster, namespace);
                }
                (name.trim().to_owned(), detail)
            }
            // The resource stands before the words, the values behind them.
            RefusalKind::LimitRange => {
                let start = before.rfind([':', ',', '[']).map_or(0, |at| at + 1);
                let resource = before.get(start..).unwrap_or_default().trim();
                let end = after.find(['[', ']']).unwrap_or(after.len());
                let values = after.get(..end).unwrap_or_default().trim_end_matches([',', ' ']);
                let of = values.split(' ').next().unwrap_or_default();
                let bound = format!("{resource}{form}{of}");
                let name = limit_range(&bound, cluster, namespace);
                (name, format!("{resource}{form}{values}"))
            }
            RefusalKind::NamespaceEnds => (String::new(), String::new()),
            RefusalKind::Invalid | RefusalKind::SecurityContextConstraints => {
                (String::new(), brief(after))
            }
            RefusalKind::PodSecurity
            | RefusalKind::Webhook
            | RefusalKind::WebhookUnreachable
            | RefusalKind::Policy
            | RefusalKind::ServiceAccount
            | RefusalKind::PriorityClass
            | RefusalKind::Other => named(after),
        };
        Self { kind, name: brief(&name), detail: brief(&detail), has_room }
    }

    /// As a clause.
    pub fn clause(&self) -> String {
        let Self { kind, name, detail, .. } = self;
        let text = match kind {
            // The name alone says what is missing.
            RefusalKind::ServiceAccount => return format!("ServiceAccount {name} does not exist"),
            RefusalKind::PriorityClass => return format!("PriorityClass {name} does not exist"),
            RefusalKind::NamespaceEnds => return "the namespace is being deleted".to_owned(),
            RefusalKind::Quota => format!("ResourceQuota {name} refuses them"),
            RefusalKind::LimitRange if name.is_empty() => "a LimitRange refuses them".to_owned(),
            RefusalKind::LimitRange => format!("LimitRange {name} refuses them"),
            RefusalKind::PodSecurity => format!("PodSecurity {name} refuses them"),
            RefusalKind::Webhook => format!("admission webhook {name} refuses them"),
            RefusalKind::WebhookUnreachable => format!("admission webhook {name} does not answer"),
            RefusalKind::Policy => format!("ValidatingAdmissionPolicy {name} refuses them"),
            RefusalKind::SecurityContextConstraints => {
                "no SecurityContextConstraints admit them".to_owned()
            }
            RefusalKind::Invalid => "the API server calls them invalid".to_owned(),
            RefusalKind::Other => "they cannot be created".to_owned(),
        };
        if detail.is_empty() { text } else { format!("{text}: {detail}") }
    }

    /// What would help, a sentence each.
    pub fn remedies(&self) -> Vec<String> {
        let name = &self.name;
        let text = match self.kind {
            RefusalKind::Quota if self.detail.starts_with("must specify") => {
                "Set these requests and limits in the pod template, or defaults with a LimitRange".to_owned()
            }
            RefusalKind::Quota if self.has_room => {
                "The controller tries again by itself, within 17 minutes".to_owned()
            }
            RefusalKind::Quota => format!(
                "Raise the quota {name}, request less, or delete pods of the namespace that count there"
            ),
            RefusalKind::LimitRange => {
                "Change the requests and limits of the pod template, or the LimitRange".to_owned()
            }
            RefusalKind::PodSecurity => {
                "Change the security context of the pod template, or the pod-security labels of the namespace"
                    .to_owned()
            }
            RefusalKind::Webhook => format!("Ask whoever runs {name}; the webhook's text says what it wants"),
            RefusalKind::WebhookUnreachable => {
                format!("Repair the Service behind {name}, or set its failurePolicy to Ignore")
            }
            RefusalKind::ServiceAccount => format!("Create ServiceAccount {name}, or name another one"),
            RefusalKind::PriorityClass => format!("Create PriorityClass {name}, or name another one"),
            RefusalKind::Policy
            | RefusalKind::SecurityContextConstraints
            | RefusalKind::NamespaceEnds
            | RefusalKind::Invalid
            | RefusalKind::Other => return Vec::new(),
        };
        vec![text]
    }
}

/// The quoted or first word of a text, and the rest behind a colon.
fn named(text: &str) -> (String, String) {
    let mut quotes = text.match_indices(['"', '\'']).map(|(at, _)| at);
    let (name, rest) = match (quotes.next(), quotes.next()) {
        (Some(0), Some(end)) => {
            (text.get(1..end).unwrap_or_default(), text.get(end + 1..).unwrap_or_default())
        }
        _ => text.split_once(' ').unwrap_or((text, "")),
    };
    let detail = rest.split_once(": ").map_or("", |(_, detail)| detail);
    (name.to_owned(), detail.to_owned())
}

/// `requests.cpu: 792.2 of 800 used, 8.5 asked` for each resource that is exceeded. What is used
/// and allowed now counts, if the quota was read: whether it has room by now is the second value.
fn exceeded(name: &str, rest: &str, cluster: &Cluster, namespace: Sym) -> (String, bool) {
    let [requested, used, limited] =
        ["requested: ", "used: ", "limited: "].map(|head| pairs(rest, head));
    let quota = cluster
        .quotas
        .iter()
        .find(|quota| quota.namespace == namespace && cluster.text(quota.name) == name.trim());
    let quota = quota.filter(|quota| quota.is_counted);
    let amount = |now: Option<&Labels>, then: &[(&str, &str)], resource: &str| {
        let of_now = now.into_iter().flatten().find(|(key, _)| cluster.text(*key) == resource);
        let of_now = of_now.map(|(_, value)| cluster.text(*value).to_owned());
        let of_then = then.iter().find(|(key, _)| *key == resource).map(|(_, value)| *value);
        of_now.or_else(|| of_then.map(str::to_owned)).unwrap_or_else(|| "?".to_owned())
    };
    let mut texts = Vec::new();
    let mut has_room = quota.is_some() && !requested.is_empty();
    for (resource, asked) in &requested {
        let used = amount(quota.map(|quota| &quota.used), &used, resource);
        let limit = amount(quota.map(|quota| &quota.hard), &limited, resource);
        has_room &= fits(&used, asked, &limit);
        let [used, limit, asked] = [&used, &limit, *asked].map(plain);
        texts.push(format!("{resource}: {used} of {limit} used, {asked} asked"));
    }
    if has_room {
        texts.push("it has room by now, for the controller's next attempt".to_owned());
    }
    (texts.join("; "), has_room)
}

/// Whether `used` and `asked` together are at most `limit`.
fn fits(used: &str, asked: &str, limit: &str) -> bool {
    let [Ok(used), Ok(asked), Ok(limit)] = [used, asked, limit].map(Quantity::parse) else {
        return false;
    };
    used + asked <= limit
}

/// The LimitRange of a namespace that has this bound: `maximum cpu usage per Container`. Empty if it
/// was not read, or if several have one.
fn limit_range(bound: &str, cluster: &Cluster, namespace: Sym) -> String {
    let mut names = Vec::new();
    for range in cluster.limit_ranges.iter().filter(|range| range.namespace == namespace) {
        let has_it = range.bounds.iter().any(|own| {
            let of = match own.of {
                BoundOf::Container => "Container",
                BoundOf::Pod => "Pod",
            };
            let resource = cluster.text(own.resource);
            bound
                == match own.kind {
                    BoundKind::Min => format!("minimum {resource} usage per {of}"),
                    BoundKind::Max => format!("maximum {resource} usage per {of}"),
                    BoundKind::Ratio => format!("{resource} max limit to request ratio per {of}"),
                }
        });
        if has_it {
            names.push(cluster.text(range.name));
        }
    }
    match names.as_slice() {
        [only] => (*only).to_owned(),
        _ => String::new(),
    }
}

/// `a=1,b=2` behind a head such as `used: `, up to the next part of the message.
fn pairs<'t>(text: &'t str, head: &str) -> Vec<(&'t str, &'t str)> {
    let mut pairs = Vec::new();
    let values = text.split_once(head).map_or("", |(_, values)| values);
    for part in values.split(',') {
        // The next part begins with a word and a colon.
        let part = part.trim();
        let Some((key, value)) = part.split_once('=') else { break };
        if key.contains(": ") {
            break;
        }
        pairs.push((key, value.trim()));
    }
    pairs
}

/// A quantity as people write it: `792.2` for `792200m`.
fn plain(text: &str) -> String {
    let milli = text.strip_suffix('m').and_then(|digits| digits.parse::<u64>().ok());
    let is_quantity = Quantity::parse(text).is_ok();
    match milli.filter(|_| is_quantity) {
        Some(milli) if milli >= 1000 => {
            let rest = format!("{:03}", milli % 1000);
            let rest = rest.trim_end_matches('0');
            let whole = milli / 1000;
            if rest.is_empty() { whole.to_string() } else { format!("{whole}.{rest}") }
        }
        _ => text.to_owned(),
    }
}

/// The beginning of a text.
fn brief(text: &str) -> String {
    const BRIEF: usize = 200;
    words::beginning(text.trim(), BRIEF)
}

#[cfg(test)]
mod tests {
    use super::{Refusal, RefusalKind, fits};
    use engine::cluster::build::Builder;
    use engine::cluster::{Cluster, Sym};
    use engine::decode::decode;
    use serde_json::json;

    #[test]
    fn quota_and_limit_range_as_they_are_now_count_more_than_the_message() {
        let quota = |used: &str| {
            json!({"apiVersion": "v1", "kind": "ResourceQuota",
                "metadata": {"name": "team", "namespace": "shop"},
                "spec": {"hard": {"requests.cpu": "800"}},
                "status": {"hard": {"requests.cpu": "900"}, "used": {"requests.cpu": used}}})
        };
        let range = json!({"apiVersion": "v1", "kind": "LimitRange",
            "metadata": {"name": "small", "namespace": "shop"},
            "spec": {"limits": [{"type": "Container", "max": {"cpu": "2"}}]}});
        let message = "pods \"x\" is forbidden: exceeded quota: team, requested: requests.cpu=8500m, \
                       used: requests.cpu=792200m, limited: requests.cpu=800";
        let too_big = "pods \"x\" is forbidden: [maximum cpu usage per Container is 2, but limit is 4, \
                       maximum memory usage per Pod is 1Gi, but limit is 2Gi]";
        for (used, message, clause) in [
            (
                "895",
                message,
                "ResourceQuota team refuses them: requests.cpu: 895 of 900 used, 8.5 asked",
            ),
            (
                "100500m",
                message,
                "ResourceQuota team refuses them: requests.cpu: 100.5 of 900 used, 8.5 asked; it has room by \
                 now, for the controller's next attempt",
            ),
            (
                "0",
                too_big,
                "LimitRange small refuses them: maximum cpu usage per Container is 2, but limit is 4, maximum \
                 memory usage per Pod is 1Gi, but limit is 2Gi",
            ),
        ] {
            let list = json!({"apiVersion": "v1", "kind": "List", "items": [quota(used), range]});
            let mut builder = Builder::new();
            decode(&list.to_string(), "test", &mut builder).unwrap();
            let cluster = builder.finish();
            let namespace = cluster.symbols.get("shop").unwrap();
            assert_eq!(Refusal::of(message, &cluster, namespace).clause(), clause, "{used}");
        }
    }

    #[test]
    fn amounts_of_quotas_are_compared_exactly() {
        let limit = "9007199254740992";
        assert!(!fits(limit, "1", limit));
        assert!(fits(limit, "0", limit));
        assert!(fits("899999999999n", "1n", "900"));
        assert!(!fits("900", "1n", "900"));
    }

    #[test]
    fn message_of_each_admission_plugin_gives_its_kind_name_and_values() {
        let cluster = Cluster::default();
        for (message, kind, clause) in [
            (
                "pods \"x\" is forbidden: exceeded quota: team, requested: requests.cpu=8500m,pods=1, used: \
                 requests.cpu=792200m,pods=9, limited: requests.cpu=800,pods=9",
                RefusalKind::Quota,
                "ResourceQuota team refuses them: requests.cpu: 792.2 of 800 used, 8.5 asked; pods: 9 of 9 used, 1 asked",
            ),
            (
                "pods \"x\" is forbidden: failed quota: team: must specify limits.cpu for: c; requests.cpu for: c",
                RefusalKind::Quota,
                "ResourceQuota team refuses them: must specify limits.cpu for: c; requests.cpu for: c",
            ),
            (
                "pods \"x\" is forbidden: maximum cpu usage per Container is 2, but limit is 4",
                RefusalKind::LimitRange,
                "a LimitRange refuses them: maximum cpu usage per Container is 2, but limit is 4",
            ),
            (
                "pods \"x\" is forbidden: violates PodSecurity \"restricted:latest\": runAsNonRoot != true",
                RefusalKind::PodSecurity,
                "PodSecurity restricted:latest refuses them: runAsNonRoot != true",
            ),
            (
                "admission webhook \"validate.kyverno.svc-fail\" denied the request: no latest tags",
                RefusalKind::Webhook,
                "admission webhook validate.kyverno.svc-fail refuses them: no latest tags",
            ),
            (
                "Internal error occurred: failed calling webhook \"inject.io\": failed to call webhook: Post \
                 \"https://x\": context deadline exceeded",
                RefusalKind::WebhookUnreachable,
                "admission webhook inject.io does not answer: failed to call webhook: Post \"https://x\": context \
                 deadline exceeded",
            ),
            (
                "pods \"x-\" is forbidden: error looking up service account shop/web: serviceaccount \"web\" not found",
                RefusalKind::ServiceAccount,
                "ServiceAccount web does not exist",
            ),
            (
                "pods \"x-\" is forbidden: no PriorityClass with name high was found",
                RefusalKind::PriorityClass,
                "PriorityClass high does not exist",
            ),
            ("etcd is slow", RefusalKind::Other, "they cannot be created: etcd is slow"),
        ] {
            let refusal = Refusal::of(message, &cluster, Sym::EMPTY);
            assert_eq!((refusal.kind, refusal.clause().as_str()), (kind, clause), "{message}");
        }
    }
}
