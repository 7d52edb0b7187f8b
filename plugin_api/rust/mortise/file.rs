//! Files that a plugin writes: there under their name only once they are committed. [train-thread] [load-thread] [job-thread]
use crate::error::Result;
use crate::link::{call, str_of, Link};
use crate::sys;
use std::sync::Arc;

pub struct Files<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl Files<'_> {
    /// Opens a file to be written; folders are made.
    pub fn create(&self, path: &str) -> Result<File> {
        let mut handle = 0;
        call!(self.link, files.create(str_of(path), &mut handle))?;
        Ok(File { link: self.link.clone(), handle })
    }
}

/// Dropped with the object unless it was committed.
pub struct File {
    link: Arc<Link>,
    handle: sys::mortise_handle_t,
}

impl File {
    pub fn write(&self, bytes: &[u8]) -> Result<()> {
        call!(&self.link, files.write(self.handle, bytes.as_ptr() as *const _, bytes.len() as u64))
    }
    /// Makes the file appear, durable.
    pub fn commit(mut self) -> Result<()> {
        let handle = std::mem::take(&mut self.handle);
        call!(&self.link, files.commit(handle))
    }
}

impl Drop for File {
    fn drop(&mut self) {
        if self.handle != 0 {
            let _ = call!(&self.link, files.discard(self.handle));
        }
    }
}
