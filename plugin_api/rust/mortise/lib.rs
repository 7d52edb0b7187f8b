//! Callbacks for the mortise training host in Rust: a trait with the events of a run, and one macro that makes a plugin of it.
//!
//! ```ignore
//! use mortise::{Event, Host, Result};
//!
//! struct Hello;
//!
//! mortise::plugin! {
//!     "hello", "1.0.0", "Says when an epoch is done", mortise::OBSERVER;
//!     impl Callback for Hello {
//!         fn create(_host: &Host) -> Result<Self> {
//!             Ok(Hello)
//!         }
//!         fn on_train_epoch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
//!             host.log().info(format!("epoch {} is done", event.epoch));
//!             Ok(())
//!         }
//!     }
//! }
//! ```
//!
//! What is safe here is safe whatever the host does: threads, handles and moments are checked by it, and what it refuses is an
//! [`Error`] with its text. `?` on any error ends the run with that error's text; so does a panic, which never crosses the
//! border. [`sys`] is the C interface itself, made from its headers.
//!
//! A library can be unloaded only if no destructor of it waits in a thread that lives on; the receipt of one that cannot says
//! `quarantined`. Seen to leave a destructor behind, with one version of Rust's library or another: `thread_local!` of a type
//! that has one, `std::thread::current` (and with it channels that wait, and Rust's own report of a panic, which [`plugin!`]
//! replaces), `std::thread::spawn` (use [`Jobs`]), `std::backtrace`. `println!` leaves a buffer of one KiB and, where it does not
//! end in a line, the text: use [`Log`]. Collections, files, locks, time and caught panics leave nothing.

mod checkpoint;
mod error;
mod event;
mod file;
mod hook;
mod host;
mod job;
mod link;
mod log;
mod metric;
mod model;
mod op;
mod optimizer;
mod option;
mod panic;
mod random;
mod run;
mod state;
mod tensor;
mod value;

#[doc(hidden)]
pub mod export;
#[doc(hidden)]
pub mod glue;
#[allow(non_camel_case_types, non_upper_case_globals, missing_docs, clippy::all)]
pub mod sys;

pub use checkpoint::Checkpoints;
pub use error::{Error, Result};
pub use event::{CheckpointFile, Event, Failure};
pub use file::{File, Files};
pub use glue::Callback;
pub use hook::{Hook, Hooks};
pub use host::Host;
pub use job::{Job, JobContext, Jobs};
pub use link::Table;
pub use log::Log;
pub use metric::{Metric, Metrics};
pub use model::{Masks, Model, ParameterInfo};
pub use op::{Op, Ops, Output};
pub use optimizer::{Optimizer, ParameterGroup};
pub use option::{Name, Opt, Options};
pub use random::Random;
pub use run::Run;
pub use state::StateDict;
pub use tensor::{AnyTensor, Element, Tensor, TensorInfo, TensorView, Tensors};
pub use value::{FromValue, ToValue};

/// `on_train_epoch_end` comes after the model's own.
pub const MONITORING: u32 = sys::MORTISE_PLUGIN_MONITORING;
/// Stays at the end of the list.
pub const CHECKPOINTING: u32 = sys::MORTISE_PLUGIN_CHECKPOINTING;
/// Changes nothing of the model, the optimiser or the run.
pub const OBSERVER: u32 = sys::MORTISE_PLUGIN_OBSERVER;
/// Starts threads itself and ends them in `shutdown`.
pub const OWN_THREADS: u32 = sys::MORTISE_PLUGIN_OWN_THREADS;
