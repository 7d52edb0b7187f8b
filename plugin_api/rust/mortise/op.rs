//! Operators: any of ATen's, found once by the text of its schema and called through the dispatcher.
use crate::error::{Error, Result};
use crate::link::{call, str_of, Link};
use crate::sys;
use crate::tensor::Tensor;
use crate::value::ToValue;
use std::sync::Arc;

pub struct Ops<'h> {
    pub(crate) link: &'h Arc<Link>,
}

impl Ops<'_> {
    /// `resolve("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")`; without a signature, whatever it is
    /// now. [train-thread] [load-thread] [job-thread]
    pub fn resolve(&self, schema: &str) -> Result<Op> {
        let mut handle = 0;
        call!(self.link, ops.resolve(str_of(schema), std::ptr::null_mut(), &mut handle))?;
        Ok(Op { link: self.link.clone(), handle })
    }
}

/// What an operator gave.
pub enum Output {
    Tensor(Tensor),
    /// The tensor of an argument, as of an operator that works in place.
    Argument(sys::mortise_handle_t),
    Bool(bool),
    Int(i64),
    Double(f64),
    None,
}

/// An operator; given back with the object.
pub struct Op {
    link: Arc<Link>,
    handle: sys::mortise_handle_t,
}

impl Op {
    /// Calls it for its effect: `add_.run(&[&weight, &update])`.
    pub fn run(&self, arguments: &[&dyn ToValue]) -> Result<()> {
        self.raw(arguments, &mut []).map(drop)
    }
    /// Calls it for its one result, a new tensor.
    pub fn tensor(&self, arguments: &[&dyn ToValue]) -> Result<Tensor> {
        match self.call(arguments, 1)?.pop() {
            Some(Output::Tensor(tensor)) => Ok(tensor),
            _ => Err(Error::with_code(sys::MORTISE_INVALID_ARGUMENT, "the operator gave no tensor of its own")),
        }
    }
    /// Calls it for all its results, `n` as in its schema; none of them a list. [train-thread] [load-thread] [job-thread]
    pub fn call(&self, arguments: &[&dyn ToValue], n: usize) -> Result<Vec<Output>> {
        let mut results = vec![sys::mortise_value::default(); n];
        let given = self.raw(arguments, &mut results)?;
        Ok(results.iter().map(|result| self.output(result, &given)).collect())
    }
    fn raw(&self, arguments: &[&dyn ToValue], results: &mut [sys::mortise_value]) -> Result<Vec<sys::mortise_value>> {
        let given: Vec<_> = arguments.iter().map(|argument| argument.to_value()).collect();
        let (n_args, n_rets) = (given.len() as u32, results.len() as u32);
        call!(&self.link, ops.call(self.handle, given.as_ptr(), n_args, results.as_mut_ptr(), n_rets, 0))?;
        Ok(given)
    }
    fn output(&self, result: &sys::mortise_value, given: &[sys::mortise_value]) -> Output {
        let handle = |value: &sys::mortise_value| match value.tag {
            sys::MORTISE_VALUE_HANDLE => Some(unsafe { value.as_.handle }),
            _ => None,
        };
        match (result.tag, handle(result)) {
            (_, Some(made)) if given.iter().any(|argument| handle(argument) == Some(made)) => Output::Argument(made),
            (_, Some(made)) => Output::Tensor(Tensor::own(self.link.clone(), made)),
            (sys::MORTISE_VALUE_BOOL, _) => Output::Bool(unsafe { result.as_.integer } != 0),
            (sys::MORTISE_VALUE_INT, _) => Output::Int(unsafe { result.as_.integer }),
            (sys::MORTISE_VALUE_DOUBLE, _) => Output::Double(unsafe { result.as_.number }),
            _ => Output::None,
        }
    }
}

impl Drop for Op {
    fn drop(&mut self) {
        let _ = call!(&self.link, ops.release(self.handle));
    }
}
