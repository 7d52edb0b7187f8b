//! Uses the Rust layer's services once in a fit. Kept as a binary: see ../README.md.
use mortise::{sys, AnyTensor, Event, Hook, Host, Opt, Result, StateDict};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

struct Golden {
    steps: i64,
    gradients: Arc<AtomicU64>,
    hook: Option<Hook>,
}

impl Golden {
    fn tensors(&self, host: &Host) -> Result<()> {
        let tensor = host.tensors().zeros(sys::MORTISE_FLOAT32, &[3], sys::MORTISE_CPU)?;
        tensor.write(&[1.0f32, 2.0, 3.0])?;
        host.metrics().log("golden_tensor", tensor.read::<f64>()?.iter().sum())
    }
    /// A whole mask that keeps everything, set and baked in: the weights stay as they are.
    fn masks(&self, host: &Host) -> Result<()> {
        let elements = host.model().parameter_info(0)?.elements as usize;
        host.masks().set(0, &vec![1; elements])?;
        host.masks().clear(0, sys::MORTISE_MASK_BAKE)?;
        host.metrics().log("golden_parameters", host.model().parameter_count()? as f64)
    }
    fn job(&self, host: &Host) -> Result<()> {
        let path = format!("{}/golden_rust.txt", host.run().directory()?);
        let job = host.jobs().submit(move |job| {
            let file = job.host.files().create(&path)?;
            file.write(b"good\n")?;
            file.commit()
        })?;
        job.wait()?;
        host.metrics().log("golden_job", 1.0)
    }
}

mortise::plugin! {
    "golden_rust", "1.0.0", "Uses each service once";
    impl Callback for Golden {
        const OPTIONS: &'static [Opt] = &[Opt::int("first_step", "Where counting begins").initially("0").unit("steps")];

        fn create(host: &Host) -> Result<Self> {
            let steps = host.options().get("first_step")?;
            Ok(Golden { steps, gradients: Arc::new(AtomicU64::new(0)), hook: None })
        }
        fn on_fit_start(&mut self, host: &Host, _event: &Event) -> Result<()> {
            let seen = self.gradients.clone();
            self.hook = Some(host.hooks().on_gradient(0, move |_, gradient| {
                seen.fetch_add(u64::from(gradient.info()?.elements != 0), Ordering::Relaxed);
                Ok(())
            })?);
            Ok(())
        }
        fn on_fit_end(&mut self, _host: &Host, _event: &Event) -> Result<()> {
            self.hook = None;
            Ok(())
        }
        fn on_train_batch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            self.steps += i64::from(host.tensors().view(event.loss).info()?.elements == 1);
            Ok(())
        }
        fn on_train_epoch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            host.log().info(format!("epoch {} is done", event.epoch));
            self.tensors(host)?;
            self.masks(host)?;
            self.job(host)?;
            host.metrics().log("golden_steps", self.steps as f64)?;
            host.metrics().log("golden_gradients", self.gradients.load(Ordering::Relaxed) as f64)?;
            host.metrics().log("golden_epoch", event.epoch as f64)
        }
        fn state_save(&mut self, _host: &Host, state: &StateDict) -> Result<()> {
            state.put("steps", self.steps)
        }
        fn state_load(&mut self, _host: &Host, state: &StateDict) -> Result<()> {
            self.steps = state.get("steps")?;
            Ok(())
        }
    }
}
