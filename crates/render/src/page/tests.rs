use super::span::{BAD, GOOD};
use super::{Column, Page, Paper, Sign, Span, Tone};
use answers::extent::Extent;
use answers::node_name::NodeNames;
use testing::{cluster, node, objects};

const PLAIN: Paper = Paper::PLAIN;

#[test]
fn lines_wrap_with_their_indent() {
    let mut page = Page::default();
    page.line(2, vec!["one two three four five six seven eight nine ten eleven".into()]);
    let text = page.print(Paper { width: Some(40), ..PLAIN });
    assert_eq!(&*text, "  one two three four five six seven\n    eight nine ten eleven\n");
}

#[test]
fn tables_are_aligned_and_bare() {
    let mut page = Page::default();
    page.table(
        2,
        vec!["NODE", "VICTIMS"],
        vec![
            vec!["n1".into(), "3".into()],
            vec![Span::new("a-long-node", Tone::Good), "10".into()],
        ],
    );
    assert_eq!(
        &*page.print(PLAIN),
        "  NODE         VICTIMS\n  n1           3\n  a-long-node  10\n"
    );
}

#[test]
fn prose_does_not_break_inside_a_name() {
    let mut page = Page::default();
    page.line(
        0,
        vec![
            "kube-scheduler will evict three pods on ip-10-0-0-43.eu-central-1.compute.internal"
                .into(),
        ],
    );
    let text = page.print(Paper { width: Some(60), ..PLAIN });
    assert_eq!(
        &*text,
        "kube-scheduler will evict three pods on\n  ip-10-0-0-43.eu-central-1.compute.internal\n"
    );
}

#[test]
fn cells_never_wrap() {
    let mut page = Page::default();
    let columns = [
        Column::new("POD"),
        Column::new("OWNER").names(12).dropped(1),
        Column::new("WHY").prose(12),
    ];
    let row = [
        "reports/sales-xw7vn",
        "Job/sales-of-the-day-29670480",
        "a PodDisruptionBudget is violated",
    ];
    page.table(4, columns, vec![row.map(Span::from).into()]);
    let lines =
        |width| page.print(Paper { width, ..PLAIN }).lines().nth(1).map(str::to_owned).unwrap();
    assert_eq!(
        lines(Some(80)),
        "    reports/sales-xw7vn  Job/sales-of-…-day-29670480  a PodDisruptionBudget is…"
    );
    assert_eq!(lines(Some(50)), "    reports/sales-xw7vn  a PodDisruptionBudget is…");
    assert_eq!(lines(Some(40)), "    reports/sales-xw7vn  a PodDisruptio…");
    let whole = lines(None);
    assert!(row.iter().all(|cell| whole.contains(cell)), "{whole}");
}

#[test]
fn a_table_that_is_to_be_whole_is_never_cut() {
    let mut page = Page::default();
    let columns = [Column::new("NAME").names(8), Column::new("WHY").prose(8).dropped(1)];
    page.table(
        0,
        columns,
        vec![
            ["a-name-of-thirty-six-columns-in-full", "not enough cpu on any node"]
                .map(Span::from)
                .into(),
        ],
    );
    let whole = page.print(Paper { width: Some(40), whole: true, ..PLAIN });
    assert_eq!(*whole, *page.print(PLAIN));
}

#[test]
fn an_item_is_one_line() {
    let mut page = Page::default();
    page.item(
        2,
        vec![
            Span::new("28  ", Tone::Strong),
            "cpu: requests 3, at most 90m is free on any node".into(),
        ],
    );
    assert_eq!(
        &*page.print(Paper { width: Some(40), ..PLAIN }),
        "  28  cpu: requests 3, at most 90m is f…\n"
    );
    assert_eq!(&*page.print(PLAIN), "  28  cpu: requests 3, at most 90m is free on any node\n");
}

