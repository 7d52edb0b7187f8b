//! Random numbers of the plugin's own: one seed of the run gives one result.
use crate::error::Result;
use crate::link::{call, Link};

/// [any-thread]
pub struct Random<'h> {
    pub(crate) link: &'h Link,
}

impl Random<'_> {
    /// Fills a buffer with random bits.
    pub fn fill(&self, values: &mut [u64]) -> Result<()> {
        call!(self.link, random.fill(values.as_mut_ptr(), values.len() as u64))
    }
    /// From 0 to below 1.
    pub fn uniform(&self) -> Result<f64> {
        let mut bits = [0];
        self.fill(&mut bits)?;
        Ok((bits[0] >> 11) as f64 / (1u64 << 53) as f64)
    }
}
