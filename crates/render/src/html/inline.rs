//! The styles and scripts in the pages, each with the hash by which the page's
//! Content-Security-Policy allows it. They are known in advance, so nothing is hashed when a page
//! is written; the test says what to write here when one has changed.

/// A style or a script.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inline {
    pub text: &'static str,
    /// `sha256-` and the hash in Base64, as browsers compute it.
    pub hash: &'static str,
}

/// The style of the page of decisions.
pub(crate) const DECISIONS: Inline = Inline {
    text: include_str!("page.css"),
    hash: "sha256-AT0czEThZg5z+Cv1kn6lZ29Y7g5oareCm5yYeFJFldk=",
};

/// The script of the page of decisions.
pub(crate) const EXPLORER: Inline = Inline {
    text: concat!(include_str!("explorer.js"), include_str!("page.js")),
    hash: "sha256-q7+F2AJ6qKPk8+LRIy+TpxPCFWXMsoe/Mr+tNFXI91o=",
};

/// The style of the page of headroom.
pub(crate) const HEADROOM: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;margin:1rem 0}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}caption{text-align:left;padding:.5rem 0;font-weight:600}\
.map{display:flex;flex-wrap:wrap;gap:2px;margin:1rem 0;padding:0;list-style:none}\
.map li{min-width:2.2rem;padding:.1rem .3rem;text-align:center;border:1px solid #8888;font-size:.75rem}\
.h0{background:repeating-linear-gradient(45deg,#8883 0 2px,transparent 2px 6px)}\
.h1{background:#0087d733}.h2{background:#0087d766}.h3{background:#0087d799}.h4{background:#0087d7cc}.h5{background:#0087d7;color:#fff}",
    hash: "sha256-DzW+IwW/MN/sERGbwW5FKRFM3IXjlIbQOqF84xQykrg=",
};

/// The style of the page of pod groups.
pub(crate) const POD_GROUPS: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}h1{font-size:1.3rem}.bad{font-weight:600}.quiet{opacity:.8}",
    hash: "sha256-S7RAXmHwhmjS60RM4UuTH0gCcn8m9wSDJdHH+nIvlpI=",
};

/// The style of the page of running pods at risk.
pub(crate) const RISK: Inline = Inline {
    text: "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:75rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8885}\
th{font-weight:600}caption{text-align:left;padding:.5rem 0}",
    hash: "sha256-eIM+pfqVYwCdvp7Eg4awa2/GbQhhZBJaFez2hKuguD8=",
};

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;
    use sha2::{Digest as _, Sha256};

    use super::{DECISIONS, EXPLORER, HEADROOM, POD_GROUPS, RISK};

    #[test]
    fn hashes_are_what_browsers_compute() {
        for inline in [DECISIONS, EXPLORER, HEADROOM, POD_GROUPS, RISK] {
            let hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(inline.text)));
            let start: String = inline.text.chars().take(60).collect();
            assert_eq!(inline.hash, hash, "of what begins with {start:?}");
        }
    }
}