#[test]
fn choices_that_do_not_fit_are_left_out() {
    let mut page = Page::default();
    page.choices(
        "More: ".into(),
        vec!["-o wide".into(), "a command that is far too long for this".into(), "rules".into()],
    );
    assert_eq!(&*page.print(Paper { width: Some(40), ..PLAIN }), "More: -o wide | rules\n");
    assert_eq!(
        &*page.print(PLAIN),
        "More: -o wide | a command that is far too long for this | rules\n"
    );
}

#[test]
fn columns_that_are_not_shown_are_named_below_the_table() {
    let table = |elsewhere| {
        let mut page = Page::default();
        let columns =
            [Column::new("NAME"), Column::new("AGE").dropped(1), Column::new("ON").dropped(2)];
        page.table_also(
            0,
            columns,
            vec![vec!["a-name-of-thirty-six-columns-in-full".into(), "7m".into(), "n1".into()]],
            elsewhere,
        );
        page.print(Paper { width: Some(40), ..PLAIN }).to_string()
    };
    assert!(
        table("-o wide").ends_with("full\nHidden: AGE, ON (-o wide)\n"),
        "{}",
        table("-o wide")
    );
    assert!(table("").ends_with("full\n"));
}

#[test]
fn links_are_for_terminals_that_have_them() {
    let mut page = Page::default();
    page.line(
        0,
        vec![
            Span::new("PRE-201", Tone::Plain).linked("https://x/#a"),
            Span::from(".").linked("https://x/\u{1b}"),
        ],
    );
    assert_eq!(&*page.print(PLAIN), "PRE-201.\n");
    let linked = page.print(Paper { links: true, width: Some(40), ..PLAIN });
    assert_eq!(&*linked, "\u{1b}]8;;https://x/#a\u{1b}\\PRE-201\u{1b}]8;;\u{1b}\\.\n");
}

#[test]
fn colour_changes_nothing_but_colour() {
    let mut page = Page::default();
    page.heading("Verdict");
    page.line(2, vec!["it ".into(), Span::new("fits ", Tone::Good), "here".into()]);
    page.table(
        0,
        vec!["NODE", "N"],
        vec![vec![Span::new("n1", Tone::Good), Span::new("1", Tone::Bad)]],
    );
    let painted = page.print(Paper { color: true, ..PLAIN });
    assert!(painted.contains("\u{1b}["));
    let mut bare = String::new();
    let mut rest = &*painted;
    while let Some(at) = rest.find('\u{1b}') {
        bare.push_str(&rest[..at]);
        rest = &rest[at + rest[at..].find('m').unwrap() + 1..];
    }
    bare.push_str(rest);
    let trimmed: Vec<&str> = bare.lines().map(str::trim_end).collect();
    assert_eq!(trimmed, page.print(PLAIN).lines().collect::<Vec<_>>());
}

