//! Work beside the training, on the host's threads.
use crate::error::{Error, Result};
use crate::host::Host;
use crate::link::{call, slot, Link};
use crate::panic::{caught, guarded};
use crate::sys;
use std::ffi::c_void;
use std::sync::Arc;

type Run = Box<dyn FnOnce(&JobContext) -> Result<()> + Send>;

/// What a running job has: the host, for services tagged [job-thread] or [any-thread], and whether it should end.
pub struct JobContext {
    pub host: Host,
    job: sys::mortise_handle_t,
}

impl JobContext {
    pub fn cancelled(&self) -> bool {
        slot!(self.host.link.jobs, cancelled).map_or(true, |asked| unsafe { asked(self.host.link.ctx, self.job) != 0 })
    }
}

struct Work {
    link: Arc<Link>,
    run: Option<Run>,
    error: Option<Error>,
}

unsafe extern "C" fn run_job(user: *mut c_void, job: sys::mortise_handle_t) -> sys::mortise_status_t {
    let work = &mut *(user as *mut Work);
    let context = JobContext { host: Host { link: work.link.clone() }, job };
    let (run, error) = (work.run.take(), &mut work.error);
    guarded(&context.host.link, || {
        let result = caught(|| run.map_or(Ok(()), |run| run(&context)));
        *error = result.as_ref().err().cloned();
        result
    })
}

/// [train-thread] [load-thread]
pub struct Jobs<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl Jobs<'_> {
    /// Queues a job. It returns soon after `cancelled` says so.
    pub fn submit(&self, run: impl FnOnce(&JobContext) -> Result<()> + Send + 'static) -> Result<Job> {
        let work = Box::new(Work { link: self.link.clone(), run: Some(Box::new(run)), error: None });
        let mut job = Job { link: self.link.clone(), handle: 0, work: Box::into_raw(work) };
        call!(self.link, jobs.submit(Some(run_job), job.work as *mut c_void, &mut job.handle))?;
        Ok(job)
    }
}

/// A queued job; waited for with the object.
pub struct Job {
    link: Arc<Link>,
    handle: sys::mortise_handle_t,
    work: *mut Work, // the job's own until the wait is over
}

impl Job {
    /// Waits for the end; what the job returned is the result.
    pub fn wait(mut self) -> Result<()> {
        let status = self.join()?;
        match unsafe { (*self.work).error.take() } {
            Some(error) => Err(error),
            None if status == sys::MORTISE_OK => Ok(()),
            None => Err(Error::with_code(status, format!("the job ended with status {}", status))),
        }
    }
    fn join(&mut self) -> Result<sys::mortise_status_t> {
        let mut status = sys::MORTISE_OK;
        call!(&self.link, jobs.wait(self.handle, &mut status))?;
        self.handle = 0;
        Ok(status)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        // A job that nobody could wait for may still run: its memory is left to it.
        if self.handle == 0 || self.join().is_ok() {
            drop(unsafe { Box::from_raw(self.work) });
        }
    }
}
