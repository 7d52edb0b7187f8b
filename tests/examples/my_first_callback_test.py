"""examples/my_first_callback as an outsider has it: against the installed package, by CMake and by its README's own lines.

usage: my_first_callback_test.py MORTISE BUILD
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
EXAMPLE = pathlib.Path(__file__).resolve().parents[2] / "examples" / "my_first_callback"
RUST = shutil.which("rustc") is not None
NAMES = ["first_in_c", "first_in_cpp"] + (["first_in_rust"] if RUST else [])


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}\n{result.stdout}\n{result.stderr}")
    return result


class MyFirstCallback(unittest.TestCase):
    def setUp(self):
        self.work = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="outside ")))
        # One without a space: pkg-config's output is words of a shell.
        self.prefix = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory(prefix="installed-")))
        run("cmake", "--install", BUILD, "--component", "plugin_api", "--prefix", self.prefix)
        self.example = self.work / "example"
        shutil.copytree(EXAMPLE, self.example)

    def expect_output(self, folder):
        """What a run says is what the example promises."""
        fit = run(MORTISE, "fit", "--plugin-dir", folder, "--plugins", ",".join(NAMES), "--max-epochs", "2",
                  "--limit-train-batches", "10", "--limit-val-batches", "0", "--model", "mlp", "--accelerator", "cpu",
                  cwd=self.work)
        said = re.findall(r"^first_in_.*\n", fit.stderr, re.MULTILINE)
        promised = (EXAMPLE / "expected_output.txt").read_text(encoding="utf-8").splitlines(keepends=True)
        self.assertEqual([line for line in promised if line.split(":")[0] in NAMES], said)

    def test_built_with_cmake_says_what_it_promises(self):
        run("cmake", "-S", self.example, "-B", self.work / "build", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        run("cmake", "--build", self.work / "build")

        self.expect_output(self.work / "build")

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_built_with_the_lines_of_its_readme_too(self):
        lines = re.findall(r"^(?:cc|c\+\+|rustc) .*$", (EXAMPLE / "README.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(4, len(lines))
        description = next(self.prefix.rglob("mortise-plugin.pc"))
        for line in lines:
            if RUST or not line.startswith("rustc"):
                run("sh", "-c", line, cwd=self.example, env={**os.environ, "PKG_CONFIG_PATH": str(description.parent)})

        self.expect_output(self.example)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
