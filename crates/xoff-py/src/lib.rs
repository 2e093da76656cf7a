//! The Python module of xoff: converts, releases the GIL, returns columns; no logic.

// PyO3 makes the arguments for the call and hands them over.
#![allow(clippy::needless_pass_by_value)]

mod catalogue;
mod changes;
mod column;
mod driven;
mod error;
mod flows;
mod fluid;
mod memory;
mod pattern;
mod plan;
mod quantity;
mod result;
mod scenario;
mod schemes;
mod tables;
mod typed;
mod watch;
mod why;

use pyo3::prelude::*;

/// The simulator, as the extension module shows it. Everything here is private to `xoff`.
#[pymodule]
mod _xoff {
    #[pymodule_export]
    use crate::catalogue::{algorithms, chips, explain, schema, sizes};
    #[pymodule_export]
    use crate::changes::{FileSchema, toml, value};
    #[pymodule_export]
    use crate::column::Column;
    #[pymodule_export]
    use crate::driven::Driven;
    #[pymodule_export]
    use crate::flows::FlowRows;
    #[pymodule_export]
    use crate::fluid::{Fluid, fluid_schema};
    #[pymodule_export]
    use crate::pattern::matches;
    #[pymodule_export]
    use crate::plan::{
        HeadroomBytes, bcc_lambda, bcc_thresholds, drops_before_marking_from, headroom, ports_that_fit,
        published_headroom, qcn_sample, reaction_quanta, saturated_share,
    };
    #[pymodule_export]
    use crate::quantity::{quantity, ratio};
    #[pymodule_export]
    use crate::result::RawResult;
    #[pymodule_export]
    use crate::scenario::{Scenario, cpu_seconds};
    #[pymodule_export]
    use crate::schemes::{explain_scheme, scheme_calls};
    #[pymodule_export]
    use crate::watch::Progress;
    #[pymodule_export]
    use crate::why::{causes, critical_path, parts_of_paths};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
