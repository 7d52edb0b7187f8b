//! Fails in the way and at the place that its options name.
use mortise::{Event, Host, Opt, Result};
use std::cell::RefCell;

struct Faults {
    how: String,
}

thread_local! {
    static PINS: RefCell<Vec<u8>> = RefCell::new(Vec::new());
}

/// Panics in its destructor.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("a bomb was dropped");
    }
}

fn fail(how: &str, here: &str, host: &Host) -> Result<()> {
    match how.strip_suffix(here).and_then(|how| how.strip_suffix(" in ")) {
        Some("panic") => panic!("out of {}", "cheese"),
        Some("bomb") => std::panic::panic_any(Bomb),
        Some("index") => Err(mortise::Error::new(["a", "b"][how.len()])),
        Some("error") => "ten".parse::<i32>().map(drop).map_err(Into::into),
        Some("pin") => Ok(PINS.with(|pins| pins.borrow_mut().push(1))),
        Some("keep") => {
            std::mem::forget(host.tensors().zeros(mortise::sys::MORTISE_FLOAT32, &[8], mortise::sys::MORTISE_CPU)?);
            Ok(())
        }
        Some("job panic") => host.jobs().submit(|_| panic!("out of cheese in a job"))?.wait(),
        _ => Ok(()),
    }
}

mortise::plugin! {
    "rust_faults", "0.1.0", "Fails as it is told to", mortise::OBSERVER;
    impl Callback for Faults {
        const OPTIONS: &'static [Opt] = &[Opt::text("how", "What, and in which event").required()];

        fn create(host: &Host) -> Result<Self> {
            let how: String = host.options().get("how")?;
            fail(&how, "create", host)?;
            Ok(Faults { how })
        }
        fn on_train_batch_end(&mut self, host: &Host, _event: &Event) -> Result<()> {
            fail(&self.how, "batch", host)
        }
        fn shutdown(&mut self, host: &Host) -> Result<()> {
            fail(&self.how, "shutdown", host)
        }
    }
}
