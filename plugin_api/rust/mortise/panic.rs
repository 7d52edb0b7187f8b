//! Panics: none crosses the border, and none is reported in Rust's own way.
use crate::error::{Error, Result};
use crate::link::Link;
use crate::sys;
use std::any::Any;
use std::cell::Cell;
#[allow(deprecated)] // its name before Rust 1.81
use std::panic::PanicInfo;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// Where the newest panic of a thread was: plain bytes, since a type with a destructor would keep the library mapped.
#[derive(Clone, Copy)]
struct Place {
    text: [u8; 160],
    len: usize,
}

thread_local! {
    static PLACE: Cell<Place> = const { Cell::new(Place { text: [0; 160], len: 0 }) };
}

/// Instead of Rust's own hook, which asks for the thread's name and so leaves a destructor in the thread.
#[allow(deprecated)]
fn note_place(panic: &PanicInfo<'_>) {
    let place = panic.location().map_or_else(String::new, |at| format!("{}:{}", at.file(), at.line()));
    let mut kept = Place { text: [0; 160], len: place.len().min(160) };
    kept.text[..kept.len].copy_from_slice(&place.as_bytes()[..kept.len]);
    PLACE.with(|last| last.set(kept));
}

fn message_of(panic: Box<dyn Any + Send>) -> String {
    let place = PLACE.with(Cell::get);
    let place = String::from_utf8_lossy(&place.text[..place.len]).into_owned();
    let what = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => text.to_string(),
        (_, Some(text)) => text.clone(),
        _ => {
            std::mem::forget(panic); // its destructor could panic again
            return format!("panicked at {}", place);
        }
    };
    format!("panicked at {}: {}", place, what)
}

/// Runs code of the plugin; a panic becomes an error.
pub(crate) fn caught(work: impl FnOnce() -> Result<()>) -> Result<()> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(Error::new(message_of(panic))))
}

/// The same on behalf of the host: an error becomes a status and a text.
pub(crate) fn guarded(link: &Link, work: impl FnOnce() -> Result<()>) -> sys::mortise_status_t {
    match caught(work) {
        Ok(()) => sys::MORTISE_OK,
        Err(error) => {
            link.set_error(error.message());
            sys::MORTISE_PLUGIN_FAILED
        }
    }
}

pub(crate) fn install_hook() {
    std::panic::set_hook(Box::new(note_place));
}
