//! The model's parameters, in the order of registration, and masks on them. [train-thread]
use crate::error::Result;
use crate::link::{call, string_of, Link};
use crate::sys;
use crate::tensor::TensorView;
use std::sync::Arc;

/// One parameter; the other fields are those of `mortise_parameter_info_t`.
pub struct ParameterInfo {
    raw: sys::mortise_parameter_info,
    /// As in the state dict.
    pub name: String,
    /// The owner's path.
    pub module: String,
    /// The owner's class, torch's name.
    pub module_type: String,
}

impl ParameterInfo {
    pub fn shape(&self) -> &[i64] {
        &self.raw.shape[..(self.raw.dims as usize).min(self.raw.shape.len())]
    }
}

impl std::ops::Deref for ParameterInfo {
    type Target = sys::mortise_parameter_info;
    fn deref(&self) -> &Self::Target {
        &self.raw
    }
}

/// A parameter is named by its index.
pub struct Model<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl<'h> Model<'h> {
    pub fn parameter_count(&self) -> Result<u64> {
        let mut count = 0;
        call!(self.link, model.parameter_count(&mut count))?;
        Ok(count)
    }
    pub fn parameter_info(&self, index: u64) -> Result<ParameterInfo> {
        let struct_size = std::mem::size_of::<sys::mortise_parameter_info>() as u32;
        let mut raw = sys::mortise_parameter_info { struct_size, ..Default::default() };
        call!(self.link, model.parameter_info(index, &mut raw))?;
        let [name, module, module_type] =
            [raw.name, raw.module, raw.module_type].map(|text| unsafe { string_of(text) });
        Ok(ParameterInfo { raw, name, module, module_type })
    }
    /// Borrowed until the event returns.
    pub fn parameter(&self, index: u64) -> Result<TensorView<'h>> {
        let mut handle = 0;
        call!(self.link, model.parameter(index, &mut handle))?;
        Ok(TensorView { link: self.link, handle })
    }
    /// The same for its gradient; none if there is no gradient.
    pub fn gradient(&self, index: u64) -> Result<Option<TensorView<'h>>> {
        let mut handle = 0;
        let there = crate::error::found(call!(self.link, model.gradient(index, &mut handle)))?;
        Ok(there.then(|| TensorView { link: self.link, handle }))
    }
}

/// The host zeroes masked entries at once, their gradients before clipping and their weights after each optimiser step.
pub struct Masks<'h> {
    pub(crate) link: &'h Link,
}

impl Masks<'_> {
    /// Sets or replaces the mask of a parameter: a byte an element, row-major, 1 keeps and 0 masks.
    pub fn set(&self, parameter: u64, keep: &[u8]) -> Result<()> {
        call!(self.link, masks.set(parameter, keep.as_ptr(), keep.len() as u64))
    }
    /// Copies the mask of a parameter of as many elements as the buffer has.
    pub fn get(&self, parameter: u64, keep: &mut [u8]) -> Result<()> {
        call!(self.link, masks.get(parameter, keep.as_mut_ptr(), keep.len() as u64))
    }
    /// Ends a mask: `sys::MORTISE_MASK_BAKE` or `sys::MORTISE_MASK_KEEP`.
    pub fn clear(&self, parameter: u64, how: u32) -> Result<()> {
        call!(self.link, masks.clear(parameter, how))
    }
}
