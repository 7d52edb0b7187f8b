"""Runs the scripts of packaging/ in a copy of the project with small wheels and stand-ins for pip, apt and CMake."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
BASE = {"nvidia-cuda-runtime==13.0.96": "nvidia/cu13/lib/runtime", "torch==2.11.0": "torch/lib/core"}
CUDA = {"nvidia-cublas==13.1.0.3": "nvidia/cu13/lib/blas"}
PYTHON = {"numpy==2.4.6": "numpy/array.py"}

# pip download copies the wheel of the same name out of $SHELF, or says what $PIP_SAYS holds and fails.
PYTHON3 = """
    case "$*" in
      *version_info*) echo "${OWN_PYTHON:-311}" ;;
      *--version*) [[ -z ${NO_PIP-} ]] ;;
      *'pip download'*)
        echo "$*" >> "$CALLS"
        while [[ $1 != --dest ]]; do shift; done
        pin=$(head -n 1 "$4" | cut -d ' ' -f 1)
        if [[ -n ${PIP_SAYS-} && $pin == "${FAILS-$pin}" ]]; then echo "$PIP_SAYS"; exit 1; fi
        cp "$SHELF/$pin.whl" "$2/" ;;
      *) exit 9 ;;
    esac
"""
APT_GET = 'echo "apt-get $*" >> "$CALLS"; touch "$INSTALLED"'
DPKG_QUERY = 'if [[ ${*: -1} == zlib1g-dev && ! -e $INSTALLED ]]; then exit 1; fi; printf installed'
CMAKE = """
    echo "cmake $*" >> "$CALLS"
    if [[ -n ${CMAKE_SAYS-} ]]; then echo "$CMAKE_SAYS"; exit 1; fi
    if [[ $1 == -S ]]; then
      mkdir -p "$4/bin"
      printf '#!/bin/sh\\nprintf "%%s\\\\n" "$@"\\n' > "$4/bin/mortise"
      chmod +x "$4/bin/mortise"
    fi
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="a folder with spaces ")
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.project = self.top / "check out"
        shutil.copytree(ROOT / "packaging", self.project / "packaging")
        self.env = {
            "PATH": f"{self.top}/bin:/usr/bin:/bin", "HOME": str(self.top), "XDG_CACHE_HOME": str(self.top / "cache"),
            "SHELF": str(self.top / "shelf"), "CALLS": str(self.top / "calls"), "INSTALLED": str(self.top / "installed"),
        }
        stand_ins = {"python3": PYTHON3, "apt-get": APT_GET, "dpkg-query": DPKG_QUERY, "cmake": CMAKE,
                     "sudo": '[[ $1 != -n ]] || shift; exec "$@"', "nvidia-smi": "exit 1"}
        (self.top / "bin").mkdir()
        for name, body in stand_ins.items():
            self.write_script(name, body)
        (self.top / "shelf").mkdir()
        for name, pins in {"base": BASE, "cuda": CUDA, "python": PYTHON}.items():
            self.shelve(name, pins)
        self.torch = self.top / "cache" / "mortise" / "torch-2.11.0-cp311"

    def write_script(self, name, body):
        file = self.top / "bin" / name
        file.write_text("#!/bin/bash\n" + textwrap.dedent(body), encoding="utf-8")
        file.chmod(0o755)

    def shelve(self, name, pins):
        lines = [f"{pin} \\\n    --hash=sha256:{'0' * 64}\n" for pin in pins]
        (self.project / "packaging" / f"wheels-{name}.txt").write_text("".join(lines), encoding="utf-8")
        for pin, member in pins.items():
            with zipfile.ZipFile(self.top / "shelf" / f"{pin}.whl", "w") as wheel:
                wheel.writestr(member, pin)

    def run_script(self, name, *arguments, **env):
        return subprocess.run([str(self.project / "packaging" / name), *arguments], env={**self.env, **env}, cwd="/",
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)

    def calls(self):
        file = self.top / "calls"
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def files(self):
        return {str(f.relative_to(self.torch)) for f in self.torch.rglob("*") if f.is_file() and ".finished" not in f.parts}


