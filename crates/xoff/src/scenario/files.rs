//! The files a scenario refers to, for whoever may open them.

use super::{Scenario, Sizes, Workload};

/// A file that a scenario names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileReference {
    /// The key that names it.
    pub key: String,
    /// Its path as written, relative to the scenario's folder.
    pub path: String,
}

impl Scenario {
    /// Every file that must be read before the run: size distributions and traces.
    pub fn files(&self) -> Vec<FileReference> {
        let files = self.workload.iter().enumerate().filter_map(|(index, workload)| {
            let (key, path) = match workload {
                Workload::Poisson(poisson) => match &poisson.sizes {
                    Sizes::Named(name) if name.ends_with(".csv") => ("sizes", name),
                    _ => return None,
                },
                Workload::Trace(trace) => ("file", &trace.file),
                _ => return None,
            };
            Some(FileReference { key: format!("workload[{index}].{key}"), path: path.clone() })
        });
        files.collect()
    }
}
