//! The files a scenario refers to, for whoever may open them.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{Collective, Incast, Poisson, Scenario, Sizes, Workload};
use crate::tagged::outside::{Family, file_of};
use crate::tagged::without_null;

/// A file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    /// The key that names it.
    pub key: String,
    /// Path as written, relative to the scenario's folder.
    pub path: String,
}

/// Whether a name of sizes is that of a file: those that come with xoff have neither a point nor a slash.
fn is_file(name: &str) -> bool {
    name.contains(['.', '/'])
}

/// Returns the key and the path of a workload's file.
fn file_of_workload(workload: &mut Workload) -> Option<(&'static str, &mut String)> {
    match workload {
        Workload::Poisson(Poisson { sizes: Sizes::Named(name), .. })
        | Workload::Incast(Incast { sizes: Some(Sizes::Named(name)), .. })
            if is_file(name) =>
        {
            Some(("sizes", name))
        }
        Workload::Trace(trace) => Some(("file", &mut trace.file)),
        Workload::Job(job) => Some(("file", &mut job.file)),
        Workload::Collective(Collective { matrix: Some(path), .. }) => Some(("matrix", path)),
        _ => None,
    }
}

/// Shows `visit` every name of a scheme from a file, with its key.
fn visit_schemes(value: &mut Value, at: &str, visit: &mut impl FnMut(String, &mut String)) {
    let join = |key: &str| if at.is_empty() { key.to_owned() } else { format!("{at}.{key}") };
    match value {
        Value::Object(table) => {
            for (key, value) in table {
                match value {
                    Value::String(name) if Family::is_tag(key) && file_of(name).is_some() => {
                        visit(join(key), name);
                    }
                    _ => visit_schemes(value, &join(key), visit),
                }
            }
        }
        Value::Array(values) => {
            let each = values.iter_mut().enumerate();
            each.for_each(|(index, value)| visit_schemes(value, &format!("{at}[{index}]"), visit));
        }
        _ => {}
    }
}

impl Scenario {
    /// Every file that must be read before the run: schemes from outside, size distributions, traces, jobs and matrices.
    pub fn files(&self) -> Vec<FileReference> {
        let mut files = Vec::new();
        visit_schemes(&mut self.as_json(), "", &mut |key, name| {
            let path = file_of(name).unwrap_or_default().to_owned();
            files.push(FileReference { key, path });
        });
        for (index, workload) in self.workload.clone().iter_mut().enumerate() {
            if let Some((key, path)) = file_of_workload(workload) {
                files.push(FileReference { key: format!("workload[{index}].{key}"), path: path.clone() });
            }
        }
        files
    }

    /// Writes the scenario as [`Scenario::to_toml`] does, with another path for each file that `paths` names.
    pub fn to_toml_with(&self, paths: &BTreeMap<String, String>) -> String {
        let mut moved = self.clone();
        for (_, path) in moved.workload.iter_mut().filter_map(file_of_workload) {
            if let Some(other) = paths.get(path) {
                path.clone_from(other);
            }
        }
        let mut value = moved.as_json();
        visit_schemes(&mut value, "", &mut |_, name| {
            let file = file_of(name).unwrap_or_default();
            if let Some(other) = paths.get(file) {
                *name = format!("{other}{}", &name[file.len()..]);
            }
        });
        toml::to_string(&value).expect("what was read from TOML can be written as TOML")
    }

    /// The scenario as JSON, without null.
    fn as_json(&self) -> Value {
        without_null(serde_json::to_value(self).expect("tables, lists, texts and numbers"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_a_point_or_a_slash_is_a_file_and_another_is_not() {
        let scenario = Scenario::from_toml(
            r#"
            topology = { kind = "star", hosts = 4, host_link = { rate = "10Gbps", delay = "1us" } }
            transport.one = { kind = "constant_rate" }
            stop.at = "1ms"
            workload = [
                { kind = "poisson", transport = "one", sizes = "web_search", load = 0.1, of = "host" },
                { kind = "poisson", transport = "one", sizes = "my/sizes.csv", load = 0.1, of = "host" },
                { kind = "trace", transport = "one", file = "flows.csv" },
                { kind = "incast", transport = "one", fan_in = 2, size = "1kB", groups = 1 },
                { kind = "incast", transport = "one", fan_in = 2, sizes = "b.txt", groups = 1 },
                { kind = "collective", transport = "one", operation = "all_to_all", matrix = "bytes.csv" },
                { kind = "collective", transport = "one", operation = "all_to_all", size = "1MB" },
            ]"#,
            &[],
        );
        let files = scenario.unwrap().files();
        let files: Vec<_> = files.iter().map(|file| (file.key.as_str(), file.path.as_str())).collect();
        assert_eq!(
            files,
            [
                ("workload[1].sizes", "my/sizes.csv"),
                ("workload[2].file", "flows.csv"),
                ("workload[4].sizes", "b.txt"),
                ("workload[5].matrix", "bytes.csv")
            ]
        );
    }
}
