"""examples/my_first_callback: by CMake and by its README's other lines; in Rust where there is a compiler."""
import os
import shutil
import unittest

from outside import INSTALLED, OutsideProject, main, run

RUST = shutil.which("rustc") is not None


class MyFirstCallback(OutsideProject):
    NAME = "my_first_callback"
    PLUGINS = ("first_in_c", "first_in_cpp") + (("first_in_rust",) if RUST else ())

    def expect_output(self, folder):
        """Word for word, numbers too."""
        fit = self.mortise("fit", "--plugins", ",".join(self.PLUGINS), "--model", "mlp", "--max-epochs", "2",
                           "--limit-train-batches", "5", plugins=folder)
        self.assertEqual([line for line in self.promised() if line.split(":")[0] in self.PLUGINS], self.said(fit))

    def test_built_with_cmake_says_what_it_promises(self):
        self.expect_output("build")

    @unittest.skipUnless(shutil.which("pkg-config"), "pkg-config is not installed")
    def test_built_with_the_other_lines_of_its_readme_too(self):
        lines = [line for compiler in ("cc", r"c\+\+", "rustc") for line in self.commands(compiler)]
        self.assertEqual(4, len(lines))
        description = next(INSTALLED.rglob("mortise-plugin.pc"))
        for line in lines:
            if RUST or not line.startswith("rustc"):
                run("sh", "-c", line, cwd=self.source, env={**os.environ, "PKG_CONFIG_PATH": str(description.parent)})

        self.expect_output(".")


if __name__ == "__main__":
    main()
