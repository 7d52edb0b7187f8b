//! One value of a few kinds, as options and state dictionaries hold it.
use crate::error::{Error, Result};
use crate::link::string_of;
use crate::sys;

/// What can be read from a value.
pub trait FromValue: Sized {
    #[doc(hidden)]
    fn from_value(value: &sys::mortise_value) -> Result<Self>;
}

/// What can be stored. A text is borrowed for the call.
pub trait ToValue {
    #[doc(hidden)]
    fn to_value(&self) -> sys::mortise_value;
}

fn wrong<T>(wanted: &str) -> Result<T> {
    Err(Error::with_code(sys::MORTISE_INVALID_ARGUMENT, format!("the value is not {}", wanted)))
}

pub(crate) fn make(tag: u32, set: impl FnOnce(&mut sys::mortise_value)) -> sys::mortise_value {
    let mut value = sys::mortise_value { tag, ..Default::default() };
    set(&mut value);
    value
}

impl FromValue for bool {
    fn from_value(value: &sys::mortise_value) -> Result<Self> {
        match value.tag {
            sys::MORTISE_VALUE_BOOL => Ok(unsafe { value.as_.integer } != 0),
            _ => wrong("true or false"),
        }
    }
}

impl FromValue for f64 {
    fn from_value(value: &sys::mortise_value) -> Result<Self> {
        match value.tag {
            sys::MORTISE_VALUE_DOUBLE | sys::MORTISE_VALUE_SCALAR => Ok(unsafe { value.as_.number }),
            sys::MORTISE_VALUE_INT => Ok(unsafe { value.as_.integer } as f64),
            _ => wrong("a number"),
        }
    }
}

impl FromValue for String {
    fn from_value(value: &sys::mortise_value) -> Result<Self> {
        match value.tag {
            sys::MORTISE_VALUE_STRING => {
                Ok(unsafe { string_of(sys::mortise_str { ptr: value.as_.text, len: value.count }) })
            }
            _ => wrong("text"),
        }
    }
}

impl ToValue for bool {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_BOOL, |value| value.as_.integer = i64::from(*self))
    }
}

impl ToValue for f64 {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_DOUBLE, |value| value.as_.number = *self)
    }
}

impl ToValue for str {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_STRING, |value| {
            value.as_.text = self.as_ptr() as *const _;
            value.count = self.len() as u64;
        })
    }
}

impl ToValue for String {
    fn to_value(&self) -> sys::mortise_value {
        self.as_str().to_value()
    }
}

impl<T: ToValue + ?Sized> ToValue for &T {
    fn to_value(&self) -> sys::mortise_value {
        (**self).to_value()
    }
}

macro_rules! integers {
    ($($integer:ident)*) => {
        $(impl FromValue for $integer {
            fn from_value(value: &sys::mortise_value) -> Result<Self> {
                match value.tag {
                    sys::MORTISE_VALUE_INT => Ok($integer::try_from(unsafe { value.as_.integer })?),
                    _ => wrong("an integer"),
                }
            }
        })*
    };
}
integers!(i32 i64 u32 u64 usize);

impl<T: ToValue> ToValue for Option<T> {
    fn to_value(&self) -> sys::mortise_value {
        self.as_ref().map_or_else(sys::mortise_value::default, ToValue::to_value)
    }
}

impl ToValue for [i64] {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_INT_LIST, |value| {
            value.as_.integers = self.as_ptr();
            value.count = self.len() as u64;
        })
    }
}

impl ToValue for [f64] {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_DOUBLE_LIST, |value| {
            value.as_.numbers = self.as_ptr();
            value.count = self.len() as u64;
        })
    }
}

impl ToValue for i64 {
    fn to_value(&self) -> sys::mortise_value {
        make(sys::MORTISE_VALUE_INT, |value| value.as_.integer = *self)
    }
}
