//! The moments of a run.
use crate::link::string_of;
use crate::sys;

/// A copy of a growable struct; what its writer did not know is zero.
pub(crate) unsafe fn copy_known<T: Default>(source: *const T) -> T {
    let mut copy = T::default();
    // Every growable struct begins with its size.
    let known = (*(source as *const u32) as usize).min(std::mem::size_of::<T>());
    std::ptr::copy_nonoverlapping(source as *const u8, &mut copy as *mut T as *mut u8, known);
    copy
}

/// Where the run stands; its fields are those of `mortise_event_t`: `epoch`, `global_step`, `batch_idx`, ...
pub struct Event {
    raw: sys::mortise_event,
}

impl Event {
    pub(crate) unsafe fn read(raw: *const sys::mortise_event) -> Self {
        Event { raw: copy_known(raw) }
    }
    pub fn in_fit(&self) -> bool {
        self.function == sys::MORTISE_STAGE_TRAIN
    }
    pub fn in_sanity_check(&self) -> bool {
        self.stage == sys::MORTISE_STAGE_SANITY_CHECK
    }
}

impl std::ops::Deref for Event {
    type Target = sys::mortise_event;
    fn deref(&self) -> &Self::Target {
        &self.raw
    }
}

/// A checkpoint file that was written or read.
pub struct CheckpointFile {
    /// Absolute.
    pub path: String,
    /// Without optimiser and callback states.
    pub weights_only: bool,
}

impl CheckpointFile {
    pub(crate) unsafe fn read(raw: *const sys::mortise_checkpoint_event) -> Self {
        let raw = copy_known(raw);
        CheckpointFile { path: string_of(raw.path), weights_only: raw.weights_only != 0 }
    }
}

/// Why a run ends early.
pub struct Failure {
    /// The user or a signal asked for it.
    pub interrupted: bool,
    pub message: String,
}

impl Failure {
    pub(crate) unsafe fn read(raw: *const sys::mortise_exception_event) -> Self {
        let raw = copy_known(raw);
        Failure { interrupted: raw.interrupted != 0, message: string_of(raw.message) }
    }
}
