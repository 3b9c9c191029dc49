//! What is checked, each on a page of its own.

use std::sync::{Arc, Mutex};
use std::time::Instant;

use libtest_mimic::Trial;
use serde_json::{Value, json};
use testing::share;

use crate::browser::Browser;
use crate::pages;

type Check = fn(&mut Browser);

const CHECKS: &[(&str, Check)] = &[
    ("asks nobody for anything and complains about nothing", quiet),
    ("the matrix shows which filters refuse, also those behind the first", matrix),
    ("search, cause and candidates narrow the nodes", narrowing),
    ("everything can be done with the keyboard", keyboard),
    ("one pod of several is looked at at a time", several),
    ("light and dark can both be read", colours),
    ("what a part of a picture says is shown where it is pointed at, and by arrow keys", picture),
    ("every command has a page in the same style", reports),
    ("it opens with the answer of the terminal, on one screen of a laptop", answer_first),
    ("nothing is cut off on a phone or a laptop", nothing_cut_off),
    ("on paper all nodes stand, and no tools", print),
    ("without JavaScript the answer is there", without_script),
    ("what a cluster says stays text", hostile),
    ("thousands of nodes are small, painted at once and searched without waiting", large),
];

/// The checks. They share a browser, whose start takes longer than most of them; each has a page of
/// its own.
pub fn all(program: &str) -> Vec<Trial> {
    let shared: Arc<Mutex<Option<Browser>>> = Arc::default();
    let trial = |(name, check): &(&str, Check)| {
        let (program, check, shared) = (program.to_owned(), *check, Arc::clone(&shared));
        Trial::test(*name, move || {
            let mut browser = shared.lock().unwrap_or_else(|failed| {
                // A check that failed leaves nothing behind: the next one has another browser.
                shared.clear_poison();
                let mut browser = failed.into_inner();
                *browser = None;
                browser
            });
            if let Some(browser) = browser.as_mut() {
                browser.renew();
            }
            check(browser.get_or_insert_with(|| Browser::start(&program)));
            Ok(())
        })
    };
    CHECKS.iter().map(trial).collect()
}

fn quiet(browser: &mut Browser) {
    browser.open(&pages::example());
    assert_eq!(browser.disturbances(), Vec::<String>::new());
    let title = browser.eval("document.title");
    assert!(title.as_str().unwrap().starts_with("Preempt: shop/web-"), "{title}");
}

/// The words of every cell of a node's row.
fn row(browser: &mut Browser, node: &str) -> Vec<String> {
    let script = format!(
        "[...document.querySelectorAll('.body .row')].filter((r) => r.firstChild.textContent === {node:?})
            .flatMap((r) => [...r.children].slice(1).map((c) => c.getAttribute('aria-label') || c.textContent))"
    );
    let cells = browser.eval(&script);
    cells.as_array().unwrap().iter().map(|cell| cell.as_str().unwrap().to_owned()).collect()
}

fn matrix(browser: &mut Browser) {
    browser.open(&pages::example());
    let cells = row(browser, "gpu-1");
    assert!(cells.contains(&"NodeUnschedulable: passed".to_owned()), "{cells:?}");
    assert!(cells.contains(&"TaintToleration: rejects".to_owned()), "{cells:?}");
    assert!(cells.iter().all(|cell| !cell.contains("not reached")), "{cells:?}");
    assert!(cells.contains(&"NodeResourcesFit: passed".to_owned()), "{cells:?}");
    assert_eq!(cells.last().unwrap(), "not helpful");
    assert!(browser.eval(SKEW).as_f64().unwrap() < 1.0, "every cell stands below its plugin");
    let winner = row(browser, "worker-3");
    assert!(winner.contains(&"NodeResourcesFit: rejects".to_owned()), "{winner:?}");
    assert_eq!(winner.last().unwrap(), "★ wins: evicts 2 pods");
    assert_eq!(
        browser.eval("document.querySelector('.body .row').firstChild.textContent"),
        "worker-3"
    );
}

/// How far, in pixels, the cells of the first row stand from what heads them, at most.
const SKEW: &str = "(() => {
  const middle = (e) => { const r = e.getBoundingClientRect(); return r.left + r.width / 2; };
  const [heads, cells] = ['.head', '.body .row'].map((row) => [...document.querySelector(row).children].slice(0, -1).map(middle));
  return Math.max(...heads.map((x, i) => Math.abs(x - cells[i])));
})()";

