//! The run: what was asked for, and the wish to stop.
use crate::error::Result;
use crate::link::{call, str_of, string_of, Link};
use crate::sys;

pub struct Run<'h> {
    pub(crate) link: &'h Link,
}

impl Run<'_> {
    /// What the user asked for and where the run stands. [train-thread]
    pub fn info(&self) -> Result<sys::mortise_run_info> {
        let struct_size = std::mem::size_of::<sys::mortise_run_info>() as u32;
        let mut info = sys::mortise_run_info { struct_size, ..Default::default() };
        call!(self.link, run.info(&mut info))?;
        Ok(info)
    }
    /// Asks training to end. [train-thread]
    pub fn request_stop(&self, reason: &str) -> Result<()> {
        call!(self.link, run.request_stop(str_of(reason)))
    }
    /// Leaves something out: `sys::MORTISE_SKIP_STEP` or `sys::MORTISE_SKIP_EPOCH`. [train-thread]
    pub fn skip(&self, what: u32) -> Result<()> {
        call!(self.link, run.skip(what))
    }
    /// Absolute folder of this run. [any-thread]
    pub fn directory(&self) -> Result<String> {
        let mut path = sys::mortise_str::default();
        call!(self.link, run.directory(&mut path))?;
        Ok(unsafe { string_of(path) })
    }
}
