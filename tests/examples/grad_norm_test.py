"""examples/grad_norm: the norms are those that torch finds, under Lightning's names."""
import math
import unittest

import torch

from outside import OutsideProject, main


class GradNorm(OutsideProject):
    NAME = "grad_norm"
    PLUGINS = ("grad_norm",)

    def norms(self, *words):
        """What the last step logged, and its gradients: with a learning rate of 1 they are what plain SGD took away."""
        fit = self.mortise("fit", "--plugins", "grad_norm,checkpoint", "--model", "mlp", "--max-epochs", "1", "--lr", "1",
                           "--checkpoint.every_n_train_steps", "1", "--checkpoint.save_top_k", "-1",
                           "--checkpoint.dirpath", "steps", "--checkpoint.filename", "{step}", "--json", *words)
        before, after = (torch.load(self.source / f"steps/step={step}.ckpt", weights_only=True)["state_dict"]
                         for step in (7, 8))
        logged = {name: value for name, value in self.results(fit).items() if name.startswith("grad_")}
        return logged, {name: (before[name] - after[name]).double() for name in before}

    def test_says_what_its_readme_promises(self):
        self.expect_what_is_promised()

    def test_finds_the_norms_that_torch_finds(self):
        for setting, p, prefix in (("2", 2.0, "grad_2.0_norm"), ("1.5", 1.5, "grad_1.5_norm"),
                                   ("inf", math.inf, "grad_inf_norm")):
            logged, gradients = self.norms("--grad_norm.norm_type", setting)
            wanted = {f"{prefix}/{name}": gradient.norm(p).item() for name, gradient in gradients.items()}
            wanted[f"{prefix}_total"] = torch.tensor(list(wanted.values())).norm(p).item()

            self.assertEqual(list(wanted), list(logged))
            for name, value in wanted.items():
                self.assertTrue(math.isclose(value, logged[name], rel_tol=1e-4), (name, value, logged[name]))

    def test_keeps_its_distance_between_logged_steps(self):
        logged, gradients = self.norms("--grad_norm.every_n_steps", "100")

        self.assertNotEqual({}, logged)
        total = math.sqrt(sum(gradient.norm().item() ** 2 for gradient in gradients.values()))
        self.assertNotAlmostEqual(total, logged["grad_2.0_norm_total"], 4)


if __name__ == "__main__":
    main()
