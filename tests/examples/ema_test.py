"""examples/ema: the averages are those that torch makes of the weights after each step, and where they are when."""
import torch

from outside import OutsideProject, main

SETTINGS = ("--ema.decay", "0.75", "--ema.every_n_steps", "2", "--ema.start_step", "3")
RUN = ("--model", "mlp", "--lr", "0.1", "--plugins", "ema,steps=checkpoint,epochs=checkpoint",
       "--steps.every_n_train_steps", "1", "--steps.save_top_k", "-1", "--steps.filename", "{step}",
       "--epochs.save_top_k", "-1", "--epochs.filename", "{epoch}")


def average(weights, decay=0.75, every=2, start=3):
    """torch's own average of the weights after each step."""
    averaged = None
    for step, model in enumerate(weights):
        if step < start or step % every:
            continue
        if averaged is None:
            averaged = {name: tensor.clone() for name, tensor in model.items()}
        for name, tensor in averaged.items():
            tensor.lerp_(model[name], 1 - decay)
    return averaged


class Ema(OutsideProject):
    NAME = "ema"
    PLUGINS = ("ema",)

    def train(self, folder, *words):
        folders = ("--steps.dirpath", f"{folder}/steps", "--epochs.dirpath", f"{folder}/epochs")
        return self.mortise("fit", *RUN, *SETTINGS, *folders, *words)

    def load(self, path):
        """A checkpoint's weights and the plugin's entry."""
        file = torch.load(self.source / path, weights_only=True)
        return file["state_dict"], file["callbacks"].get("ema")

    def expect_same(self, wanted, found):
        self.assertEqual(list(wanted), list(found))
        for name, tensor in wanted.items():
            torch.testing.assert_close(found[name], tensor, rtol=1e-6, atol=1e-7, msg=lambda text: f"{name}: {text}")

    def test_says_what_its_readme_promises(self):
        self.expect_what_is_promised()

    def test_averages_as_torch_does(self):
        self.train("twice", "--max-epochs", "2")

        weights = [self.load(f"twice/steps/step={step}.ckpt")[0] for step in range(1, 17)]
        for steps in range(1, 17):
            _, entry = self.load(f"twice/steps/step={steps}.ckpt")
            if steps < 5:
                self.assertIsNone(entry)
                continue
            self.assertFalse(entry["average_in_model"])
            self.assertEqual((steps - 3) // 2, entry["updates"])
            self.expect_same(average(weights[:steps]), entry["others"])
        for epoch in range(2):
            model, entry = self.load(f"twice/epochs/epoch={epoch}.ckpt")
            self.assertTrue(entry["average_in_model"])
            self.expect_same(average(weights[:8 * epoch + 8]), model)
            self.expect_same(weights[8 * epoch + 7], entry["others"])

    def test_validates_with_the_average(self):
        fit = self.results(self.train("valid", "--max-epochs", "1", "--json"))

        test = self.results(self.mortise("validate", "--model", "mlp", "--ckpt", "valid/epochs/epoch=0.ckpt", "--json"))
        self.assertEqual(fit["valid_loss"], test["valid_loss"])

    def test_a_resumed_run_goes_on_with_both(self):
        self.train("whole", "--max-epochs", "2")

        for name in ("epochs/epoch=0", "steps/step=8"):
            self.train("rest", "--max-epochs", "2", "--ckpt-path", f"whole/{name}.ckpt")
            wanted, found = self.load("whole/epochs/epoch=1.ckpt"), self.load("rest/epochs/epoch=1.ckpt")
            self.expect_same(wanted[0], found[0])
            self.expect_same(wanted[1]["others"], found[1]["others"])


if __name__ == "__main__":
    main()