/// Relative luminance of a colour of the 6x6x6 cube, as WCAG counts it.
fn luminance(color: u8) -> f64 {
    let levels = [0.0, 95.0, 135.0, 175.0, 215.0, 255.0];
    let part = |value: u8| {
        let part: f64 = levels[usize::from(value)] / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    let at = color - 16;
    0.2126 * part(at / 36) + 0.7152 * part(at / 6 % 6) + 0.0722 * part(at % 6)
}

/// Bold text needs a contrast of 3 (WCAG 2.2, 1.4.3, large text).
#[test]
fn colours_can_be_read_on_dark_and_on_light() {
    for color in [GOOD, BAD] {
        let (on_black, on_white) =
            ((luminance(color) + 0.05) / 0.05, 1.05 / (luminance(color) + 0.05));
        assert!(
            on_black > 3.5 && on_white > 3.5,
            "{color}: {on_black} on black, {on_white} on white"
        );
    }
}

#[test]
fn no_shade_of_the_theme_is_used() {
    let mut page = Page::default();
    for tone in [Tone::Plain, Tone::Strong, Tone::Good, Tone::Bad, Tone::Quiet] {
        page.line(0, vec![Span::new("word", tone)]);
        page.table(0, vec!["WORD"], vec![vec![Span::new("word", tone)]]);
    }
    let painted = page.print(Paper { color: true, ..PLAIN });
    let codes = painted
        .split('\u{1b}')
        .skip(1)
        .map(|rest| rest.split_once('m').unwrap().0.trim_start_matches('['));
    for code in codes {
        // Bold, dim, their end, and the two colours: neither grey, black nor white.
        let known = ["0", "1", "2", "38;5;32;1", "38;5;166;1"];
        assert!(known.contains(&code), "{code}");
    }
}

#[test]
fn signs_have_stand_ins() {
    let mut page = Page::default();
    page.line(0, vec![Span::signed(Sign::Yes, "fïts…", Tone::Good)]);
    page.table(0, [""], vec![vec![Span::signed(Sign::LastBranch, "ünder", Tone::Plain)]]);
    for (ascii, drawing, text) in [
        (false, false, "✓ fïts…\n  ünder\n"),
        (false, true, "✓ fïts…\n└─ ünder\n"),
        (true, false, "+ f\\u{ef}ts...\n  \\u{fc}nder\n"),
        (true, true, "+ f\\u{ef}ts...\n`- \\u{fc}nder\n"),
    ] {
        assert_eq!(&*page.print(Paper { ascii, drawing, ..PLAIN }), text);
    }
}

/// A report of a list with notes below it.
fn listed(extent: Extent) -> Page {
    let mut page = Page::default();
    page.verdict((Sign::Yes, Tone::Good), "all is well");
    page.section("Rows");
    let shown = extent.shown(30);
    page.table(2, ["N"], (0..shown).map(|row| vec![row.to_string().into()]).collect());
    page.left_out(2, 30 - shown, "row");
    page.section("Commands");
    page.verbatim("kubectl get nodes\nkubectl get pods");
    page.notes_follow();
    page.section("Notes");
    page.line(2, vec!["a note".into()]);
    page
}

#[test]
fn a_page_fits_the_screen_and_says_how_much_it_leaves_out() {
    let paper = Paper { width: Some(80), ..PLAIN };
    for (lines, rows, last) in [
        (40, 20, "  a note"),
        // The notes go before a row does.
        (30, 20, "  and 3 more lines: -o wide"),
        (24, 12, "  a note"),
        (12, 3, "  and 4 more lines: -o wide"),
        // What is to be copied is whole or not there, and so is a heading.
        (10, 3, "  and 7 more lines: -o wide"),
        (4, 0, "  and 14 more lines: -o wide"),
    ] {
        let text = Page::print_fitted(&listed, paper, lines, "-o wide").to_string();
        let numbers = text.lines().filter(|line| line.trim().parse::<usize>().is_ok()).count();
        assert!(text.lines().count() <= lines, "{lines}:\n{text}");
        assert!(text.starts_with("✓ all is well\n"), "{lines}:\n{text}");
        assert_eq!((numbers, text.lines().last()), (rows, Some(last)), "{lines}:\n{text}");
    }
}

#[test]
fn names_of_nodes_are_short_but_on_paper_for_everything() {
    let objects = objects![node("ip-1.eu.internal"), node("ip-2.eu.internal")];
    let nodes = NodeNames::of(&cluster(objects));
    let mut page = Page::default();
    page.verdict((Sign::Yes, Tone::Good), "fits on ip-1.eu.internal");
    page.based_on_text(2, "Rules: 1.37", &nodes);
    page.line(2, vec!["kubectl drain ip-1.eu.internal".into()]);
    let rows = vec![vec!["ip-2.eu.internal".into()]];
    page.table(2, [Column::new("NODE").nodes(8)], rows);
    assert_eq!(
        &*page.print(PLAIN),
        "✓ fits on ip-1\n  Rules: 1.37   Nodes: *.eu.internal\n  kubectl drain ip-1.eu.internal\n  NODE\n  ip-2\n"
    );
    let whole = page.print(Paper { whole: true, ..PLAIN });
    assert!(whole.contains("fits on ip-1.eu.internal\n  Rules: 1.37\n"), "{}", &*whole);
}
