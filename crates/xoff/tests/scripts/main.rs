//! Scripts of protocols: a few lines say what is sent and what the network does to it, and who must send what when.
//!
//! A script is a text file in a folder beside this one, for readers who know the standard and not the code; `README.md`
//! here is the language. The two ends of a connection run in a simulation, and every packet that they send is held
//! against the script. `docs/validation.md` has one row for each script.

mod network;
mod script;
mod strikes;
mod transcript;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use script::Script;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scripts")
}

/// Returns the scripts of a folder, in the order of their names.
fn scripts(of: &str) -> Vec<Script> {
    let files = std::fs::read_dir(folder().join(of)).expect("the folder exists");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("it can be read").path()).collect();
    paths.sort();
    let read = |path: &PathBuf| {
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let text = std::fs::read_to_string(path).expect("it can be read");
        Script::read(&format!("{of}/{name}"), &text).unwrap_or_else(|error| panic!("{error}"))
    };
    paths.iter().map(read).collect()
}

/// Returns the way in which the simulation departs from the script, if it does, with all that was sent.
/// A script that `XOFF_SCRIPT` names is shown in any case.
fn departure(script: &Script, is_shown: bool) -> Option<String> {
    let seen = network::run(script);
    let mut spoiled = script.expected.spoiled();
    assert!(spoiled.all(|spoiled| spoiled.differs(&seen).is_some()), "{}: a wrong line passes", script.name);
    let problem = script.expected.differs(&seen).or(is_shown.then(|| "as expected".to_owned()))?;
    Some(format!("{}: {problem}\nWhat was sent:\n{seen}", script.name))
}

fn hold_all(of: &str) {
    let only = std::env::var("XOFF_SCRIPT").ok();
    let scripts = scripts(of).into_iter();
    let named = scripts.filter(|script| only.as_ref().is_none_or(|only| script.name.contains(only)));
    let departures: Vec<String> = named.filter_map(|script| departure(&script, only.is_some())).collect();
    assert!(departures.is_empty(), "\n{}", departures.join("\n"));
}

#[test]
fn tcp_follows_its_scripts() {
    hold_all("tcp");
}

#[test]
fn roce_follows_its_scripts() {
    hold_all("roce");
}

#[test]
fn dcqcn_follows_its_scripts() {
    hold_all("dcqcn");
}

#[test]
fn pauses_follow_their_scripts() {
    hold_all("pfc");
}

/// The table of all scripts, as the page about validation has it.
fn table() -> String {
    let mut table = "\n\n| script | source | says | xoff |\n|---|---|---|---|\n".to_owned();
    for script in ["tcp", "roce", "dcqcn", "pfc"].iter().flat_map(|of| scripts(of)) {
        let Script { name, source, says, xoff, .. } = script;
        writeln!(table, "| [{name}](../crates/xoff/tests/scripts/{name}.txt) | {source} | {says} | {xoff} |")
            .expect("memory");
    }
    table.push('\n');
    table
}

/// `UPDATE_SNAPSHOTS=1` writes the table anew.
#[test]
fn the_page_about_validation_has_every_script() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/validation.md");
    let text = std::fs::read_to_string(&page).expect("it can be read");
    let (begin, end) = ("<!-- scripts -->", "<!-- end of scripts -->");
    let from = text.find(begin).expect("the table begins") + begin.len();
    let to = text.find(end).expect("the table ends");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        let written = [&text[..from], &table(), &text[to..]].concat();
        std::fs::write(page, written).expect("it can be written");
        return;
    }
    let table = table();
    let missing = table.lines().find(|row| !text[from..to].contains(row));
    assert!(text[from..to] == table, "UPDATE_SNAPSHOTS=1 writes it anew; the first row: {missing:?}");
}
