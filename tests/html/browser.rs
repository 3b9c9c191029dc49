//! A headless browser, spoken to by its debugging protocol over two pipes: JSON messages that end
//! in a zero byte.

use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Nothing that is asked of it takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

const FLAGS: &[&str] = &[
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--remote-debugging-pipe",
    "--window-size=1280,900",
];

/// Whether there is such a browser.
pub fn answers(program: &str) -> bool {
    let version = Command::new(program).arg("--version").stdin(Stdio::null()).output();
    version.is_ok_and(|output| output.status.success())
}

/// A browser with one page. It ends with the value.
pub struct Browser {
    child: Child,
    to: File,
    from: Receiver<Value>,
    /// The page that is spoken to; `None` for the browser itself.
    pub session: Option<String>,
    /// What the page has to itself: cookies, storage, permissions.
    context: Option<String>,
    last: u64,
    /// What the page did by itself: events of the protocol that no page of ours should cause.
    events: Vec<Value>,
    folder: TempDir,
}

impl Browser {
    pub fn start(program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let (to, from) = (path("to"), path("from"));
        assert!(Command::new("mkfifo").args([&to, &from]).status().unwrap().success());
        // It reads from descriptor 3 and writes to 4.
        let child = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$TO\" 4>\"$FROM\"", "sh", program])
            .args(FLAGS)
            .arg(format!("--user-data-dir={}", path("profile").display()))
            .envs([("TO", &to), ("FROM", &from)])
            .env("HOME", folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let to = OpenOptions::new().write(true).open(to).unwrap();
        let mut reader = BufReader::new(File::open(from).unwrap());
        let (sender, receiver) = channel();
        std::thread::spawn(move || {
            let mut message = Vec::new();
            while reader.read_until(0, &mut message).is_ok_and(|length| length > 0) {
                message.pop();
                if sender.send(serde_json::from_slice(&message).unwrap()).is_err() {
                    break;
                }
                message.clear();
            }
        });
        let mut browser = Self {
            child,
            to,
            from: receiver,
            session: None,
            context: None,
            last: 0,
            events: Vec::new(),
            folder,
        };
        browser.renew();
        browser
    }

    /// Another page, which knows nothing of the one before.
    pub fn renew(&mut self) {
        // These are asked of the browser, and not of the page.
        self.session = None;
        if let Some(context) = self.context.take() {
            self.ask("Target.disposeBrowserContext", &json!({"browserContextId": context}));
        }
        let context = self.ask("Target.createBrowserContext", &json!({}));
        let blank = json!({"url": "about:blank", "browserContextId": context["browserContextId"]});
        let target = self.ask("Target.createTarget", &blank);
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = self.ask("Target.attachToTarget", &attach);

        self.context = context["browserContextId"].as_str().map(str::to_owned);
        self.session = session["sessionId"].as_str().map(str::to_owned);
        self.events.clear();
        for domain in ["Page", "Runtime", "Network", "Log"] {
            self.ask(&format!("{domain}.enable"), &json!({}));
        }
    }

    /// Asks, and waits for the answer.
    pub fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if let Some(session) = &self.session {
            message["sessionId"] = session.as_str().into();
        }
        self.to.write_all(format!("{message}\0").as_bytes()).unwrap();
        loop {
            let answer =
                self.from.recv_timeout(PATIENCE).unwrap_or_else(|e| panic!("{method}: {e}"));
            if answer["id"] == self.last {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].clone();
            }
            self.events.push(answer);
        }
    }

    /// Opens a page from a file, and waits until its script has done its work.
    pub fn open(&mut self, html: &str) {
        self.load(html);
        self.wait_for("document.documentElement.dataset.ready === ''");
    }

    /// Opens a page from a file.
    pub fn load(&mut self, html: &str) {
        let file = self.folder.path().join("page.html");
        std::fs::write(&file, html).unwrap();
        // Away first: opening the same page again would be no new page.
        self.ask("Page.navigate", &json!({"url": "about:blank"}));
        self.events.clear();
        self.ask("Page.navigate", &json!({"url": url(&file)}));
        self.wait_for("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    pub fn eval(&mut self, script: &str) -> Value {
        let params = json!({"expression": script, "returnByValue": true, "awaitPromise": true});
        let answer = self.ask("Runtime.evaluate", &params);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].clone()
    }

    #[track_caller]
    pub fn wait_for(&mut self, condition: &str) {
        let start = Instant::now();
        while self.eval(condition) != true {
            assert!(start.elapsed() < PATIENCE, "never: {condition}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Lets the page draw.
    pub fn frame(&mut self) {
        self.eval("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))");
    }

    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let code = if key == "Enter" { "\r" } else { text };
        self.ask("Input.dispatchKeyEvent", &json!({"type": "keyDown", "key": key, "text": code}));
        self.ask("Input.dispatchKeyEvent", &json!({"type": "keyUp", "key": key}));
        self.frame();
    }

    pub fn type_text(&mut self, text: &str) {
        self.ask("Input.insertText", &json!({"text": text}));
        self.frame();
    }

    /// What the page has asked anyone for, but itself; and what it complained about.
    pub fn disturbances(&mut self) -> Vec<String> {
        self.frame();
        let page = url(&self.folder.path().join("page.html"));
        let unwanted = |event: &Value| match event["method"].as_str()? {
            "Network.requestWillBeSent" => {
                let to = event["params"]["request"]["url"].as_str()?;
                (to != page && to != "about:blank").then(|| format!("asks {to}"))
            }
            "Runtime.consoleAPICalled"
            | "Runtime.exceptionThrown"
            | "Log.entryAdded"
            | "Page.javascriptDialogOpening" => Some(event.to_string()),
            _ => None,
        };
        self.events.iter().filter_map(unwanted).collect()
    }
}

fn url(file: &Path) -> String {
    format!("file://{}", file.display())
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.to.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let start = Instant::now();
        while matches!(self.child.try_wait(), Ok(None)) && start.elapsed() < Duration::from_secs(5)
        {
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
