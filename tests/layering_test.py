"""Reads every #include of host/, plugins/ and plugin_api/ and fails on an arrow that the design's list does not allow.

A folder's line names the host folders it may include and the libraries beside the language's and the system's own headers.
"""
import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent

HOST = {
    "core": "",
    "config": "core program_options",
    "data": "core torch zlib",
    "models": "core torch",
    "training": "core torch",
    "checkpoint": "core torch zlib json",
    "ledger": "core torch cuda",
    "loader": "core plugin_api dll zlib",
    "bridge": "core training ledger loader plugin_api torch",
    "doctor": "core loader plugin_api",
    "report": "core json",
}
HOST["app"] = " ".join([*HOST, "plugin_api torch zlib json program_options dll"])

LIBRARIES = {
    "cuda": r"(ATen|c10|torch/csrc)/cuda/|(cuda|cupti|cublas|cudnn|nvml|nccl)\w*\.h$|crt/",
    "torch": r"(ATen|c10|torch|caffe2)/",
    "program_options": r"boost/program_options",
    "dll": r"boost/(dll|core)/",
    "zlib": r"zlib\.h$",
    "json": r"nlohmann/",
}
SYSTEM = re.compile(r"[a-z_0-9]+$|[a-z]+\.h$|(sys|linux|bits)/[a-z]+\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)
OPENS_A_LIBRARY = re.compile(r"\bdlm?open\b|\bboost::dll\b")
SOURCES = {".h", ".hpp", ".c", ".cpp", ".cu", ".cuh"}


def target_of(root, file, name, quoted):
    """What an include points to: ("file", path in the project), ("library", its name) or ("system", name)."""
    places = [root, root / "plugin_api" / "include"]
    for place in ([file.parent] if quoted else []) + places:
        path = (place / name).resolve()
        if path.is_file() and path.is_relative_to(root):
            return "file", path.relative_to(root)
    for library, pattern in LIBRARIES.items():
        if re.match(pattern, name):
            return "library", library
    return ("system", name) if SYSTEM.match(name) else ("library", "no known library")


def node_of(path):
    """The name a project file has in the list: a host folder, plugin_api, or the plugin's own folder."""
    parts = path.parts
    if parts[0] == "host":
        return parts[1]
    return "/".join(parts[:2]) if parts[0] == "plugins" else parts[0]


def allowed_from(node):
    if node.startswith("plugins/"):
        return {node, "plugin_api"}
    return {node, *HOST.get(node, "").split()}


def faults(root):
    """One line a fault, with the file and the include."""
    root = pathlib.Path(root).resolve()
    found = []
    for file in sorted(f for top in ("host", "plugins", "plugin_api") for f in (root / top).rglob("*")):
        if file.suffix not in SOURCES:
            continue
        text = file.read_text(encoding="utf-8")
        here = file.relative_to(root)
        node = node_of(here)
        if here.parts[0] == "host" and node not in HOST:
            found.append(f"{here}: host/{node} is not in the design's list")
            continue
        for angled, quoted in INCLUDE.findall(text):
            name = angled or quoted
            kind, target = target_of(root, file, name, bool(quoted))
            if kind == "file":
                target = node_of(target)
            if kind != "system" and target not in allowed_from(node):
                found.append(f"{here}: {node} may not include {name} (of {target})")
            if name == "torch/torch.h":
                found.append(f"{here}: torch/torch.h costs 20 seconds a file; include the narrow header")
        if node != "loader" and OPENS_A_LIBRARY.search(COMMENT_OR_STRING.sub(" ", text)):
            found.append(f"{here}: only host/loader opens libraries")
    return found


class Layering(unittest.TestCase):
    def test_the_project_keeps_to_the_list(self):
        self.assertEqual([], faults(ROOT))

    def test_the_project_is_really_read(self):
        self.assertTrue(list((ROOT / "host" / "core").glob("*.h")))
        self.assertTrue(list((ROOT / "plugin_api" / "include").rglob("*.h")))


class ReadingIncludes(unittest.TestCase):
    """The reader itself, on small trees."""

    ALLOWED = {
        "host/training/a.cpp": '#include "host/core/status.h"\n#include <ATen/core/Tensor.h>\n#include <vector>\n',
        "host/app/a.cpp": '#include "host/core/status.h"\n#include "mortise/plugin.h"\n#include <boost/program_options.hpp>\n',
        "host/ledger/cuda/a.cpp": "#include <cupti.h>\n#include <c10/cuda/CUDAStream.h>\n",
        "host/loader/a.cpp": "#include <dlfcn.h>\nvoid* f() { return dlopen(0, 0); }\n",
        "host/core/a.cpp": '// dlopen is told of here\nconst char* kWord = "dlopen";\n#include <sys/stat.h>\n',
        "plugins/one/a.cpp": '#include "own.h"\n#include <mortise/plugin.h>\n#include <cmath>\n',
    }
    REJECTED = {
        "host/core/a.cpp": ('#include "host/training/a.h"\n', "of training"),
        "host/core/b.cpp": ("#include <ATen/core/Tensor.h>\n", "of torch"),
        "host/core/c.cpp": ('#include "../training/a.h"\n', "of training"),
        "host/training/b.cpp": ('#  include "mortise/plugin.h"\n', "of plugin_api"),
        "host/training/c.cpp": ("#include <torch/torch.h>\n", "narrow header"),
        "host/training/d.cpp": ("#include <c10/cuda/CUDAStream.h>\n", "of cuda"),
        "host/bridge/a.cpp": ("void* f() { return dlopen(0, 0); }\n", "only host/loader"),
        "host/report/a.cpp": ("#include <fmt/format.h>\n", "of no known library"),
        "host/kitchen/a.cpp": ("", "not in the design's list"),
        "plugins/one/b.cpp": ('#include "host/core/status.h"\n', "of core"),
        "plugins/one/c.cpp": ('#include "plugins/two/other.h"\n', "of plugins/two"),
        "plugins/one/d.cpp": ("#include <ATen/core/Tensor.h>\n", "of torch"),
        "plugin_api/include/mortise/b.h": ('#include "host/core/status.h"\n', "of core"),
    }
    COMMON = ("host/core/status.h", "host/training/a.h", "plugin_api/include/mortise/plugin.h", "plugins/one/own.h",
              "plugins/two/other.h")

    def faults_with(self, name, text):
        with tempfile.TemporaryDirectory() as folder:
            for path, content in [(p, "") for p in self.COMMON] + [(name, text)]:
                file = pathlib.Path(folder, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content, encoding="utf-8")
            return faults(folder)

    def test_accepts_what_the_list_allows(self):
        for name, text in self.ALLOWED.items():
            with self.subTest(name):
                self.assertEqual([], self.faults_with(name, text))

    def test_rejects_a_planted_arrow(self):
        for name, (text, reason) in self.REJECTED.items():
            with self.subTest(name):
                found = self.faults_with(name, text)
                self.assertEqual(1, len([f for f in found if f.startswith(name) and reason in f]), found)


if __name__ == "__main__":
    unittest.main()
