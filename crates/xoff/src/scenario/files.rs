//! The files a scenario refers to, for whoever may open them.

use super::{Incast, Poisson, Scenario, Sizes, Workload};

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

impl Scenario {
    /// Every file that must be read before the run: size distributions, traces and jobs.
    pub fn files(&self) -> Vec<FileReference> {
        let files = self.workload.iter().enumerate().filter_map(|(index, workload)| {
            let (key, path) = match workload {
                Workload::Poisson(Poisson { sizes: Sizes::Named(name), .. })
                | Workload::Incast(Incast { sizes: Some(Sizes::Named(name)), .. })
                    if is_file(name) =>
                {
                    ("sizes", name)
                }
                Workload::Trace(trace) => ("file", &trace.file),
                Workload::Job(job) => ("file", &job.file),
                _ => return None,
            };
            Some(FileReference { key: format!("workload[{index}].{key}"), path: path.clone() })
        });
        files.collect()
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
                ("workload[4].sizes", "b.txt")
            ]
        );
    }
}
