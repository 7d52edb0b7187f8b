"""`mortise new-plugin` in each language: the folder builds against the installed package and passes its own test.

usage: new_plugin_test.py MORTISE BUILD
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

MORTISE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
from small_mnist import write_mnist  # noqa: E402

COMPILERS = {"c": "cc", "cpp": "c++", "rust": "rustc", "cuda": "nvcc"}
EXPORTS = {"mortise_plugin_entry_v1", "mortise_plugin_note"}


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}\n{result.stdout}\n{result.stderr}")
    return result


class NewPlugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # Host and package in one tree, as a user has them; without a space, since pkg-config's output is words of a shell.
        cls.top = tempfile.TemporaryDirectory(prefix="new-plugin-")
        cls.work = pathlib.Path(cls.top.name)
        run("cmake", "--install", BUILD, "--component", "plugin_api", "--prefix", cls.work / "installed")
        (cls.work / "installed" / "bin").mkdir()
        shutil.copy(MORTISE, cls.work / "installed" / "bin")
        cls.mortise = cls.work / "installed" / "bin" / "mortise"
        write_mnist(cls.work / "data")

    @classmethod
    def tearDownClass(cls):
        cls.top.cleanup()

    def make(self, language):
        """A new folder; skipped where the language has no compiler."""
        if shutil.which(COMPILERS[language]) is None:
            self.skipTest(f"{COMPILERS[language]} is not installed")
        name = f"new_in_{language}"
        return name, run(self.mortise, "new-plugin", name, "--lang", language, cwd=self.work).stdout

    def builds_and_passes(self, language):
        """The lines that new-plugin shows are run as they are."""
        name, shown = self.make(language)
        self.assertTrue(shown.startswith(f"{name}/ has "))
        configure, build, test = re.findall(r"^  (c(?:make|test) .*)$", shown, re.MULTILINE)

        run("sh", "-c", f"{configure} -G Ninja -DMORTISE_PROGRAM={self.mortise} -DMORTISE_TEST_DATA=mnist:{self.work}/data",
            cwd=self.work)
        run("sh", "-c", build, cwd=self.work)
        said = run("sh", "-c", f"{test} --no-tests=error -V", cwd=self.work).stdout

        self.assertIn(f"{name}: 2 epochs, 8 steps", said)
        self.assertIn(f"--{name.replace('_', '-')}.every", said)
        self.assertEqual(EXPORTS, exports(self.work / name / "build" / f"{name}.so"))
        self.counts_on(name)

    def counts_on(self, name):
        """What its state promises: a run that is resumed from a checkpoint counts on."""
        fit = [MORTISE, "fit", "--data", f"mnist:{self.work}/data", "--val-size", "20", "--model", "mlp", "--accelerator", "cpu",
               "--plugin-dir", self.work / name / "build", "--plugins", f"{name},checkpoint", "--checkpoint.dirpath",
               f"{name}_kept", "--checkpoint.filename", "one", "--batch-size", "60"]
        run(*fit, "--max-epochs", "1", cwd=self.work)

        said = run(*fit, "--max-epochs", "2", "--ckpt-path", f"{name}_kept/one.ckpt", cwd=self.work).stderr

        self.assertIn(f"{name}: 2 epochs, 2 steps", said)

    def test_c(self):
        self.builds_and_passes("c")

    def test_cpp(self):
        self.builds_and_passes("cpp")

    def test_rust(self):
        self.builds_and_passes("rust")

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_the_readmes_lines_without_cmake_build_the_same(self):
        description = next((self.work / "installed").rglob("mortise-plugin.pc"))
        env = {**os.environ, "PKG_CONFIG_PATH": str(description.parent)}
        for language in ("c", "cpp", "rust"):
            with self.subTest(language):
                folder = self.work / f"by_hand_{language}"
                run(self.mortise, "new-plugin", folder.name, "--lang", language, cwd=self.work)
                lines = re.findall(r"^(?:cc|c\+\+|rustc) .*$", (folder / "README.md").read_text(), re.MULTILINE)
                self.assertTrue(lines)
                if shutil.which(COMPILERS[language]) is None:
                    continue
                for line in lines:
                    run("sh", "-c", line, cwd=folder, env=env)
                self.assertEqual(EXPORTS, exports(folder / f"{folder.name}.so"))

    def test_templates_that_are_not_installed_are_named(self):
        lonely = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()), "bin")
        lonely.mkdir()
        shutil.copy(MORTISE, lonely)

        result = subprocess.run([lonely / "mortise", "new-plugin", "cheese"], cwd=lonely, capture_output=True, text=True)

        self.assertEqual(1, result.returncode)
        self.assertIn("component plugin_api", result.stderr)
        self.assertEqual(["mortise"], os.listdir(lonely))

    def test_a_refused_name_leaves_nothing(self):
        before = sorted(os.listdir(self.work))

        result = subprocess.run([self.mortise, "new-plugin", "My-Plugin"], cwd=self.work, capture_output=True, text=True)

        self.assertEqual((2, ""), (result.returncode, result.stdout))
        self.assertIn("did you mean 'my_plugin'?", result.stderr)
        self.assertEqual(before, sorted(os.listdir(self.work)))


def exports(library):
    lines = run("nm", "-D", "--defined-only", "--format=posix", library).stdout.splitlines()
    return {line.split()[0] for line in lines}


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