fn nodes(browser: &mut Browser) -> Value {
    browser.frame();
    browser.eval(
        "[...document.querySelectorAll('.body .row')].map((r) => r.firstChild.textContent).sort()",
    )
}

fn narrowing(browser: &mut Browser) {
    browser.open(&pages::example());
    let all = json!(["edge-1", "gpu-1", "worker-1", "worker-2", "worker-3"]);
    assert_eq!(nodes(browser), all);
    browser.eval("document.querySelector('input[type=search]').focus()");
    browser.type_text("taint");
    assert_eq!(nodes(browser), json!(["gpu-1"]), "by reason");
    browser.press("Escape");
    assert_eq!(nodes(browser), all);
    browser.type_text("CART");
    assert_eq!(nodes(browser), json!(["worker-1"]), "by victim");
    browser.press("Escape");
    browser.eval("document.querySelector('input[type=checkbox]').click()");
    assert_eq!(nodes(browser), json!(["worker-1", "worker-2", "worker-3"]));
    browser.eval("document.querySelector('input[type=checkbox]').click()");
    browser.eval(
        "{ const s = document.querySelector('.tools select'); s.value = '1'; s.dispatchEvent(new Event('change')); }",
    );
    assert_eq!(nodes(browser), json!(["edge-1"]), "by cause");
    assert_eq!(browser.eval("document.querySelector('[role=status]').textContent"), "1 of 5 nodes");
}

fn keyboard(browser: &mut Browser) {
    browser.open(&pages::example());
    browser.press("/");
    assert_eq!(browser.eval("document.activeElement.type"), "search");
    browser.type_text("worker");
    browser.press("ArrowDown");
    assert_eq!(browser.eval("document.activeElement.getAttribute('role')"), "grid");
    let active = |browser: &mut Browser| {
        browser.eval("document.querySelector('.row.active')?.firstChild.textContent ?? null")
    };
    assert_eq!(active(browser), "worker-3");
    browser.press("ArrowDown");
    assert_eq!(active(browser), "worker-2");
    browser.press("End");
    assert_eq!(active(browser), "worker-1");
    let told = browser.eval("document.getElementById(document.querySelector('.grid').getAttribute('aria-activedescendant')).firstChild.textContent");
    assert_eq!(told, "worker-1", "for those who do not see it");
    browser.press("Enter");
    let detail = browser.eval("document.querySelector('.detail').innerText");
    let detail = detail.as_str().unwrap();
    for text in [
        "worker-1",
        "Insufficient cpu (cpu: requests 2, 3700m of 4 already requested)",
        "evicts 2 pods",
        "violates cart (allows 0)",
    ] {
        assert!(detail.contains(text), "{text}: {detail}");
    }
    browser.press("Escape");
    assert_eq!(browser.eval("document.querySelector('.detail').hidden"), true);
    browser.press("Home");
    assert_eq!(active(browser), "worker-3");
}

fn several(browser: &mut Browser) {
    browser.open(&pages::several());
    let shown =
        "[...document.querySelectorAll('section.pod')].filter((s) => !s.hidden).map((s) => s.id)";
    assert_eq!(browser.eval(shown), json!(["pod-0"]));
    let options =
        browser.eval("document.getElementById('picker').options.length").as_u64().unwrap();
    assert_eq!(
        options,
        browser.eval("document.querySelectorAll('section.pod').length").as_u64().unwrap()
    );
    assert!(options > 1);
    browser
        .eval("{ const p = document.getElementById('picker'); p.value = '1'; p.dispatchEvent(new Event('change')); }");
    browser.wait_for("!document.getElementById('pod-1').hidden");
    assert_eq!(browser.eval(shown), json!(["pod-1"]));
    assert_eq!(browser.disturbances(), Vec::<String>::new());
}

