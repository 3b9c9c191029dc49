//! The pictures in README.md: real commands on a terminal, as an asciicast (`docs/recording.cast`),
//! and made from it an animated picture (`docs/recording.svg`) and a still one
//! (`docs/terminal.svg`). The commands run offline, on the example as a snapshot. Keys are typed at
//! fixed times, so that the same program gives the same files. Fonts are the reader's own: nothing
//! is loaded.
//!
//! `just bless` writes all three.

#![cfg(unix)]

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::docs::documents;
use crate::golden;
use crate::terminal::text::{VARIABLES, on_terminal};

/// What is typed, without `kubectl preempt`.
const COMMANDS: [&str; 4] = [
    "pending -A --from shop.json",
    "explain web-6d4cf56db6-q7rtz -n shop --from shop.json",
    "simulate web-6d4cf56db6-q7rtz -n shop --on worker-2 --from shop.json",
    "rules PRE-201",
];
/// The scene of a still picture.
const STILL: &str = "Evicts on worker-3";

const COLUMNS: u16 = 100;
/// Starts a scene on an empty screen.
const CLEAR: &str = "\u{1b}[H\u{1b}[2J";

/// Milliseconds: before a word is typed, before it is entered, and for reading a scene and a line
/// of it.
const WORD: u64 = 150;
const ENTER: u64 = 500;
const SCENE: u64 = 1500;
const LINE: u64 = 300;

/// The example as `kubectl preempt snapshot` would have saved it: an API server gives every object
/// the time of its creation.
fn snapshot() -> String {
    let mut file: Value = serde_json::from_str(&documents::cluster::as_list()).unwrap();
    for object in file["items"].as_array_mut().unwrap() {
        object["metadata"]["creationTimestamp"] = "2026-06-01T11:57:00Z".into();
    }
    file["apiVersion"] = engine::snapshot::API_VERSION.into();
    file["kind"] = engine::snapshot::SNAPSHOT_KIND.into();
    file["snapshot"] = json!({"capturedAt": "2026-06-01T12:00:00Z", "serverVersion": "v1.37.1"});
    file.to_string()
}

/// What the program answers on a terminal.
fn answer(folder: &Path, typed: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kubectl-preempt"));
    VARIABLES.iter().for_each(|name| {
        command.env_remove(name);
    });
    command
        .args(typed.split(' '))
        .current_dir(folder)
        .envs([("LANG", "C.UTF-8"), ("TERM", "xterm-256color")]);
    on_terminal(command, COLUMNS)
}

/// The asciicast, version 2: a header, and an event a line.
fn record() -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("shop.json"), snapshot()).unwrap();
    let (mut events, mut now, mut height) = (String::new(), 0, 0);
    let mut event = |now: u64, text: &str| {
        #[expect(clippy::cast_precision_loss, reason = "minutes")]
        let seconds = now as f64 / 1000.0;
        let _ = writeln!(events, "{}", json!([seconds, "o", text]));
    };
    for (scene, typed) in COMMANDS.into_iter().enumerate() {
        let answer = answer(folder.path(), typed);
        let lines = answer.lines().count();
        height = height.max(lines + 1);
        let answer = format!("\r\n{}", answer.replace('\n', "\r\n"));
        if scene == 0 {
            // Where a page shows no more than the first picture, it is an answer.
            event(now, &format!("{CLEAR}$ kubectl preempt {typed}{answer}"));
        } else {
            event(now, &format!("{CLEAR}$ "));
            for word in format!("kubectl preempt {typed}").split_inclusive(' ') {
                now += WORD;
                event(now, word);
            }
            now += ENTER;
            event(now, &answer);
        }
        now += SCENE + LINE * u64::try_from(lines).unwrap();
    }
    // The end of the last scene.
    event(now, "");
    let header = json!({"version": 2, "width": COLUMNS, "height": height, "title": "kubectl preempt",
        "env": {"TERM": "xterm-256color"}});
    format!("{header}\n{events}")
}

/// What the screen shows after each event of a cast, with the time in seconds.
fn frames(cast: &str) -> Vec<(f64, String)> {
    let mut screen = String::new();
    let events = cast.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).unwrap());
    events
        .map(|event| {
            let text = event[2].as_str().unwrap();
            match text.rsplit_once(CLEAR) {
                Some((_, fresh)) => fresh.clone_into(&mut screen),
                None => screen.push_str(text),
            }
            (event[0].as_f64().unwrap(), screen.replace("\r\n", "\n"))
        })
        .collect()
}

