//! No text from a cluster can leave its place in the output.

use super::{csv, dot, html, markdown, markdown_code, script_json, visible};
use crate::page::is_hostile;

#[test]
fn each_format_escapes_in_its_own_syntax() {
    for (escaped, expected) in [
        (
            html("<img src=x onerror='a()'>&\""),
            "&#60;img src=x onerror=&#39;a()&#39;&#62;&#38;&#34;",
        ),
        (script_json("\"</script><!--&\""), "\"\\u003c/script\\u003e\\u003c!--\\u0026\""),
        (csv("=cmd()"), "'=cmd()"),
        (csv("＝cmd()"), "'＝cmd()"),
        (csv("＋1"), "'＋1"),
        (csv("－1"), "'－1"),
        (csv("＠x"), "'＠x"),
        (csv("a,\"b"), "a,\"b"),
        (csv("\tx"), "'\\u{9}x"),
        (dot("a\"b\\N"), "a\\\"b\\\\N"),
        (markdown("a|b"), "a&#124;b"),
        (markdown("@team a@b.c"), "@<!-- -->team a@<!-- -->b.c"),
        (markdown("#12 o/r#3 GH-4"), "#<!-- -->12 o/r#<!-- -->3 GH-<!-- -->4"),
        (
            markdown("https://x.y/z www.x.y :boom: b: c"),
            "https:<!-- -->//x.y/z www.<!-- -->x.y :<!-- -->boom: b: c",
        ),
        (
            markdown("<b>*x* _y_ `z` [l](u) ![i]"),
            "&#60;b&#62;\\*x\\* \\_y\\_ \\`z\\` \\[l\\](u) \\!\\[i\\]",
        ),
        (markdown("12. x"), "12\\. x"),
        (markdown("- item"), "\\- item"),
        (markdown_code("a`b|c"), "``a`b\\|c``"),
        (markdown_code("`"), "`` ` ``"),
        (markdown_code(""), "`  `"),
        (visible("a\u{1b}\n"), "a\\u{1b}\\u{a}"),
    ] {
        assert_eq!(escaped, expected);
    }
}

#[test]
fn escaped_text_has_no_control_characters() {
    let text: String = (0..=0x3001)
        .chain(0xdfff..=0xe001)
        .chain(0xfdcf..=0x10001)
        .chain(0xe0000..=0xe0080)
        .chain(0xefffe..=0xf0001)
        .filter_map(char::from_u32)
        .collect();
    for escape in [visible, html, script_json, markdown, markdown_code, csv, dot] {
        assert_eq!(escape(&text).chars().find(|c| is_hostile(*c)), None);
    }
}

#[test]
fn names_with_hyphens_do_not_break() {
    let text = super::html_names("evicts team/web-1 and <b> - on n1");
    assert_eq!(text, "evicts <span class=\"name\">team/web-1</span> and &#60;b&#62; - on n1");
}
