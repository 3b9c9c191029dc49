//! The answer about groups as one page for the browser, without scripts.

use engine::groups::answer::GroupAnswer;
use engine::groups::made::MadeOf;

use super::{body, made};
use crate::escape::html as escaped;
use crate::html::{document, inline};
use crate::page::Page;
use crate::safe::Printable;
use answers::headline::rules_in_short;
use answers::origin::Origin;
use answers::pod_group as words;

pub fn page(answers: &[GroupAnswer], workloads: &[MadeOf], origin: &Origin) -> Printable {
    let title = match answers {
        [one] => words::name(&one.summary(), one.view()),
        several => format!("{} pod groups", several.len()),
    };
    let mut out = "<main>\n".to_owned();
    for answer in answers {
        let doubt = if answer.is_unsure() { " This is not certain: see the notes." } else { "" };
        let sentence = words::sentence_of(answer);
        let rules = origin.line(&rules_in_short(answer.view().profile));
        out.push_str(&format!(
            "<section>\n<h1>{}.{doubt}</h1>\n<p class=\"quiet\">{}</p>\n",
            escaped(&sentence),
            escaped(&rules)
        ));
        out.push_str(&body(answer, true).html());
        out.push_str("</section>\n");
    }
    for workload in workloads {
        let mut page = Page::default();
        made::add(&mut page, workload);
        out.push_str(&format!("<section>\n{}</section>\n", page.html()));
    }
    out.push_str("</main>\n");
    Printable::new(document(&title, inline::POD_GROUPS, None, &out))
}
