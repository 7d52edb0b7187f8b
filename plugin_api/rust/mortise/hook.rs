//! Hooks into the backward pass.
use crate::error::Result;
use crate::link::{call, Link};
use crate::panic::guarded;
use crate::sys;
use crate::tensor::TensorView;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;

type Run = Box<dyn FnMut(u64, TensorView<'_>) -> Result<()> + Send>;

struct Work {
    link: Arc<Link>,
    run: Run,
    running: AtomicBool,
}

unsafe extern "C" fn run_hook(
    user: *mut c_void,
    parameter: u64,
    gradient: sys::mortise_handle_t,
) -> sys::mortise_status_t {
    let Work { link, run, running } = &mut *(user as *mut Work);
    running.store(true, Ordering::Release);
    let status = guarded(link, || run(parameter, TensorView { link, handle: gradient }));
    running.store(false, Ordering::Release);
    status
}

/// [train-thread]
pub struct Hooks<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl Hooks<'_> {
    /// Calls `run` for each gradient of a parameter, as soon as it is computed; it may be read and written.
    pub fn on_gradient(
        &self,
        parameter: u64,
        run: impl FnMut(u64, TensorView<'_>) -> Result<()> + Send + 'static,
    ) -> Result<Hook> {
        let work = Box::new(Work { link: self.link.clone(), run: Box::new(run), running: AtomicBool::new(false) });
        let mut hook = Hook { link: self.link.clone(), handle: 0, work: Box::into_raw(work) };
        call!(self.link, hooks.on_gradient(parameter, Some(run_hook), hook.work as *mut c_void, &mut hook.handle))?;
        Ok(hook)
    }
}

/// A hook; it ends with the object.
pub struct Hook {
    link: Arc<Link>,
    handle: sys::mortise_handle_t,
    work: *mut Work, // the host's too until the release
}

impl Drop for Hook {
    fn drop(&mut self) {
        let released = self.handle == 0 || call!(&self.link, hooks.release(self.handle)).is_ok();
        // A hook that could not be released, or is just running, keeps its memory.
        if released && unsafe { !(*self.work).running.load(Ordering::Acquire) } {
            drop(unsafe { Box::from_raw(self.work) });
        }
    }
}
