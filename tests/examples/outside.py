"""An example as an outsider has it: built against the installed tree and run as its README says.

A test's script is called with the tree, which ctest installs once for all of them.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

INSTALLED = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "support"))
from small_mnist import write_mnist  # noqa: E402

DATA = ["--val-size", "16", "--batch-size", "8", "--accelerator", "cpu", "--progress", "none"]
NUMBER = re.compile(r"-?\d+(\.\d+)?(e[+-]?\d+)?")


def run(*command, **options):
    result = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if result.returncode != 0:
        raise AssertionError(f"{command}\n{result.stdout}\n{result.stderr}")
    return result


def masked(lines):
    """Numbers differ from machine to machine and from data to data."""
    return [NUMBER.sub("#", line) for line in lines]


class OutsideProject(unittest.TestCase):
    """Base of a test of examples/<NAME>, whose plugins say what begins with one of PLUGINS."""
    NAME = ""
    PLUGINS = ()

    @classmethod
    def setUpClass(cls):
        # A space, as in many a home folder.
        cls.work = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="outside ")))
        cls.source = cls.work / cls.NAME
        cls.source.mkdir()
        for file in (ROOT / "examples" / cls.NAME).iterdir():
            if file.is_file():
                (cls.source / file.name).write_bytes(file.read_bytes())
        cls.readme = (cls.source / "README.md").read_text(encoding="utf-8")
        write_mnist(cls.work / "data")
        for line in cls.commands("cmake"):
            cls.shell(line.replace("<where mortise is installed>", f"'{INSTALLED}'"))

    @classmethod
    def commands(cls, program):
        """The README's lines that run a program."""
        blocks = re.findall(r"```sh\n(.*?)```", cls.readme, re.DOTALL)
        return re.findall(rf"^{program} .*$", "".join(blocks).replace("\\\n", ""), re.MULTILINE)

    @classmethod
    def shell(cls, line):
        path = f"{INSTALLED}/bin{os.pathsep}{os.environ['PATH']}"
        return run("sh", "-c", line, cwd=cls.source, env={**os.environ, "PATH": path, "CMAKE_GENERATOR": "Ninja"})

    def mortise(self, command, *words, plugins="build"):
        """`mortise COMMAND WORDS` with the example's plugins, on a small data set."""
        return run(INSTALLED / "bin" / "mortise", command, "--plugin-dir", plugins, *words, *DATA,
                   "--data", f"mnist:{self.work}/data", cwd=self.source)

    def said(self, result):
        """The lines of a run that come from the example's plugins."""
        return re.findall(rf"^(?:{'|'.join(self.PLUGINS)}): .*$", result.stderr, re.MULTILINE)

    def results(self, result):
        """What a run with --json has as its result."""
        return next(line for line in map(json.loads, result.stdout.splitlines()) if "result" in line)

    def promised(self):
        """What the README says that the run says."""
        return "".join(re.findall(r"```text\n(.*?)```", self.readme, re.DOTALL)).splitlines()

    def as_the_readme_says(self):
        """The README's own runs, on a small data set."""
        data = f"{' '.join(DATA)} --data 'mnist:{self.work}/data'"
        return [self.shell(f"{line} {data}") for line in self.commands("mortise fit")]

    def expect_what_is_promised(self):
        said = [line for result in self.as_the_readme_says() for line in self.said(result)]
        self.assertNotEqual([], said)
        self.assertEqual(masked(self.promised()), masked(said))


def main():
    unittest.main(module="__main__", argv=sys.argv[:1])
