//! The thread between a plugin's instance and the host: its context and the host's tables.
use crate::error::{Error, Result};
use crate::glue::Lent;
use crate::sys;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Mutex;

/// A function of a table: none if the table is missing, its writer did not know the function, or it is null.
macro_rules! slot {
    ($table:expr, $slot:ident) => {{
        let table = $table;
        if table.is_null() {
            None
        } else {
            #[allow(unused_unsafe)]
            unsafe {
                let at = std::ptr::addr_of!((*table).$slot);
                let end = at as usize - table as usize + std::mem::size_of::<usize>();
                if (*table).struct_size as usize >= end {
                    *at
                } else {
                    None
                }
            }
        }
    }};
}
pub(crate) use slot;

/// Calls a service: `call!(link, tensors.release(handle))` is a `Result<()>`.
macro_rules! call {
    ($link:expr, $table:ident.$slot:ident($($argument:expr),* $(,)?)) => {{
        let link: &$crate::link::Link = $link;
        match $crate::link::slot!(link.$table, $slot) {
            Some(function) if link.is_open() => link.check(unsafe { function(link.ctx, $($argument),*) }),
            _ => Err(link.lacks($crate::link::id_of(link.$table), stringify!($slot))),
        }
    }};
}
pub(crate) use call;

/// Borrowed text as the interface passes it.
pub(crate) const fn str_of(text: &str) -> sys::mortise_str {
    sys::mortise_str { ptr: text.as_ptr() as *const _, len: text.len() as u64 }
}

/// A copy of the host's text.
///
/// # Safety
/// The text is one that the host handed out just now.
pub(crate) unsafe fn string_of(text: sys::mortise_str) -> String {
    if text.ptr.is_null() || text.len == 0 {
        return String::new();
    }
    String::from_utf8_lossy(std::slice::from_raw_parts(text.ptr as *const u8, text.len as usize)).into_owned()
}

/// A string constant of the headers without its zero byte.
pub const fn name_of(text: &'static [u8]) -> &'static str {
    match text {
        [name @ .., 0] => match std::str::from_utf8(name) {
            Ok(name) => name,
            Err(_) => "",
        },
        _ => "",
    }
}

/// A table of the host, by the id that the headers give to its type.
pub trait Table: Sized {
    const ID: &'static [u8];
}

macro_rules! tables {
    ($($name:ident: $table:ident = $id:ident,)*) => {
        $(impl Table for sys::$table {
            const ID: &'static [u8] = sys::$id;
        })*

        /// One for each instance. Tables that the host lacks are null.
        pub struct Link {
            pub(crate) ctx: *mut sys::mortise_ctx,
            open: AtomicBool,
            lent: Mutex<Option<Lent>>,
            host: *const sys::mortise_host,
            $(pub(crate) $name: *const sys::$table,)*
        }

        impl Link {
            /// # Safety
            /// `host` is what the entry function got, `ctx` what `instance_create` did.
            pub(crate) unsafe fn new(host: *const sys::mortise_host, ctx: *mut sys::mortise_ctx) -> Self {
                Link { ctx, open: AtomicBool::new(true), lent: Mutex::new(None), host, $($name: find(host, ctx),)* }
            }
        }
    };
}

tables! {
    log: mortise_host_log = MORTISE_LOG,
    options: mortise_host_options = MORTISE_OPTIONS,
    run: mortise_host_run = MORTISE_RUN,
    metrics: mortise_host_metrics = MORTISE_METRICS,
    model: mortise_host_model = MORTISE_MODEL,
    masks: mortise_host_masks = MORTISE_MASKS,
    tensors: mortise_host_tensors = MORTISE_TENSORS,
    state_dict: mortise_host_state_dict = MORTISE_STATE_DICT,
    checkpoints: mortise_host_checkpoints = MORTISE_CHECKPOINTS,
    files: mortise_host_files = MORTISE_FILES,
    jobs: mortise_host_jobs = MORTISE_JOBS,
    hooks: mortise_host_hooks = MORTISE_HOOKS,
    random: mortise_host_random = MORTISE_RANDOM,
    ops: mortise_host_ops = MORTISE_OPS,
    optimizer: mortise_host_optimizer = MORTISE_OPTIMIZER,
}

/// The ids of tables that have no functions in this layer: `Host::table` finds them.
macro_rules! other_tables {
    ($($table:ident = $id:ident,)*) => {
        $(impl Table for sys::$table {
            const ID: &'static [u8] = sys::$id;
        })*
    };
}

other_tables! {
    mortise_host_dlpack = MORTISE_DLPACK,
    mortise_host_exchange = MORTISE_EXCHANGE,
    mortise_host_memory = MORTISE_MEMORY,
    mortise_host_modules = MORTISE_MODULES,
    mortise_host_streams = MORTISE_STREAMS,
    mortise_host_threads = MORTISE_THREADS,
    mortise_host_timers = MORTISE_TIMERS,
}

// Each function of the host checks from which thread it is called.
unsafe impl Send for Link {}
unsafe impl Sync for Link {}

unsafe fn find<T: Table>(host: *const sys::mortise_host, ctx: *mut sys::mortise_ctx) -> *const T {
    let mut table: *const c_void = std::ptr::null();
    match slot!(host, get_service) {
        Some(get) if get(ctx, str_of(name_of(T::ID)), &mut table) == sys::MORTISE_OK => table as *const T,
        _ => std::ptr::null(),
    }
}

impl Link {
    /// A table that this layer does not know by name.
    pub(crate) fn table<T: Table>(&self) -> Option<&T> {
        unsafe { find::<T>(self.host, self.ctx).as_ref() }
    }
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Acquire)
    }
    /// Sets what is lent (glue.rs); returns what was.
    pub(crate) fn lend(&self, lent: Option<Lent>) -> Option<Lent> {
        std::mem::replace(&mut *self.lent.lock().unwrap_or_else(|poisoned| poisoned.into_inner()), lent)
    }
    /// No service may be called any more.
    pub(crate) fn close(&self) {
        self.open.store(false, Ordering::Release);
    }
    pub(crate) fn check(&self, status: sys::mortise_status_t) -> Result<()> {
        if status == sys::MORTISE_OK {
            return Ok(());
        }
        let mut text = sys::mortise_str::default();
        if let Some(last_error) = slot!(self.log, last_error) {
            unsafe { last_error(self.ctx, &mut text) };
        }
        let message = unsafe { string_of(text) };
        Err(Error::with_code(
            status,
            if message.is_empty() { format!("the host answered {}", status) } else { message },
        ))
    }
    pub(crate) fn set_error(&self, message: &str) {
        if let Some(set_error) = slot!(self.log, set_error) {
            unsafe { set_error(self.ctx, str_of(message)) };
        }
    }
    pub(crate) fn lacks(&self, id: &'static [u8], slot: &str) -> Error {
        let id = name_of(id);
        if self.is_open() {
            Error::with_code(sys::MORTISE_UNSUPPORTED, format!("this host has no {} of {}", slot, id))
        } else {
            Error::with_code(sys::MORTISE_WRONG_STATE, format!("{} of {} was called after shutdown", slot, id))
        }
    }
}

pub(crate) fn id_of<T: Table>(_: *const T) -> &'static [u8] {
    T::ID
}