class FetchTorch(Scripts):
    def test_prints_the_folder_alone_and_fills_it(self):
        run = self.run_script("fetch-torch")

        self.assertEqual((0, f"{self.torch}\n"), (run.returncode, run.stdout), run.stderr)
        self.assertEqual(set(BASE.values()), self.files())

    def test_a_second_run_asks_nobody(self):
        self.run_script("fetch-torch")

        run = self.run_script("fetch-torch", NO_PIP="1", PIP_SAYS="no network")

        self.assertEqual((0, f"{self.torch}\n"), (run.returncode, run.stdout), run.stderr)
        self.assertEqual(len(BASE), len(self.calls()))

    def test_a_larger_set_adds_only_what_is_missing(self):
        self.run_script("fetch-torch")

        run = self.run_script("fetch-torch", "--python")

        self.assertEqual(0, run.returncode, run.stderr)
        self.assertEqual(len(BASE | CUDA | PYTHON), len(self.calls()))
        self.assertEqual({*BASE.values(), *CUDA.values(), *PYTHON.values()}, self.files())

    def test_goes_on_after_a_failure_with_what_was_missing(self):
        failed = self.run_script("fetch-torch", PIP_SAYS="broken", FAILS="torch==2.11.0")
        before = len(self.calls())

        run = self.run_script("fetch-torch")

        self.assertEqual((1, 0), (failed.returncode, run.returncode), run.stderr)
        self.assertEqual(1, len(self.calls()) - before)
        self.assertEqual(set(BASE.values()), self.files())

    def test_files_without_a_mark_do_not_count(self):
        (self.torch / "torch" / "lib").mkdir(parents=True)
        (self.torch / "torch" / "lib" / "core").write_text("half", encoding="utf-8")
        left_over = self.torch.with_name(self.torch.name + ".part") / "tree" / "rubbish"
        left_over.parent.mkdir(parents=True)
        left_over.write_text("of a killed run", encoding="utf-8")

        self.run_script("fetch-torch")

        self.assertEqual("torch==2.11.0", (self.torch / "torch" / "lib" / "core").read_text(encoding="utf-8"))
        self.assertEqual(set(BASE.values()), self.files())
        self.assertFalse(left_over.exists())

    def test_takes_the_wheels_of_python_3_12_there(self):
        run = self.run_script("fetch-torch", OWN_PYTHON="312")

        self.assertTrue(run.stdout.endswith("torch-2.11.0-cp312\n"), run)
        self.assertIn("--python-version 312", self.calls()[0])

    def test_says_in_one_line_what_is_wrong(self):
        cases = {
            "python3-pip": {"NO_PIP": "1"},
            "cannot be reached": {"PIP_SAYS": "NewConnectionError: no route\nERROR: No matching distribution"},
            "not the pinned one": {"PIP_SAYS": "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM"},
            "no space left": {"PIP_SAYS": "ERROR: [Errno 28] No space left on device"},
            "strange new error": {"PIP_SAYS": "first\nstrange new error"},
            "cannot be made": {"XDG_CACHE_HOME": "/proc/none"},
        }
        for words, env in cases.items():
            with self.subTest(words):
                run = self.run_script("fetch-torch", **env)

                self.assertEqual((1, ""), (run.returncode, run.stdout))
                last = run.stderr.splitlines()[-1]
                self.assertTrue(last.startswith("mortise: ") and words in last, run.stderr)
                self.assertFalse(self.torch.with_name(self.torch.name + ".part").exists())

    def test_refuses_what_it_does_not_know(self):
        for arguments, env in ((["--gpu"], {}), (["--python"], {"OWN_PYTHON": "313"})):
            with self.subTest(arguments):
                run = self.run_script("fetch-torch", *arguments, **env)

                self.assertEqual(1, run.returncode)
                self.assertIn(arguments[0], run.stderr)
                self.assertEqual([], self.calls())


class Quickstart(Scripts):
    def settings(self, run):
        self.assertEqual(0, run.returncode, run.stderr)
        lines = run.stdout.splitlines()
        self.assertEqual("soak", lines[0])
        return dict(zip(lines[1::2], lines[2::2]))

    def test_goes_from_missing_packages_to_the_main_job(self):
        settings = self.settings(self.run_script("quickstart"))

        self.assertEqual("3", settings["--cycles"])
        self.assertEqual("pruning,checkpoint,early_stopping", settings["--plugins"])
        installs = [c for c in self.calls() if c.startswith("apt-get") and c.endswith(" zlib1g-dev")]
        self.assertEqual(1, len(installs), self.calls())

    def test_installs_and_fetches_nothing_the_second_time(self):
        self.run_script("quickstart")
        before = len(self.calls())

        self.run_script("quickstart")

        self.assertEqual(["cmake", "cmake"], [c.split()[0] for c in self.calls()[before:]])

    def test_hands_the_build_the_fetched_libtorch(self):
        self.run_script("quickstart")

        self.assertTrue(any(f"-DMORTISE_TORCH_ROOT={self.torch}" in call for call in self.calls()), self.calls())

    def test_a_given_option_replaces_the_default(self):
        for given in (["--max-epochs", "7"], ["--max-epochs=7"], ["--max_epochs", "7"], ["--max_epochs=7"]):
            with self.subTest(given):
                said = self.run_script("quickstart", *given, "--seed", "1").stdout.splitlines()

                self.assertEqual([*given, "--seed", "1"], said[-len(given) - 2:])
                self.assertEqual(1, len([s for s in said if s.replace("_", "-").startswith("--max-epochs")]), said)

    def test_fetches_the_gpu_part_where_a_gpu_is_seen_or_it_is_asked_for(self):
        for arguments, smi in ((["--cuda"], "exit 1"), ([], "exit 0")):
            with self.subTest(arguments):
                shutil.rmtree(self.top / "cache", ignore_errors=True)
                self.write_script("nvidia-smi", smi)

                self.settings(self.run_script("quickstart", *arguments))

                self.assertIn(CUDA["nvidia-cublas==13.1.0.3"], self.files())

    def test_shows_the_log_of_a_build_that_fails(self):
        cases = {"CMake Error: no such thing": "could not configure", "Could NOT find Boost": "Boost.Program_options is needed"}
        for said, explained in cases.items():
            with self.subTest(said):
                run = self.run_script("quickstart", CMAKE_SAYS=said)

                self.assertEqual(1, run.returncode)
                self.assertIn(said, run.stderr)
                self.assertIn(explained, run.stderr.splitlines()[-1])


class Test(Scripts):
    def test_installs_the_compilers_of_other_plugins_too(self):
        self.write_script("ctest", 'echo "ctest $*" >> "$CALLS"')
        self.write_script("dpkg-query", DPKG_QUERY.replace("zlib1g-dev", "rustc"))

        run = self.run_script("test", "-L", "unit")

        self.assertEqual(0, run.returncode, run.stderr)
        self.assertTrue(any(c.startswith("apt-get") and c.endswith(" rustc") for c in self.calls()), self.calls())
        self.assertIn("-L unit", self.calls()[-1])


if __name__ == "__main__":
    unittest.main()