/// What a terminal shows, as SVG.
fn draw(shown: &str) -> String {
    // The picture takes colour and weight of one sequence for two colours.
    let apart = shown.replace(";1m", "m\u{1b}[1m");
    // What it dims can hardly be read; terminals dim less.
    let legible = apart.replace("\u{1b}[2m", "\u{1b}[38;5;246m");
    anstyle_svg::Term::new().palette(anstyle_svg::WIN10_CONSOLE).render_svg(&legible)
}

/// The number of pixels of a drawn frame.
fn pixels(frame: &str, side: &str) -> u32 {
    let (_, rest) = frame.split_once(&format!("{side}=\"")).unwrap();
    rest.split_once("px\"").unwrap().0.parse().unwrap()
}

/// An SVG that shows the frames of a cast, one after the other: a film, of which one frame is in
/// the window.
fn animate(cast: &str) -> String {
    let frames = frames(cast);
    let (end, _) = *frames.last().as_ref().unwrap();
    let drawn: Vec<String> = frames.iter().map(|(_, screen)| draw(screen)).collect();
    let [width, height] = ["width", "height"]
        .map(|side| drawn.iter().map(|frame| pixels(frame, side)).max().unwrap());
    let still = frames.iter().position(|(_, screen)| screen.contains(STILL)).unwrap();
    let shift = |frame: usize| {
        format!("transform: translateY(-{}px)", u32::try_from(frame).unwrap() * height)
    };
    let (mut keys, mut film) = (String::new(), String::new());
    for (at, ((time, _), frame)) in frames.iter().zip(&drawn).enumerate() {
        let _ = writeln!(keys, "    {:.3}% {{ {} }}", time * 100.0 / end, shift(at));
        let y = u32::try_from(at).unwrap() * height;
        let _ = writeln!(
            film,
            "{}",
            frame.replacen("<svg ", &format!("<svg y=\"{y}\" "), 1).trim_end()
        );
    }
    format!(
        "<svg width=\"{width}px\" height=\"{height}px\" viewBox=\"0 0 {width} {height}\" \
         xmlns=\"http://www.w3.org/2000/svg\">\n<style>\n  .film {{ animation: film {end}s step-end infinite }}\n  \
         @keyframes film {{\n{keys}  }}\n  @media (prefers-reduced-motion: reduce) {{ .film {{ animation: none; {} }} }}\n\
         </style>\n<rect width=\"100%\" height=\"100%\" rx=\"4.5\" class=\"bg\" />\n<g class=\"film\">\n{film}</g>\n</svg>\n",
        shift(still)
    )
}

#[test]
fn the_recording_is_what_happens_now() {
    let cast = record();
    let (frames, film) = (frames(&cast), animate(&cast));
    for verdict in ["1 pending", STILL, "evicting 1 pod makes room on worker-2", "Insufficient cpu"]
    {
        assert!(frames.iter().any(|(_, screen)| screen.contains(verdict)), "{verdict}: {cast}");
    }
    assert!(frames[0].1.contains("1 pending"), "the first picture is empty: {cast}");
    let still = draw(&frames.iter().find(|(_, screen)| screen.contains(STILL)).unwrap().1);
    assert!(!film.contains("http://fonts") && film.len() < 200_000, "{} bytes", film.len());
    golden::check("docs/recording.cast", &cast);
    golden::check("docs/recording.svg", &film);
    golden::check("docs/terminal.svg", &still);
}

#[test]
fn a_film_shows_each_screen_until_the_next_event() {
    let cast = "{\"version\": 2}\n[0.0, \"o\", \"\\u001b[H\\u001b[2J$ \"]\n[1.0, \"o\", \"ls\"]\n\
                [1.5, \"o\", \"\\r\\nEvicts on worker-3\"]\n[3.0, \"o\", \"\\u001b[H\\u001b[2J$ \"]\n[4.0, \"o\", \"\"]\n";
    let screens: Vec<(f64, String)> = frames(cast);
    let texts: Vec<&str> = screens.iter().map(|(_, screen)| screen.as_str()).collect();
    assert_eq!(texts, ["$ ", "$ ls", "$ ls\nEvicts on worker-3", "$ ", "$ "]);
    let film = animate(cast);
    // The tallest screen has two lines.
    for part in [
        "animation: film 4s",
        "0.000% { transform: translateY(-0px) }",
        "37.500% { transform: translateY(-112px) }",
    ] {
        assert!(film.contains(part), "{part}: {film}");
    }
    assert_eq!(film.matches("<svg y=").count(), 5);
}
