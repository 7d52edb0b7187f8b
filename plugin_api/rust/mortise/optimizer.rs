//! The optimiser, from `on_fit_start` to `on_fit_end`. [train-thread]
use crate::error::Result;
use crate::link::{call, str_of, string_of, Link};
use crate::sys;
use crate::tensor::TensorView;
use std::sync::Arc;

/// Parameters with settings in common.
pub type ParameterGroup = sys::mortise_param_group_info;

pub struct Optimizer<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl<'h> Optimizer<'h> {
    /// torch's name of its class: "SGD", "AdamW".
    pub fn name(&self) -> Result<String> {
        let mut name = sys::mortise_str::default();
        call!(self.link, optimizer.name(&mut name))?;
        Ok(unsafe { string_of(name) })
    }
    pub fn group_count(&self) -> Result<u64> {
        let mut count = 0;
        call!(self.link, optimizer.group_count(&mut count))?;
        Ok(count)
    }
    pub fn group(&self, index: u64) -> Result<ParameterGroup> {
        let struct_size = std::mem::size_of::<ParameterGroup>() as u32;
        let mut info = ParameterGroup { struct_size, ..Default::default() };
        call!(self.link, optimizer.group_info(index, &mut info))?;
        Ok(info)
    }
    /// Sets the learning rate of a group from the next step on.
    pub fn set_lr(&self, group: u64, lr: f64) -> Result<()> {
        call!(self.link, optimizer.set_lr(group, lr))
    }
    /// A tensor of a parameter's state, such as "exp_avg", borrowed until the event returns.
    pub fn state(&self, parameter: u64, name: &str) -> Result<TensorView<'h>> {
        let mut handle = 0;
        call!(self.link, optimizer.state(parameter, str_of(name), &mut handle))?;
        Ok(TensorView { link: self.link, handle })
    }
}
