//! Fluid models.

use pyo3::prelude::*;
use xoff::fluid;

use crate::column::Column;
use crate::error::raise;

/// The JSON Schema of a table `fluid` with a model's parameters.
#[pyfunction]
pub(crate) fn fluid_schema() -> String {
    xoff::catalogue::fluid_schema().to_string()
}

/// A checked fluid model.
#[pyclass(frozen, module = "xoff._xoff")]
pub(crate) struct Fluid(fluid::Parameters);

#[pymethods]
impl Fluid {
    #[new]
    fn new(py: Python<'_>, model: &str, changes: Vec<String>) -> PyResult<Self> {
        let parameters = fluid::Parameters::with_changes(model, &changes);
        parameters.map(Self).map_err(|error| raise(py, error))
    }

    /// Every parameter, as JSON.
    fn parameters(&self) -> String {
        serde_json::json!(self.0).to_string()
    }

    /// Returns the state in which equal flows stay for ever: probability of a mark, queue in bytes, target rate less
    /// rate in bit/s, alpha. Returns nothing for a model that goes round in a cycle, or for a flow alone.
    fn fixed_point(&self) -> Option<(f64, f64, f64, f64)> {
        match &self.0 {
            fluid::Parameters::Dcqcn(parameters) => {
                let found = parameters.fixed_point()?;
                Some((found.probability, found.queue, found.above_rate, found.alpha))
            }
            fluid::Parameters::Dctcp(_) => None,
        }
    }

    /// Integrates it, without holding the GIL: the recorded times in seconds, and each series with its quantity and flow.
    /// `goes_on` is called now and then with the share that is done, and ends it there by returning False.
    #[allow(clippy::type_complexity)]
    fn run(
        &self,
        py: Python<'_>,
        goes_on: Py<PyAny>,
    ) -> PyResult<(Column, Vec<(&'static str, Option<u32>, Column)>)> {
        let mut failure = None;
        let mut ask = |share: f64| {
            Python::attach(|py| match goes_on.call1(py, (share,)).and_then(|answer| answer.is_truthy(py)) {
                Ok(goes_on) => goes_on,
                Err(error) => {
                    failure = Some(error);
                    false
                }
            })
        };
        let trajectory = py.detach(|| self.0.run(&mut ask));
        if let Some(error) = failure {
            return Err(error);
        }
        let series = trajectory.series.into_iter();
        let series = series.map(|series| (series.quantity, series.flow, Column::from(series.values)));
        Ok((Column::from(trajectory.seconds), series.collect()))
    }
}
