//! Errors: what a service answered, or a failure of the plugin's own.
use crate::sys;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A status code and a text; the text becomes the run's message. Made by `?` from every error of Rust's.
#[derive(Debug, Clone)]
pub struct Error {
    code: sys::mortise_status_t,
    message: String,
}

impl Error {
    /// A failure of the plugin's own.
    pub fn new(message: impl Into<String>) -> Self {
        Error::with_code(sys::MORTISE_PLUGIN_FAILED, message)
    }
    /// One with a code of status.h.
    pub fn with_code(code: sys::mortise_status_t, message: impl Into<String>) -> Self {
        Error { code, message: message.into() }
    }
    /// `sys::MORTISE_NOT_FOUND` and so on.
    pub fn code(&self) -> sys::mortise_status_t {
        self.code
    }
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.message)
    }
}

// Error itself is no std::error::Error: this line would then contradict the one of the language, From<T> for T.
impl<E: std::error::Error> From<E> for Error {
    fn from(error: E) -> Self {
        Error::new(error.to_string())
    }
}

/// False where a lookup says that there is no such thing.
pub(crate) fn found(answer: Result<()>) -> Result<bool> {
    match answer {
        Ok(()) => Ok(true),
        Err(error) if error.code == sys::MORTISE_NOT_FOUND => Ok(false),
        Err(error) => Err(error),
    }
}
