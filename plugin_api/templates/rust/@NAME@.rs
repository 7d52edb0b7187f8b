//! @NAME@: says how far the training is.
use mortise::{Event, Host, Opt, Result, StateDict};

struct @CLASS@ {
    every: i64,
    epochs: i64,
}

mortise::plugin! {
    // An observer changes nothing of the run; take the flag away for a plugin that does.
    "@NAME@", "0.1.0", "Says how far the training is", mortise::OBSERVER;
    impl Callback for @CLASS@ {
        // What a user may set: --@NAME@.every 5
        const OPTIONS: &'static [Opt] =
            &[Opt::int("every", "Say it every so many epochs").initially("1").at_least(1.0).unit("epochs")];

        fn create(host: &Host) -> Result<Self> {
            Ok(@CLASS@ { every: host.options().get("every")?, epochs: 0 })
        }

        // Other events have the names that stand in mortise/event.h.
        fn on_train_epoch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            self.epochs += 1;
            if self.epochs % self.every == 0 {
                host.log().info(format!("{} epochs, {} steps", self.epochs, event.global_step));
            }
            Ok(())
        }

        // A run that is resumed from a checkpoint counts on.
        fn state_save(&mut self, _host: &Host, state: &StateDict<'_>) -> Result<()> {
            state.put("epochs", self.epochs)
        }
        fn state_load(&mut self, _host: &Host, state: &StateDict<'_>) -> Result<()> {
            self.epochs = state.get("epochs")?;
            Ok(())
        }
    }
}