/// The contrast of every text on the page against what is behind it, the lowest first, as WCAG
/// counts it.
const CONTRAST: &str = r"(() => {
  const channel = (v) => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; };
  const parse = (text) => text.match(/[\d.]+/g).map(Number);
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] > 0) return c; } return [255, 255, 255]; };
  const texts = [...document.querySelectorAll('main *')].filter((e) => !e.closest('svg, .skip') && [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) && e.offsetParent);
  const ratio = (e) => { const [a, b] = [light(parse(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  return texts.map((e) => [ratio(e), e.className + ' ' + e.textContent.slice(0, 40)]).sort((a, b) => a[0] - b[0])[0];
})()";

fn colours(browser: &mut Browser) {
    browser.open(&pages::example());
    browser.eval("document.querySelectorAll('details').forEach((d) => { d.open = true; })");
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        browser.ask("Emulation.setEmulatedMedia", &media);
        browser.frame();
        papers.push(browser.eval("getComputedStyle(document.body).backgroundColor"));
        let lowest = browser.eval(CONTRAST);
        assert!(lowest[0].as_f64().unwrap() >= 4.5, "{scheme}: {lowest}");
    }
    assert_ne!(papers[0], papers[1]);
    browser.ask("Emulation.setEmulatedMedia", &json!({"features": []}));
}

const SAYS: &str =
    "document.activeElement.title + '|' + document.querySelector('.says').textContent";

fn picture(browser: &mut Browser) {
    browser.open(&pages::example());
    // One part of the picture is reached by Tab, and the others from there.
    assert_eq!(browser.eval("document.querySelectorAll('.picture [tabindex=\"0\"]').length"), 1);
    browser.eval("document.querySelector('.picture [tabindex=\"0\"]').focus()");
    let mut said = Vec::new();
    for key in ["ArrowRight", "ArrowLeft", "End", "ArrowUp", "Home"] {
        browser.press(key);
        let says = browser.eval(SAYS);
        let (title, text) = says.as_str().unwrap().split_once('|').unwrap();
        assert_eq!(title, text, "{key}");
        said.push(title.to_owned());
    }
    assert_eq!((&said[1], said[1] != said[0]), (&said[4], true), "{said:?}");
    assert!(said[2].contains("; the request ends at ") && said[3] != said[2], "{said:?}");
    let bar = ".bars .part";
    browser.eval(&format!(
        "document.querySelector('{bar}').dispatchEvent(new MouseEvent('mouseover', {{bubbles: true}}))"
    ));
    let told = browser.eval("document.querySelector('.says').textContent");
    assert_eq!(told, "worker-3: keeps 1.8, may evict 2, free 0.2 of 4; the request ends at 3.8");
}

fn reports(browser: &mut Browser) {
    for (arguments, code) in [
        (&["pending", "-A"][..], 0),
        (&["simulate", "-n", "shop", "web-6d4cf56db6-q7rtz"], 0),
        (&["node", "worker-1"], 1),
        (&["audit"], 0),
        (&["risk", "-A"], 0),
        (&["headroom", "cpu=1"], 1),
        (&["explain", "-A", "--why-not", "gpu-1"], 0),
    ] {
        let (html, ended) = pages::report(arguments);
        assert_eq!(ended, Some(code), "{arguments:?}");
        for size in [PHONE, LAPTOP] {
            resize(browser, size);
            browser.open(&html);
            browser.frame();
            assert_eq!(browser.disturbances(), Vec::<String>::new(), "{arguments:?}");
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= u64::from(size.0), "{arguments:?} at {size:?}: {wide}");
        }
        let head = browser.eval("document.querySelector('h1').textContent === document.title");
        assert!(head == true || arguments[0] == "explain", "{arguments:?}");
        for scheme in ["light", "dark"] {
            let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
            browser.ask("Emulation.setEmulatedMedia", &media);
            browser.frame();
            let lowest = browser.eval(CONTRAST);
            assert!(lowest[0].as_f64().unwrap() >= 4.5, "{arguments:?} {scheme}: {lowest}");
        }
        browser.ask("Emulation.setEmulatedMedia", &json!({"features": []}));
        assert!(arguments[0] != "explain" || html.contains("Why not <span class=\"name\">gpu-1"));
    }
}

const PHONE: (u32, u32) = (390, 844);
const LAPTOP: (u32, u32) = (1280, 800);

fn resize(browser: &mut Browser, (width, height): (u32, u32)) {
    let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
    browser.ask("Emulation.setDeviceMetricsOverride", &size);
}

/// Lines without what only sets them.
fn plain(text: &str) -> Vec<String> {
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).filter(|line| !line.is_empty()).collect()
}

