//! From a type to the instance and the table of events of the C interface. Used by `plugin!`.
use crate::error::{Error, Result};
use crate::event::{CheckpointFile, Event, Failure};
use crate::host::Host;
use crate::link::Link;
use crate::option::{Name, Opt};
use crate::panic::guarded;
use crate::state::StateDict;
use crate::sys;
use std::any::TypeId;
use std::cell::{Cell, UnsafeCell};
use std::ffi::c_void;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Arc;

/// What the host gave to the entry function.
pub(crate) static HOST: AtomicPtr<sys::mortise_host> = AtomicPtr::new(std::ptr::null_mut());

struct Instance<T> {
    host: Host,
    plugin: UnsafeCell<Option<T>>,
    busy: Cell<bool>,
}

/// The plugin's object while it waits for a service that may call it again.
#[derive(Clone, Copy)]
pub(crate) struct Lent {
    object: *mut c_void,
    kind: TypeId,
}

unsafe impl Send for Lent {}

/// Lends the object of the running event to events that come while `work` runs.
pub(crate) fn lend<T: Callback>(link: &Link, plugin: &mut T, work: impl FnOnce() -> Result<()>) -> Result<()> {
    link.lend(Some(Lent { object: plugin as *mut T as *mut c_void, kind: TypeId::of::<T>() }));
    let result = work();
    link.lend(None);
    result
}

/// Puts a value back at the end, also of a panic.
struct Restore<F: FnMut()>(F);

impl<F: FnMut()> Drop for Restore<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

impl<T: Callback> Instance<T> {
    fn with(&self, work: impl FnOnce(&mut T, &Host) -> Result<()>) -> Result<()> {
        let link = &self.host.link;
        if self.busy.replace(true) {
            return match link.lend(None) {
                Some(lent) if lent.kind == TypeId::of::<T>() => {
                    let _again = Restore(|| {
                        link.lend(Some(lent));
                    });
                    work(unsafe { &mut *(lent.object as *mut T) }, &self.host)
                }
                _ => Err(Error::with_code(sys::MORTISE_WRONG_STATE, "called while another event of it was running")),
            };
        }
        let _idle = Restore(|| self.busy.set(false));
        match unsafe { &mut *self.plugin.get() } {
            Some(plugin) => work(plugin, &self.host),
            None => Err(Error::with_code(sys::MORTISE_WRONG_STATE, "called after its shutdown")),
        }
    }
}

unsafe fn enter<T: Callback>(me: *mut c_void, work: impl FnOnce(&mut T, &Host) -> Result<()>) -> sys::mortise_status_t {
    let instance = &*(me as *const Instance<T>);
    guarded(&instance.host.link, || instance.with(work))
}

pub(crate) unsafe extern "C" fn create<T: Callback>(
    ctx: *mut sys::mortise_ctx,
    me: *mut *mut c_void,
) -> sys::mortise_status_t {
    let host = Host { link: Arc::new(Link::new(HOST.load(Ordering::Acquire), ctx)) };
    let link = host.link.clone();
    guarded(&link, || {
        let plugin = UnsafeCell::new(Some(T::create(&host)?));
        *me = Box::into_raw(Box::new(Instance { host, plugin, busy: Cell::new(false) })) as *mut c_void;
        Ok(())
    })
}

/// The object ends here and not in destroy: what it owns is given back while services still work.
pub(crate) unsafe extern "C" fn shutdown<T: Callback>(
    _: *mut sys::mortise_ctx,
    me: *mut c_void,
) -> sys::mortise_status_t {
    let status = enter(me, |plugin: &mut T, host| plugin.shutdown(host));
    let instance = &*(me as *const Instance<T>);
    let dropped = guarded(&instance.host.link, || {
        drop((*instance.plugin.get()).take());
        Ok(())
    });
    if status == sys::MORTISE_OK {
        dropped
    } else {
        status
    }
}

pub(crate) unsafe extern "C" fn destroy<T: Callback>(me: *mut c_void) {
    let instance = Box::from_raw(me as *mut Instance<T>);
    let link = instance.host.link.clone();
    link.close();
    guarded(&link, || {
        drop(instance);
        Ok(())
    });
}

// --- events ---

