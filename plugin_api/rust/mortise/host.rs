//! The host as a plugin sees it: one function a service.
use crate::error::Result;
use crate::link::{call, str_of, Link, Table};
use crate::*;
use std::sync::Arc;

/// Cheap to clone; usable to the end of `shutdown`, an error afterwards.
#[derive(Clone)]
pub struct Host {
    pub(crate) link: Arc<Link>,
}

impl Host {
    pub fn log(&self) -> Log<'_> {
        Log { link: &self.link }
    }
    pub fn options(&self) -> Options<'_> {
        Options { link: &self.link }
    }
    pub fn run(&self) -> Run<'_> {
        Run { link: &self.link }
    }
    pub fn metrics(&self) -> Metrics<'_> {
        Metrics { link: &self.link }
    }
    pub fn model(&self) -> Model<'_> {
        Model { link: &self.link }
    }
    pub fn masks(&self) -> Masks<'_> {
        Masks { link: &self.link }
    }
    pub fn tensors(&self) -> Tensors<'_> {
        Tensors { link: &self.link }
    }
    pub fn checkpoints(&self) -> Checkpoints<'_> {
        Checkpoints { link: &self.link }
    }
    pub fn files(&self) -> Files<'_> {
        Files { link: &self.link }
    }
    pub fn jobs(&self) -> Jobs<'_> {
        Jobs { link: &self.link }
    }
    pub fn hooks(&self) -> Hooks<'_> {
        Hooks { link: &self.link }
    }
    pub fn random(&self) -> Random<'_> {
        Random { link: &self.link }
    }
    pub fn ops(&self) -> Ops<'_> {
        Ops { link: &self.link }
    }
    pub fn optimizer(&self) -> Optimizer<'_> {
        Optimizer { link: &self.link }
    }

    /// Names the instance's entry in a checkpoint. In `create` only.
    pub fn set_state_key(&self, key: &str) -> Result<()> {
        call!(&self.link, state_dict.set_state_key(str_of(key)))
    }

    /// A table of the C interface and the context for its calls, for what this layer has no function for; none if this host
    /// lacks it. A function that its writer did not know lies past `struct_size`.
    pub fn table<T: Table>(&self) -> Option<(&T, *mut sys::mortise_ctx)> {
        self.link.table::<T>().map(|table| (table, self.link.ctx))
    }
}
