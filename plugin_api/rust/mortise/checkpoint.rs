//! Checkpoints: when and where the run's state is written. [train-thread]
use crate::error::Result;
use crate::glue::{lend, Callback};
use crate::link::{call, str_of, string_of, Link};
use crate::sys;

pub struct Checkpoints<'h> {
    pub(crate) link: &'h Link,
}

impl Checkpoints<'_> {
    /// Writes the run's state; when this returns the file is whole and durable. The states of all plugins go in, the caller's
    /// too: `plugin` is the `self` of the running event, lent for its own `state_save`.
    ///
    /// `flags` are 0 or `sys::MORTISE_CHECKPOINT_WEIGHTS_ONLY`.
    pub fn save<T: Callback>(&self, plugin: &mut T, path: &str, flags: u32) -> Result<()> {
        lend(self.link, plugin, || call!(self.link, checkpoints.save(str_of(path), flags)))
    }
    /// Which files `--ckpt best` and `--ckpt last` mean; empty: none.
    pub fn announce(&self, best: &str, last: &str) -> Result<()> {
        call!(self.link, checkpoints.announce(str_of(best), str_of(last)))
    }
    /// The file that this run was resumed from; empty: none.
    pub fn resumed_from(&self) -> Result<String> {
        let mut path = sys::mortise_str::default();
        call!(self.link, checkpoints.resumed_from(&mut path))?;
        Ok(unsafe { string_of(path) })
    }
}