fn answer_first(browser: &mut Browser) {
    resize(browser, LAPTOP);
    browser.open(&pages::example());
    let shown = browser.eval("document.querySelector('.answer').innerText");
    let shown = plain(shown.as_str().unwrap());
    let printed = plain(&pages::example_as("text"));
    // The verdict and what it is based on stand in other words; the commands of the last line are
    // for a terminal.
    let printed = &printed[2..printed.len() - 1];
    assert!(printed.len() > 10, "{printed:?}");
    assert_eq!(&shown[3..], printed);
    assert!(
        shown[1].contains("no node fits; kube-scheduler will evict 2 pods on worker-3"),
        "{shown:?}"
    );
    let ends = "document.querySelector('.answer').getBoundingClientRect().bottom";
    let bottom = browser.eval(ends).as_f64().unwrap();
    assert!(bottom <= f64::from(LAPTOP.1), "{bottom}");
    let folded = browser.eval("[...document.querySelectorAll('details')].map((d) => d.open)");
    let folded = folded.as_array().unwrap();
    assert!(folded.len() > 5 && folded.iter().skip(1).all(|open| *open == false), "{folded:?}");
    resize(browser, PHONE);
    browser.frame();
    let chosen = "document.querySelector('.answer h2 ~ p').getBoundingClientRect().bottom";
    let bottom = browser.eval(chosen).as_f64().unwrap();
    assert!(bottom <= f64::from(PHONE.1), "the victims and what chose the node: {bottom}");
}

