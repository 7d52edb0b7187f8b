//! Metrics: what the model and plugins log. [train-thread]
use crate::error::{found, Result};
use crate::link::{call, str_of, string_of, Link};
use crate::sys;
use crate::tensor::AnyTensor;

/// A metric's newest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Metric {
    /// Exact.
    pub value: f64,
    /// Logged in float32: compare it so.
    pub is_float32: bool,
}

pub struct Metrics<'h> {
    pub(crate) link: &'h Link,
}

impl Metrics<'_> {
    /// Waits for a value that is on a device. The error for a name that was not logged lists the names there are.
    pub fn get(&self, name: &str) -> Result<Metric> {
        let (mut value, mut precision) = (0.0, 0);
        call!(self.link, metrics.get(str_of(name), &mut value, &mut precision))?;
        Ok(Metric { value, is_float32: precision == sys::MORTISE_METRIC_FLOAT32 })
    }
    /// The same; none if it was not logged.
    pub fn find(&self, name: &str) -> Result<Option<Metric>> {
        let metric = self.get(name);
        match &metric {
            Err(error) if error.code() == sys::MORTISE_NOT_FOUND => Ok(None),
            _ => metric.map(Some),
        }
    }
    pub fn log(&self, name: &str, value: f64) -> Result<()> {
        call!(self.link, metrics.log(str_of(name), value))
    }
    /// Logs a value that lies on a device without waiting for it.
    pub fn log_tensor(&self, name: &str, value: &impl AnyTensor) -> Result<()> {
        call!(self.link, metrics.log_tensor(str_of(name), value.handle()))
    }
    /// All names in the order of first logging.
    pub fn names(&self) -> Result<Vec<String>> {
        let mut names = Vec::new();
        let mut name = sys::mortise_str::default();
        while found(call!(self.link, metrics.name_at(names.len() as u64, &mut name)))? {
            names.push(unsafe { string_of(name) });
        }
        Ok(names)
    }
}
