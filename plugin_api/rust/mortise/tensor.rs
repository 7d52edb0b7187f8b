//! Tensors: borrowed ones as `TensorView`, ones that the plugin made as `Tensor`.
use crate::error::{Error, Result};
use crate::link::{call, Link};
use crate::sys;
use crate::value::{make, ToValue};
use std::sync::Arc;

/// A type that tensors are read into and written from.
///
/// # Safety
/// `DTYPE` is the type's own, and every pattern of bits is a value of it.
pub unsafe trait Element: Copy + Default + 'static {
    const DTYPE: sys::mortise_dtype_t;
}

macro_rules! elements {
    ($($element:ident = $dtype:ident,)*) => {
        $(unsafe impl Element for $element {
            const DTYPE: sys::mortise_dtype_t = sys::$dtype;
        })*
    };
}
elements! {
    u8 = MORTISE_UINT8,
    i8 = MORTISE_INT8,
    i16 = MORTISE_INT16,
    i32 = MORTISE_INT32,
    i64 = MORTISE_INT64,
    f32 = MORTISE_FLOAT32,
    f64 = MORTISE_FLOAT64,
}

/// Type, place and shape.
pub struct TensorInfo {
    raw: sys::mortise_tensor_info,
}

impl TensorInfo {
    pub fn shape(&self) -> &[i64] {
        &self.raw.shape[..(self.raw.dims as usize).min(self.raw.shape.len())]
    }
}

impl std::ops::Deref for TensorInfo {
    type Target = sys::mortise_tensor_info;
    fn deref(&self) -> &Self::Target {
        &self.raw
    }
}

/// What can be done with a tensor, whoever owns it.
pub trait AnyTensor {
    #[doc(hidden)]
    fn link(&self) -> &Arc<Link>;
    fn handle(&self) -> sys::mortise_handle_t;

    /// [any-thread]
    fn info(&self) -> Result<TensorInfo> {
        let struct_size = std::mem::size_of::<sys::mortise_tensor_info>() as u32;
        let mut raw = sys::mortise_tensor_info { struct_size, ..Default::default() };
        call!(self.link(), tensors.info(self.handle(), &mut raw))?;
        Ok(TensorInfo { raw })
    }
    /// All elements, row-major, converted to `T`. Waits for the device. [train-thread] [load-thread] [job-thread]
    fn read<T: Element>(&self) -> Result<Vec<T>> {
        let mut values = vec![T::default(); self.info()?.elements as usize];
        self.read_into(&mut values)?;
        Ok(values)
    }
    /// The same into a buffer of the right length.
    fn read_into<T: Element>(&self, target: &mut [T]) -> Result<()> {
        let size = std::mem::size_of_val(target) as u64;
        call!(self.link(), tensors.read(self.handle(), T::DTYPE, target.as_mut_ptr() as *mut _, size))
    }
    /// Sets all elements. [train-thread] [load-thread]
    fn write<T: Element>(&self, source: &[T]) -> Result<()> {
        let size = std::mem::size_of_val(source) as u64;
        call!(self.link(), tensors.write(self.handle(), T::DTYPE, source.as_ptr() as *const _, size))
    }
    /// Sets all elements from a tensor of the same shape. [train-thread] [load-thread]
    fn copy_from(&self, source: &impl AnyTensor) -> Result<()>
    where
        Self: Sized,
    {
        call!(self.link(), tensors.copy(self.handle(), source.handle()))
    }
    /// The value of a tensor with one element.
    fn item<T: Element>(&self) -> Result<T> {
        match self.read::<T>()?[..] {
            [value] => Ok(value),
            ref values => Err(Error::new(format!("item: the tensor has {} elements", values.len()))),
        }
    }
    /// A copy of the caller's own, on `sys::MORTISE_CPU`, or `sys::MORTISE_CUDA` for the run's device.
    fn to(&self, device: u32) -> Result<Tensor> {
        let mut handle = 0;
        call!(self.link(), tensors.clone(self.handle(), device, &mut handle))?;
        Ok(Tensor { link: self.link().clone(), handle })
    }
}

/// A tensor that somebody else owns; the host refuses its handle once the event is over.
#[derive(Clone, Copy)]
pub struct TensorView<'h> {
    pub(crate) link: &'h Arc<Link>,
    pub(crate) handle: sys::mortise_handle_t,
}

impl AnyTensor for TensorView<'_> {
    fn link(&self) -> &Arc<Link> {
        self.link
    }
    fn handle(&self) -> sys::mortise_handle_t {
        self.handle
    }
}

impl ToValue for TensorView<'_> {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_HANDLE, |value| value.as_.handle = self.handle)
    }
}

/// A tensor that the plugin owns; released with the object.
pub struct Tensor {
    link: Arc<Link>,
    handle: sys::mortise_handle_t,
}

impl AnyTensor for Tensor {
    fn link(&self) -> &Arc<Link> {
        &self.link
    }
    fn handle(&self) -> sys::mortise_handle_t {
        self.handle
    }
}

impl Tensor {
    pub(crate) fn own(link: Arc<Link>, handle: sys::mortise_handle_t) -> Self {
        Tensor { link, handle }
    }
}

impl ToValue for Tensor {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_HANDLE, |value| value.as_.handle = self.handle)
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        let _ = call!(&self.link, tensors.release(self.handle)); // nobody is left to tell; the host releases what stays
    }
}

pub struct Tensors<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl<'h> Tensors<'h> {
    /// A new tensor, filled with zeros. [train-thread] [load-thread] [job-thread]
    pub fn zeros(&self, dtype: sys::mortise_dtype_t, shape: &[i64], device: u32) -> Result<Tensor> {
        let mut handle = 0;
        call!(self.link, tensors.create(dtype, shape.as_ptr(), shape.len() as u32, device, &mut handle))?;
        Ok(Tensor { link: self.link.clone(), handle })
    }
    /// A borrowed tensor of an event: `host.tensors().view(event.loss)`.
    pub fn view(&self, handle: sys::mortise_handle_t) -> TensorView<'h> {
        TensorView { link: self.link, handle }
    }
}
