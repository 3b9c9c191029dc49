use crate::page::{Column, Page, Sign, Span, Tone};

#[test]
fn blocks_become_elements_and_texts_are_escaped() {
    let mut page = Page::default();
    page.gap();
    page.title(vec![Span::new("Why <b>", Tone::Strong), " (2)".into()]);
    let code = Span::new("PRE-201", Tone::Quiet).linked("https://example.com/?a=1&b=2");
    page.table(
        2,
        vec![Column::default(), Column::default()],
        vec![vec!["cpu & memory".into(), code]],
    );
    page.left_out(2, "8 more nodes");
    page.item(2, vec![Span::signed(Sign::Costs, "\u{1b}[31mred", Tone::Bad)]);
    assert_eq!(
        page.html(),
        "<h2><strong>Why &#60;b&#62;</strong> (2)</h2>\n\
         <table>\n<tbody>\n<tr><td>cpu &#38; memory</td>\
         <td><span class=\"quiet\"><a href=\"https://example.com/?a=1&#38;b=2\"><span class=\"name\">PRE-201</span></a></span></td></tr>\n</tbody></table>\n\
         <p class=\"quiet\">and 8 more nodes, below</p>\n\
         <p><strong class=\"bad\">! \\u{1b}[31mred</strong></p>\n"
    );
}