macro_rules! events {
    ($($name:ident)*) => {
        /// A plugin: what it takes part in. Whatever an event returns as an error ends the run with its text.
        ///
        /// The events are those of event.h, under the same names.
        #[allow(unused_variables)]
        pub trait Callback: Sized + 'static {
            /// All that it takes from the user.
            const OPTIONS: &'static [Opt] = &[];
            /// Services that it cannot do without: `&[Name::of(sys::MORTISE_MASKS)]`.
            const SERVICES: &'static [Name] = &[];
            /// Place among the plugins: smaller comes earlier.
            const PRIORITY: i32 = 0;
            /// Plugins that it is called before and after, among those of its priority; ids or instance names.
            const BEFORE: &'static [Name] = &[];
            const AFTER: &'static [Name] = &[];
            /// Version of what `state_save` writes; `state_load` is told the one that wrote.
            const STATE_VERSION: u32 = 0;

            /// Makes an instance; reads options. An error refuses it.
            fn create(host: &Host) -> Result<Self>;
            /// The last moment in which services answer; the object is dropped right after it.
            fn shutdown(&mut self, host: &Host) -> Result<()> {
                Ok(())
            }
            $(fn $name(&mut self, host: &Host, event: &Event) -> Result<()> {
                Ok(())
            })*
            fn on_exception(&mut self, host: &Host, failure: &Failure) -> Result<()> {
                Ok(())
            }
            fn state_save(&mut self, host: &Host, state: &StateDict<'_>) -> Result<()> {
                Ok(())
            }
            fn state_load(&mut self, host: &Host, state: &StateDict<'_>) -> Result<()> {
                Ok(())
            }
            fn on_checkpoint_saved(&mut self, host: &Host, file: &CheckpointFile) -> Result<()> {
                Ok(())
            }
            fn on_checkpoint_loaded(&mut self, host: &Host, file: &CheckpointFile) -> Result<()> {
                Ok(())
            }
        }

        /// No event is subscribed yet. Every slot of the header is named, so that none can be forgotten here.
        pub const fn no_events<T: Callback>() -> sys::mortise_events {
            sys::mortise_events {
                struct_size: std::mem::size_of::<sys::mortise_events>() as u32,
                priority: T::PRIORITY,
                $($name: None,)*
                on_exception: None,
                state_save: None,
                state_load: None,
                on_checkpoint_saved: None,
                on_checkpoint_loaded: None,
            }
        }

        /// One function for each of a callback: what having it means for the table of events.
        pub struct Subscribe<T>(std::marker::PhantomData<T>);

        impl<T: Callback> Subscribe<T> {
            $(pub const fn $name(mut table: sys::mortise_events) -> sys::mortise_events {
                unsafe extern "C" fn call<T: Callback>(
                    me: *mut c_void,
                    event: *const sys::mortise_event,
                ) -> sys::mortise_status_t {
                    enter(me, |plugin: &mut T, host| plugin.$name(host, &Event::read(event)))
                }
                table.$name = Some(call::<T>);
                table
            })*
        }
    };
}

events! {
    setup teardown
    on_fit_start on_fit_end on_sanity_check_start on_sanity_check_end on_train_start on_train_end
    on_train_epoch_start on_train_epoch_end on_train_batch_start on_train_batch_end
    on_before_zero_grad on_before_backward on_after_backward on_before_optimizer_step
    on_validation_start on_validation_end on_validation_epoch_start on_validation_epoch_end
    on_validation_batch_start on_validation_batch_end
    on_test_start on_test_end on_test_epoch_start on_test_epoch_end on_test_batch_start on_test_batch_end
    on_predict_start on_predict_end on_predict_epoch_start on_predict_epoch_end
    on_predict_batch_start on_predict_batch_end
}

/// The events with an argument of their own: trait method, struct of the header, how it is read.
macro_rules! other_events {
    ($($name:ident: $raw:ident, $read:expr;)*) => {
        impl<T: Callback> Subscribe<T> {
            $(pub const fn $name(mut table: sys::mortise_events) -> sys::mortise_events {
                unsafe extern "C" fn call<T: Callback>(
                    me: *mut c_void,
                    event: *const sys::$raw,
                ) -> sys::mortise_status_t {
                    enter(me, |plugin: &mut T, host| plugin.$name(host, &$read(host, event)))
                }
                table.$name = Some(call::<T>);
                table
            })*
            pub const fn create(table: sys::mortise_events) -> sys::mortise_events {
                table
            }
            pub const fn shutdown(table: sys::mortise_events) -> sys::mortise_events {
                table
            }
        }
    };
}

other_events! {
    on_exception: mortise_exception_event, |_, event| Failure::read(event);
    state_save: mortise_state_event, |host, event| StateDict::read(host, event);
    state_load: mortise_state_event, |host, event| StateDict::read(host, event);
    on_checkpoint_saved: mortise_checkpoint_event, |_, event| CheckpointFile::read(event);
    on_checkpoint_loaded: mortise_checkpoint_event, |_, event| CheckpointFile::read(event);
}
