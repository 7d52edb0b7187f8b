//! Says how far the training is, at the end of each epoch.
use mortise::{Event, Host, Result};

struct MyFirstCallback;

mortise::plugin! {
    "first_in_rust", "1.0.0", "Says when an epoch is done", mortise::OBSERVER;
    impl Callback for MyFirstCallback {
        fn create(_host: &Host) -> Result<Self> {
            Ok(MyFirstCallback)
        }
        fn on_train_epoch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            host.log().info(format!("epoch {} is done after {} steps", event.epoch, event.global_step));
            Ok(())
        }
    }
}
