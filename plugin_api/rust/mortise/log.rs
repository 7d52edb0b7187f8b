//! Lines for the user.
use crate::link::{slot, str_of, Link};
use crate::sys;
use std::fmt::Display;

/// A line that cannot be written is dropped: no run fails for its log. [any-thread]
pub struct Log<'h> {
    pub(crate) link: &'h Link,
}

impl Log<'_> {
    pub fn debug(&self, line: impl Display) {
        self.write(sys::MORTISE_LOG_DEBUG, &line.to_string());
    }
    pub fn info(&self, line: impl Display) {
        self.write(sys::MORTISE_LOG_INFO, &line.to_string());
    }
    pub fn warning(&self, line: impl Display) {
        self.write(sys::MORTISE_LOG_WARNING, &line.to_string());
    }
    pub fn error(&self, line: impl Display) {
        self.write(sys::MORTISE_LOG_ERROR, &line.to_string());
    }
    fn write(&self, level: u32, line: &str) {
        if let (Some(write), true) = (slot!(self.link.log, write), self.link.is_open()) {
            unsafe { write(self.link.ctx, level, str_of(line)) };
        }
    }
}
