"""The state of a plugin in Rust in a checkpoint that the plugin itself writes, and back at the next fit.

usage: rust_state_test.py MORTISE PLUGINS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "support"))
from small_mnist import write_mnist  # noqa: E402

MORTISE, PLUGINS = (str(pathlib.Path(argument).resolve()) for argument in sys.argv[1:3])


class State(unittest.TestCase):
    def run_mortise(self, folder, *arguments):
        result = subprocess.run([MORTISE, *arguments], cwd=folder, capture_output=True, text=True)
        self.assertEqual(0, result.returncode, result.stderr)
        return result

    def test_goes_into_a_checkpoint_and_back(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        write_mnist(pathlib.Path(folder, "data"))
        fit = ["fit", "--data", "mnist:data", "--val-size", "20", "--model", "mlp", "--accelerator", "cpu", "--plugin-dir", PLUGINS,
               "--plugins", "rust_services", "--limit-train-batches", "2"]

        saved = self.run_mortise(folder, *fit, "--max-epochs", "2", "--rust_services.save", "own.ckpt")
        shown = self.run_mortise(folder, "inspect", "own.ckpt")
        loaded = self.run_mortise(folder, *fit, "--max-epochs", "3", "--ckpt-path", "own.ckpt")

        self.assertIn('saves ["epochs", "name", "tensor", "inner"]', saved.stderr)
        self.assertRegex(shown.stdout, r"callbacks\.rust state\.epochs\s+int\s+2")
        self.assertRegex(shown.stdout, r"callbacks\.rust state\.tensor\s+float32\s+\[2, 2\]")
        self.assertIn('loads 2 cheese Some(true) [1.0, 2.0, 3.0, 4.5] None', loaded.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