/// What reaches beyond the window, or has more in it than it shows; everything is unfolded first.
const CUT_OFF: &str = "(() => {
  document.querySelectorAll('details').forEach((d) => { d.open = true; });
  const said = (e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 40)}`;
  const all = [...document.querySelectorAll('main *')].filter((e) => e.offsetParent && !e.closest('svg'));
  const beyond = all.filter((e) => e.getBoundingClientRect().right > innerWidth + 0.5);
  const hidden = all.filter((e) => e.matches('table, th, td, .grid, .row, .row > *') && e.scrollWidth > e.clientWidth + 1 && e.clientWidth);
  return [...new Set([...beyond, ...hidden].map(said))].slice(0, 5);
})()";

fn nothing_cut_off(browser: &mut Browser) {
    for (page, html) in [
        ("example", pages::example()),
        ("40 nodes", pages::large(40)),
        ("several", pages::several()),
    ] {
        for size in [PHONE, LAPTOP] {
            resize(browser, size);
            browser.open(&html);
            browser.frame();
            assert_eq!(browser.eval(CUT_OFF), json!([]), "{page} at {size:?}");
            browser.frame();
            assert_eq!(browser.eval(CUT_OFF), json!([]), "{page} at {size:?}, drawn again");
            let wide = browser.eval("document.documentElement.scrollWidth").as_u64().unwrap();
            assert!(wide <= u64::from(size.0), "{page}: {wide}");
        }
    }
    resize(browser, LAPTOP);
    browser.open(&pages::large(40));
    browser.eval(CUT_OFF);
    let columns = browser.eval(
        "[...document.querySelectorAll('.ladder th')].filter((e) => e.offsetWidth > 40 && e.getBoundingClientRect().right <= innerWidth).length",
    );
    assert_eq!(columns, 7, "the step, five candidates, and how many are left");
    // On a phone a row of the grid names the plugins that reject, instead of a column each.
    resize(browser, PHONE);
    browser.open(&pages::example());
    let row = browser.eval(
        "[...document.querySelector('.body .row').children].filter((e) => e.offsetWidth).map((e) => e.textContent + (getComputedStyle(e, '::after').content.replace(/^none$/, '')))",
    );
    assert_eq!(row, json!(["worker-3", "✗\" NodeResourcesFit\"", "★ wins: evicts 2 pods"]));
}

const FOLDED: &str = "document.querySelectorAll('details:not([open])').length";

fn print(browser: &mut Browser) {
    browser.open(&pages::large(300));
    let rows = "document.querySelectorAll('.body .row').length";
    assert!(browser.eval(rows).as_u64().unwrap() < 100);
    browser.eval(&format!(
        "addEventListener('beforeprint', () => {{ window.printed = [{rows}, matchMedia('print').matches, {FOLDED}]; }})"
    ));
    let pdf = browser.ask("Page.printToPDF", &json!({}));
    assert!(pdf["data"].as_str().unwrap().len() > 10_000);
    assert_eq!(browser.eval("window.printed[0]"), 300);
    assert_eq!(browser.eval("window.printed[2]"), 0, "everything is unfolded");
    browser.frame();
    assert!(browser.eval(FOLDED).as_u64().unwrap() > 3, "and folded again");
    assert!(browser.eval(rows).as_u64().unwrap() < 100, "and then as before");
    browser.ask("Emulation.setEmulatedMedia", &json!({"media": "print"}));
    assert_eq!(browser.eval("getComputedStyle(document.querySelector('.tools')).display"), "none");
    assert!(browser.eval(SKEW).as_f64().unwrap() < 1.0, "every cell stands below its plugin");
    browser.ask("Emulation.setEmulatedMedia", &json!({"media": ""}));
}

fn without_script(browser: &mut Browser) {
    browser.ask("Emulation.setScriptExecutionDisabled", &json!({"value": true}));
    browser.load(&pages::example());
    let text = browser.eval("document.body.innerText");
    let text = text.as_str().unwrap();
    for part in [
        "kube-scheduler will evict 2 pods on worker-3",
        "reports/sales-29670480-xw7vn",
        "With JavaScript",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let folded = "[...document.querySelectorAll('summary')].find((s) => s.textContent.startsWith('What decides'))";
    browser.eval(&format!("{folded}.click()"));
    let text = browser.eval("document.body.innerText");
    assert!(text.as_str().unwrap().contains("← decides"), "{text}");
}

fn hostile(browser: &mut Browser) {
    browser.open(&pages::hostile());
    browser.press("/");
    browser.type_text("script");
    browser.press("ArrowDown");
    browser.press("Enter");
    assert_eq!(browser.eval("document.querySelector('.detail').hidden"), false);
    assert_eq!(browser.disturbances(), Vec::<String>::new());
    assert_eq!(browser.eval("typeof pwned"), "undefined");
    let elements = browser.eval("[document.scripts.length, document.querySelectorAll('img, b, i, iframe, object, link, base, form, [onload], [onerror]').length]");
    assert_eq!(elements, json!([2, 0]));
    let shown = browser.eval("document.querySelector('h1').textContent");
    let shown = shown.as_str().unwrap();
    assert!(
        shown.contains("</script><script>pwned=1") && shown.contains("\\u{202e}\\u{1b}[31m"),
        "{shown}"
    );
    // The second fence: even if markup got through, it could not run.
    browser.eval(
        "document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.pwned = 5'}))",
    );
    assert_eq!(browser.eval("typeof pwned"), "undefined");
}

fn large(browser: &mut Browser) {
    let count = share::of(1500, 5000);
    let html = pages::large(count);
    assert!(html.len() < count * 500, "{} bytes", html.len());
    browser.open(&html);
    // The browser records the paint some time after the page has loaded.
    let paint = "performance.getEntriesByName('first-contentful-paint')";
    browser.wait_for(&format!("{paint}.length === 1"));
    let paint = browser.eval(&format!("{paint}[0].startTime")).as_f64().unwrap();
    println!(
        "html: {count} nodes: {} bytes, first contentful paint after {paint:.0} ms",
        html.len()
    );
    let (thousands, rest) = (count / 1000, count % 1000);
    assert_eq!(
        browser.eval("document.querySelector('[role=status]').textContent"),
        format!("{thousands},{rest:03} of {thousands},{rest:03} nodes")
    );
    assert!(browser.eval("document.querySelectorAll('.body .row').length").as_u64().unwrap() < 100);
    browser.press("/");
    let start = Instant::now();
    browser.type_text("ip-10-0-5-135");
    assert_eq!(nodes(browser), json!(["ip-10-0-5-135.eu-west-1.compute.internal"]));
    println!("html: {count} nodes: searched in {} ms", start.elapsed().as_millis());
    browser.press("Escape");
    let middle = count as u64 / 2;
    browser.eval(&format!("document.querySelector('.grid').scrollTop = {middle} * 28"));
    browser.frame();
    let at =
        browser.eval("Number(document.querySelector('.body .row').dataset.at)").as_u64().unwrap();
    assert!((middle - 100..middle).contains(&at), "{at}");
}
