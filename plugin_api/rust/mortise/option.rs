//! Options: a constant table that declares them, and a reader of their values.
use crate::error::{found, Result};
use crate::link::{call, name_of, str_of, string_of, Link};
use crate::sys;
use crate::value::FromValue;

/// One declared option; each function returns a changed one.
///
/// `Opt::int("patience", "Checks without improvement before the stop").initially("3").at_least(0.0)`
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Opt(sys::mortise_option);

// Everything in it is constant text.
unsafe impl Sync for Opt {}

impl Opt {
    const fn new(kind: u32, key: &'static str, help: &'static str) -> Self {
        let none = sys::mortise_str { ptr: std::ptr::null(), len: 0 };
        Opt(sys::mortise_option {
            struct_size: std::mem::size_of::<sys::mortise_option>() as u32,
            type_: kind,
            flags: 0,
            reserved: 0,
            key: str_of(key),
            default_value: none,
            choices: none,
            unit: none,
            help: str_of(help),
            min: f64::NAN,
            max: f64::NAN,
        })
    }
    pub const fn bool(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_BOOL, key, help)
    }
    pub const fn int(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_INT, key, help)
    }
    pub const fn double(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_DOUBLE, key, help)
    }
    /// An integer is a count, a number with a point or an exponent a fraction.
    pub const fn number(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_NUMBER, key, help)
    }
    pub const fn text(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_STRING, key, help)
    }
    pub const fn path(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_PATH, key, help)
    }
    pub const fn list(key: &'static str, help: &'static str) -> Self {
        Opt::new(sys::MORTISE_OPTION_LIST, key, help)
    }
    /// `choices` are names with commas between them: "min,max".
    pub const fn choice(key: &'static str, choices: &'static str, help: &'static str) -> Self {
        let mut option = Opt::new(sys::MORTISE_OPTION_ENUM, key, help);
        option.0.choices = str_of(choices);
        option
    }
    /// A run without it is refused.
    pub const fn required(mut self) -> Self {
        self.0.flags |= sys::MORTISE_OPTION_REQUIRED;
        self
    }
    /// The default, as a user would write it; without one the option is unset unless the user sets it.
    pub const fn initially(mut self, text: &'static str) -> Self {
        self.0.default_value = str_of(text);
        self
    }
    pub const fn unit(mut self, name: &'static str) -> Self {
        self.0.unit = str_of(name);
        self
    }
    pub const fn at_least(mut self, smallest: f64) -> Self {
        self.0.min = smallest;
        self
    }
    pub const fn at_most(mut self, largest: f64) -> Self {
        self.0.max = largest;
        self
    }
}

/// A constant name: the id of a service, of a plugin.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Name(sys::mortise_str);

unsafe impl Sync for Name {}

impl Name {
    pub const fn new(name: &'static str) -> Self {
        Name(str_of(name))
    }
    /// A text constant of the headers: `Name::of(sys::MORTISE_MASKS)`.
    pub const fn of(name: &'static [u8]) -> Self {
        Name(str_of(name_of(name)))
    }
}

/// Values of the plugin's own options. [any-thread]
pub struct Options<'h> {
    pub(crate) link: &'h Link,
}

impl Options<'_> {
    fn value(&self, key: &str) -> Result<sys::mortise_value> {
        let mut value = sys::mortise_value::default();
        call!(self.link, options.get(str_of(key), &mut value))?;
        Ok(value)
    }
    /// The value of an option that has a default or is required: `get::<i64>("patience")`.
    pub fn get<T: FromValue>(&self, key: &str) -> Result<T> {
        T::from_value(&self.value(key)?)
    }
    /// The same; none if it is not set.
    pub fn find<T: FromValue>(&self, key: &str) -> Result<Option<T>> {
        match self.value(key)? {
            value if value.tag == sys::MORTISE_VALUE_NONE => Ok(None),
            value => T::from_value(&value).map(Some),
        }
    }
    /// The elements of a list; empty if it is not set.
    pub fn list(&self, key: &str) -> Result<Vec<String>> {
        let mut items = Vec::new();
        let mut item = sys::mortise_str::default();
        if self.value(key)?.tag == sys::MORTISE_VALUE_NONE {
            return Ok(items);
        }
        while found(call!(self.link, options.get_item(str_of(key), items.len() as u64, &mut item)))? {
            items.push(unsafe { string_of(item) });
        }
        Ok(items)
    }
}
