//! Uses each service that the Rust layer knows once, and says what came of it.
use mortise::{sys, AnyTensor, Event, Hook, Host, Name, Op, Opt, Output, Result, StateDict, Tensor};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

struct Services {
    epochs: i64,
    kept: Option<Tensor>,
    hook: Option<Hook>,
    gradients: Arc<AtomicU64>,
}

impl Services {
    fn model(&mut self, host: &Host) -> Result<()> {
        let weight = host.model().parameter_info(0)?;
        let count = host.model().parameter_count()?;
        host.log().info(format!("{} parameters, {} {:?}", count, weight.name, weight.shape()));
        let bias = host.model().parameter_info(1)?;
        host.masks().set(1, &vec![0; bias.elements as usize])?;
        let mut keep = vec![1; bias.elements as usize];
        host.masks().get(1, &mut keep)?;
        host.masks().clear(1, sys::MORTISE_MASK_BAKE)?;
        host.log().info(format!("masked: {:?}, bias {}", keep[0], host.model().parameter(1)?.read::<f32>()?[0]));
        let seen = self.gradients.clone();
        self.hook = Some(host.hooks().on_gradient(0, move |_, gradient| {
            seen.fetch_add(u64::from(gradient.info()?.dims > 0), Ordering::Relaxed);
            Ok(())
        })?);
        Ok(())
    }
    fn tensors(&mut self, host: &Host) -> Result<()> {
        let tensor = host.tensors().zeros(sys::MORTISE_FLOAT32, &[2, 2], sys::MORTISE_CPU)?;
        tensor.write(&[1.0f64, 2.0, 3.0, 4.5])?;
        let copy = tensor.to(sys::MORTISE_CPU)?;
        tensor.write(&[0i64; 4])?;
        host.log().info(format!("tensor {:?} {:?}", copy.info()?.shape(), copy.read::<f32>()?));
        host.log().info(tensor.item::<f32>().unwrap_err());
        host.log().info(tensor.write(&[1u8]).unwrap_err());
        self.kept = Some(copy);
        Ok(())
    }
    fn beside(&self, host: &Host) -> Result<()> {
        let path = format!("{}/rust.txt", host.run().directory()?);
        let job = host.jobs().submit(move |job| {
            let file = job.host.files().create(&path)?;
            file.write(b"written by a job")?;
            file.commit()
        })?;
        job.wait()?;
        let failing = host.jobs().submit(|_| Err(mortise::Error::new("no cheese")))?;
        host.log().info(format!("the job said {}", failing.wait().unwrap_err()));
        let number = host.random().uniform()?;
        host.log().info(format!("random {}", (0.0..1.0).contains(&number)));
        Ok(())
    }
}

mortise::plugin! {
    "rust_services", "0.1.0", "Uses each service once";
    impl Callback for Services {
        const OPTIONS: &'static [Opt] = &[
            Opt::int("count", "How many").initially("3").at_least(0.0).unit("things"),
            Opt::double("ratio", "How much"),
            Opt::choice("mode", "min,max", "Which way").initially("min"),
            Opt::list("names", "Of whom"),
            Opt::path("save", "A checkpoint of its own, at the end of training"),
        ];
        const SERVICES: &'static [Name] = &[Name::of(sys::MORTISE_MODEL), Name::of(sys::MORTISE_MASKS)];
        const AFTER: &'static [Name] = &[Name::new("pruning")];
        const STATE_VERSION: u32 = 2;

        fn create(host: &Host) -> Result<Self> {
            let options = host.options();
            let ratio = options.find::<f64>("ratio")?;
            host.log().info(format!("options {} {:?} {:?}", options.get::<u64>("count")?, ratio, options.list("names")?));
            host.log().info(options.get::<f64>("mode").unwrap_err());
            host.log().info(options.get::<i64>("amount").unwrap_err());
            host.set_state_key("rust state")?;
            Ok(Services { epochs: 0, kept: None, hook: None, gradients: Default::default() })
        }
        fn on_fit_start(&mut self, host: &Host, event: &Event) -> Result<()> {
            assert!(event.in_fit());
            self.model(host)?;
            self.tensors(host)?;
            self.beside(host)
        }
        fn on_train_batch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            let loss = host.tensors().view(event.loss).item::<f64>()?;
            host.metrics().log("rust loss", loss)
        }
        fn on_train_epoch_end(&mut self, host: &Host, event: &Event) -> Result<()> {
            self.epochs += 1;
            let metric = host.metrics().get("rust loss")?;
            let named = host.metrics().names()?.contains(&"rust loss".to_string());
            let missing = host.metrics().find("cheese")?;
            host.log().info(format!("metric {} {} {:?}", metric.value.is_finite(), named, missing));
            let info = host.run().info()?;
            host.log().info(format!("epoch {} of {}", event.epoch + 1, info.max_epochs));
            let seen = self.gradients.load(Ordering::Relaxed);
            host.log().info(format!("gradients {}", seen == event.global_step));
            Ok(())
        }
        fn on_train_end(&mut self, host: &Host, _event: &Event) -> Result<()> {
            self.hook = None;
            if let Some(path) = host.options().find::<String>("save")? {
                host.checkpoints().save(self, &path, 0)?;
                host.checkpoints().announce(&path, "")?;
            }
            host.run().request_stop("enough")
        }
        fn state_save(&mut self, host: &Host, state: &StateDict<'_>) -> Result<()> {
            state.put("epochs", self.epochs)?;
            state.put("name", "cheese")?;
            state.put("tensor", self.kept.as_ref())?;
            state.put_dict("inner")?.put("good", true)?;
            host.log().info(format!("saves {:?}", state.keys()?));
            Ok(())
        }
        fn state_load(&mut self, host: &Host, state: &StateDict<'_>) -> Result<()> {
            self.epochs = state.get("epochs")?;
            let inner = state.find_dict("inner")?.map(|inner| inner.get::<bool>("good")).transpose()?;
            let tensor = state.tensor("tensor")?.read::<f64>()?;
            let missing = state.find::<i64>("cheese")?;
            host.log().info(format!("loads {} {} {:?} {:?} {:?}", self.epochs, state.get::<String>("name")?, inner, tensor, missing));
            Ok(())
        }
        fn shutdown(&mut self, host: &Host) -> Result<()> {
            host.log().info(format!("kept {:?}", self.kept.as_ref().map(|kept| kept.info().map(|info| info.elements).ok())));
            Ok(())
        }
    }
}

// Compiled, and tried where the host has operators.
#[allow(dead_code)]
fn doubled(host: &Host, tensor: &Tensor) -> Result<(Tensor, bool)> {
    let add: Op = host.ops().resolve("aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor")?;
    let sum = add.tensor(&[tensor, tensor, &1i64])?;
    let add_in_place = host.ops().resolve("aten::add_.Tensor")?;
    let given = add_in_place.call(&[&sum, tensor], 1)?;
    Ok((sum, matches!(given[..], [Output::Argument(_)])))
}
