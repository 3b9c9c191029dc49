//! The report as text: the verdict, working and missing abilities, the connection and the next
//! actions.

use crate::page::{Page, Sign, Span, Tone};
use answers::doctor::access::{AccessDecision, Identity, ServerHealth};
use answers::doctor::requirement::{Ability, Role};
use answers::doctor::{
    Availability, ClusterReport, ConnectionInfo, DoctorReport, MissingRole, PermissionFinding,
};
use answers::words;

/// Maximum number of permissions in a row.
const NAMED: usize = 3;
/// Maximum number of the user's groups.
const GROUPS_NAMED: usize = 6;

/// The page about a report; `wide` shows every permission and every missing role.
pub fn page(report: &DoctorReport, wide: bool) -> Page {
    let mut page = Page::default();
    let (sign, tone) =
        if report.is_well() { (Sign::Yes, Tone::Good) } else { (Sign::Costs, Tone::Bad) };
    page.line(0, vec![Span::signed(sign, "", tone), Span::new(report.verdict(), Tone::Strong)]);
    if let Ok(cluster) = &report.cluster {
        abilities(&mut page, cluster);
        permissions(&mut page, cluster, wide);
        missing_roles(
            &mut page,
            &cluster.missing_roles(report.connection.namespace.as_deref()),
            wide,
        );
    }
    connection(&mut page, report);
    let hints = report.hints();
    if !hints.is_empty() {
        heading(&mut page, "What to do");
        hints.into_iter().for_each(|hint| page.line(2, vec!["- ".into(), hint.into()]));
    }
    page
}

fn heading(page: &mut Page, text: &str) {
    page.gap();
    page.heading(text);
}

fn abilities(page: &mut Page, cluster: &ClusterReport) {
    heading(page, "What works");
    let rows = Ability::ALL.map(|ability| {
        let availability = cluster.availability(ability);
        let tone = match availability {
            Availability::Works => Tone::Good,
            Availability::Partly | Availability::Unknown | Availability::No => Tone::Bad,
        };
        vec![
            ability.commands().into(),
            Span::new(availability.text(), tone),
            cluster.why(ability).unwrap_or_else(|| "-".to_owned()).into(),
        ]
    });
    page.table(2, vec!["COMMAND", "WORKS", "WHY"], rows.into());
}

fn permissions(page: &mut Page, cluster: &ClusterReport, wide: bool) {
    let findings = cluster.findings();
    let shown: Vec<&PermissionFinding> = findings
        .iter()
        .filter(|f| {
            wide || f.is_met() != Some(true)
                && [Ability::Read, Ability::Evict].contains(&f.requirement.ability)
        })
        .collect();
    if !shown.is_empty() {
        heading(page, if wide { "Permissions" } else { "What is missing" });
        page.table(
            2,
            vec!["PERMISSION", "ANSWER", "WITHOUT IT"],
            shown.into_iter().map(row).collect(),
        );
    }
    let absent = cluster.not_served();
    if !absent.is_empty() && !wide {
        page.gap();
        let text = format!(
            "Not served by this cluster, and not needed: {}",
            words::list(&absent, usize::MAX)
        );
        page.line(0, vec![Span::new(text, Tone::Quiet)]);
    }
}

fn row(finding: &PermissionFinding) -> Vec<Span> {
    let met = finding.is_met() == Some(true);
    let tone = if met { Tone::Plain } else { Tone::Bad };
    let what = match (finding.answer, finding.answer.reason()) {
        _ if finding.is_absent() => "not needed: the server does not serve it".to_owned(),
        (_, "") => finding.requirement.without.to_owned(),
        (AccessDecision::Allowed(_), reason) => reason.to_owned(),
        (_, reason) => format!("{} ({reason})", finding.requirement.without),
    };
    vec![
        finding.requirement.permission.to_string().into(),
        Span::new(finding.answer.text(), tone),
        what.into(),
    ]
}

/// The roles for reading and evicting; with `wide`, the roles for the less used flags as well.
fn missing_roles(page: &mut Page, missing_roles: &[MissingRole], wide: bool) {
    let shown: Vec<&MissingRole> = missing_roles
        .iter()
        .filter(|missing| wide || [Role::Reader, Role::Applier].contains(&missing.role))
        .collect();
    if shown.is_empty() {
        return;
    }
    heading(page, "To grant this, an administrator runs:");
    for missing in shown {
        page.gap();
        page.verbatim(&format!(
            "kubectl apply -f - <<'EOF'\n{}EOF\n{}",
            missing.yaml(),
            missing.binding
        ));
    }
}

fn connection(page: &mut Page, report: &DoctorReport) {
    heading(page, "Where");
    let mut rows: Vec<(&'static str, String)> =
        vec![("kubectl-preempt", report.version.to_owned())];
    let ConnectionInfo { kubeconfig, context, server, proxy, user, acting_as, namespace: _ } =
        &report.connection;
    if !kubeconfig.is_empty() {
        rows.push(("kubeconfig", kubeconfig.join(", ")));
    }
    rows.push(("context", context.clone().unwrap_or_else(|| "none".to_owned())));
    rows.push(("server", server.clone()));
    rows.extend(proxy.clone().map(|proxy| ("proxy", proxy)));
    let acting = acting_as.as_ref().map_or_else(String::new, |name| format!(", acting as {name}"));
    rows.push(("user", format!("{}{acting}", user.as_deref().unwrap_or("none named"))));
    if let Ok(cluster) = &report.cluster {
        rows.extend(cluster_rows(cluster));
    }
    let rows = rows.into_iter().map(|(name, text)| vec![name.into(), text.into()]).collect();
    page.table(2, [""], rows);
}

fn cluster_rows(cluster: &ClusterReport) -> [(&'static str, String); 4] {
    let identity = match &cluster.identity {
        Identity::Known { user, groups, .. } if groups.is_empty() => user.clone(),
        Identity::Known { user, groups, .. } => {
            format!("{user}, in {}", words::list(groups, GROUPS_NAMED))
        }
        Identity::Unknown(why) => format!("unknown: {why}"),
    };
    let health = match &cluster.health {
        ServerHealth::Ready => format!("ready, answered in {} ms", cluster.millis),
        ServerHealth::NotReady(checks) => format!("not ready: {}", words::list(checks, NAMED)),
        ServerHealth::Unknown(why) => format!("unknown: {why}"),
    };
    let mut rules = format!("of kube-scheduler {}", cluster.rules.minor);
    if !cluster.rules.remark.is_empty() {
        rules.push_str(&format!(" ({})", cluster.rules.remark));
    }
    [
        ("to the server", identity),
        ("health", health),
        ("version", cluster.version.clone().unwrap_or_else(|| "unknown".to_owned())),
        ("rules", rules),
    ]
}
