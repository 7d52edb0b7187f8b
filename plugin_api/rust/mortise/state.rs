//! Dictionaries of plain values: what a plugin puts into a checkpoint and takes out again.
use crate::error::{found, Result};
use crate::event::copy_known;
use crate::host::Host;
use crate::link::{call, str_of, string_of, Link};
use crate::sys;
use crate::tensor::TensorView;
use crate::value::{FromValue, ToValue};
use std::sync::Arc;

/// Valid until the event returns.
#[derive(Clone, Copy)]
pub struct StateDict<'h> {
    pub(crate) link: &'h Arc<Link>,
    pub(crate) handle: sys::mortise_handle_t,
    version: u32,
}

impl<'h> StateDict<'h> {
    pub(crate) unsafe fn read(host: &'h Host, raw: *const sys::mortise_state_event) -> Self {
        let raw = copy_known(raw);
        StateDict { link: &host.link, handle: raw.state, version: raw.state_version }
    }
    /// `STATE_VERSION` of the plugin that wrote it; 0: none.
    pub fn version(&self) -> u32 {
        self.version
    }
    /// Stores a value: a bool, a number, a text or a tensor, which is copied. A key that exists is replaced.
    pub fn put(&self, key: &str, value: impl ToValue) -> Result<()> {
        call!(self.link, state_dict.put(self.handle, str_of(key), &value.to_value()))
    }
    /// Makes a dictionary inside this one.
    pub fn put_dict(&self, key: &str) -> Result<StateDict<'h>> {
        let mut handle = 0;
        call!(self.link, state_dict.put_dict(self.handle, str_of(key), &mut handle))?;
        Ok(StateDict { link: self.link, handle, version: self.version })
    }
    fn value(&self, key: &str) -> Result<sys::mortise_value> {
        let mut value = sys::mortise_value::default();
        call!(self.link, state_dict.get(self.handle, str_of(key), &mut value))?;
        Ok(value)
    }
    pub fn get<T: FromValue>(&self, key: &str) -> Result<T> {
        T::from_value(&self.value(key)?)
    }
    /// The same; none if the key is missing.
    pub fn find<T: FromValue>(&self, key: &str) -> Result<Option<T>> {
        match self.value(key) {
            Err(error) if error.code() == sys::MORTISE_NOT_FOUND => Ok(None),
            value => T::from_value(&value?).map(Some),
        }
    }
    /// A tensor of several elements, borrowed.
    pub fn tensor(&self, key: &str) -> Result<TensorView<'h>> {
        let value = self.value(key)?;
        if value.tag != sys::MORTISE_VALUE_HANDLE {
            return Err(crate::Error::with_code(sys::MORTISE_INVALID_ARGUMENT, "the state's entry is no tensor"));
        }
        Ok(TensorView { link: self.link, handle: unsafe { value.as_.handle } })
    }
    pub fn find_dict(&self, key: &str) -> Result<Option<StateDict<'h>>> {
        let mut handle = 0;
        let there = found(call!(self.link, state_dict.get_dict(self.handle, str_of(key), &mut handle)))?;
        Ok(there.then(|| StateDict { link: self.link, handle, version: self.version }))
    }
    /// In order.
    pub fn keys(&self) -> Result<Vec<String>> {
        let mut keys = Vec::new();
        let mut key = sys::mortise_str::default();
        while found(call!(self.link, state_dict.key_at(self.handle, keys.len() as u64, &mut key)))? {
            keys.push(unsafe { string_of(key) });
        }
        Ok(keys)
    }
}
