"""The keeper of the interface, on planted breaks: what it takes, what it refuses and how it names the culprit."""
import contextlib
import io
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "plugin_api" / "tools"))

import abi  # noqa: E402: found by the line above
from header_reader import Enum, HeaderError, Struct, read_header, read_headers  # noqa: E402

VERSION = '// v\n#pragma once\n\n#define MORTISE_ABI_MAJOR 7\n#define MORTISE_ABI_MINOR 1\n#define MORTISE_VERSION "7.1.0"\n'
HEADER = """\
// A header like the real ones.
#pragma once

#include <stdint.h>

#define MORTISE_SHAPES "mortise.shapes/1"

// Kinds. Never renumber.
enum {
  MORTISE_ROUND = 1,
  MORTISE_SQUARE = 2,
};
typedef uint32_t mortise_shape_kind_t;

// A pair. FROZEN.
typedef struct mortise_pair {
  int64_t first;
  union {
    int64_t integer;
    double number;
  } second;
} mortise_pair_t;

// Called for a shape.
// [any-thread]
typedef int32_t (*mortise_shape_fn_t)(void* user, uint64_t shape);

// One shape. GROWABLE.
typedef struct mortise_shape {
  uint32_t struct_size;
  mortise_shape_kind_t kind;
  // name of it
  char name[16];
  uint64_t corners;
} mortise_shape_t;

// GROWABLE.
typedef struct mortise_host_shapes {
  uint32_t struct_size;
  uint32_t reserved;

  // Draws a shape.
  //   shape   its number
  //   errors  none is known
  // [train-thread]
  int32_t (*draw)(void* ctx, const mortise_shape_t* shape);

  // Rubs it out.
  // [train-thread] [load-thread]
  int32_t (*wipe)(void* ctx, uint64_t shape, mortise_shape_fn_t then, void* user);
} mortise_host_shapes_t;
"""

# What is replaced, by what.
GROWTH = {
    "a member at the end": ("  uint64_t corners;\n", "  uint64_t corners;\n  uint64_t edges;\n"),
    "a function at the end": ("} mortise_host_shapes_t;", "  // [any-thread]\n  void (*more)(void* ctx);\n} mortise_host_shapes_t;"),
    "a constant": ("  MORTISE_SQUARE = 2,\n", "  MORTISE_SQUARE = 2,\n  MORTISE_FLAT = 3,\n"),
    "a type": ("// One shape.", "typedef int32_t mortise_new_t;\n\n// One shape."),
    "a struct": ("// One shape.", "// FROZEN.\ntypedef struct mortise_n {\n  int64_t a;\n} mortise_n_t;\n\n// One shape."),
}
# The same, and what the message has to say.
BREAKS = {
    "two members change places": ("  char name[16];\n  uint64_t corners;\n", "  uint64_t corners;\n  char name[16];\n",
                                  "mortise_shape_t: member name was moved: corners stands"),
    "two functions change places": ("(*draw)", "(*swap)", "mortise_host_shapes_t: member draw was removed or renamed"),
    "a member of another type": ("uint64_t corners", "double corners", "member corners was '24 8 8 corners uint64_t'"),
    "a member of another size": ("char name[16]", "char name[24]", "mortise_shape_t: member name was"),
    "an argument of another type": ("(void* ctx, uint64_t shape,", "(void* ctx, int64_t shape,", "member wipe was"),
    "an argument more": ("const mortise_shape_t* shape)", "const mortise_shape_t* shape, int32_t how)", "member draw was"),
    "a member less": ("  uint64_t corners;\n", "", "mortise_shape_t: member corners was removed"),
    "a member in the middle": ("  char name[16];\n", "  uint64_t edges;\n  char name[16];\n", "name was moved: edges stands"),
    "a frozen struct that grows": ("  } second;\n", "  } second;\n  int64_t third;\n", "is FROZEN and has a new member third"),
    "another part of a union": ("    double number;\n", "    float number;\n", "member second.number was"),
    "a frozen struct that may grow": ("A pair. FROZEN.\ntypedef struct mortise_pair {\n  int64_t first;", "A pair. GROWABLE.\ntypedef struct mortise_pair {\n  uint32_t struct_size;\n  uint32_t reserved;", "mortise_pair_t: was FROZEN and is GROWABLE"),
    "a constant of another number": ("MORTISE_SQUARE = 2", "MORTISE_SQUARE = 3", "constant MORTISE_SQUARE was 2 and is 3"),
    "a constant less": ("  MORTISE_ROUND = 1,\n", "", "constant MORTISE_ROUND was removed"),
    "another id": ("mortise.shapes/1", "mortise.shapes/2", 'text MORTISE_SHAPES was "mortise.shapes/1"'),
    "another type behind a name": ("typedef uint32_t mortise_shape_kind_t", "typedef int32_t mortise_shape_kind_t",
                                   "type mortise_shape_kind_t was uint32_t and is int32_t"),
    "another kind of callback": ("(void* user, uint64_t shape);", "(void* user, uint32_t shape);", "type mortise_shape_fn_t"),
    "a struct less": ("mortise_pair", "mortise_twins", "struct mortise_pair_t was removed"),
}
FAULTS = {
    "a hole between members": ("  char name[16];", "  char name[15];", "mortise_shape_t: 1 unnamed bytes behind name"),
    "a hole at the end": ("  uint64_t corners;", "  uint64_t corners;\n  uint32_t edges;", "4 unnamed bytes behind edges"),
    "no word of growth": ("// One shape. GROWABLE.", "// One shape.", "has to say FROZEN or GROWABLE"),
    "no size in front": ("  uint32_t struct_size;\n  mortise_shape", "  mortise_shape", "begins with uint32_t struct_size"),
    "no thread tag": ("  // [train-thread]\n", "", "mortise_host_shapes_t.draw: the last line"),
    "not the regular form": ("  uint64_t corners;", "  uint64_t;", "shapes.h:34: 'uint64_t' has no name"),
}


class Keeper(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "mortise").mkdir()
        (self.folder / "mortise" / "version.h").write_text(VERSION, encoding="utf-8")
        self.write(HEADER)

    def write(self, text):
        (self.folder / "mortise" / "shapes.h").write_text(text, encoding="utf-8")

    def change(self, old, new):
        self.assertIn(old, HEADER)
        self.write(HEADER.replace(old, new))

    def run_tool(self, *arguments):
        """Exit status and all that was said."""
        said = io.StringIO()
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            status = abi.main(["--include", str(self.folder), *arguments])
        return status, said.getvalue()

    def check(self, *arguments):
        return self.run_tool("check", "--kept", str(self.folder / "kept.layout"), *arguments)

    def test_what_did_not_change_is_good(self):
        self.assertEqual(0, self.check("--update")[0])

        self.assertEqual((0, ""), self.check())

    def test_the_kept_list_has_places_types_and_numbers(self):
        self.check("--update")

        kept = (self.folder / "kept.layout").read_text(encoding="utf-8")
        for line in ("struct mortise_pair_t FROZEN size 16 align 8", "  8 8 8 second.number double",
                     "  8 16 1 name char[16]", "  8 8 8 draw int32_t (*)(void*, const mortise_shape_t*)",
                     "constant MORTISE_SQUARE 2", 'text MORTISE_SHAPES "mortise.shapes/1"',
                     "type mortise_shape_fn_t int32_t (*)(void*, uint64_t)"):
            self.assertIn(f"\n{line}\n", kept)

    def test_a_list_that_is_missing_is_told(self):
        status, said = self.check()

        self.assertEqual(1, status)
        self.assertIn("does not exist", said)

    def test_growth_is_told_until_it_is_kept(self):
        for name, (old, new) in GROWTH.items():
            with self.subTest(name):
                self.write(HEADER)
                (self.folder / "kept.layout").unlink(missing_ok=True)
                self.check("--update")

                self.change(old, new)
                status, said = self.check()
                self.assertEqual((1, True), (status, "is new; abi.py check --update" in said), said)
                self.assertEqual(0, self.check("--update")[0])
                self.assertEqual((0, ""), self.check())

    def test_a_break_is_refused_by_name_and_never_kept(self):
        self.check("--update")
        kept = (self.folder / "kept.layout").read_text(encoding="utf-8")
        for name, (old, new, fault) in BREAKS.items():
            with self.subTest(name):
                self.change(old, new)
                for arguments in ((), ("--update",)):
                    status, said = self.check(*arguments)
                    self.assertEqual(1, status, said)
                    self.assertIn(fault, said)
                self.assertEqual(kept, (self.folder / "kept.layout").read_text(encoding="utf-8"))

    def test_a_member_in_bytes_that_old_writers_count_is_refused(self):
        self.check("--update")
        kept = self.folder / "kept.layout"
        kept.write_text(kept.read_text().replace("  24 8 8 corners uint64_t\n", ""), encoding="utf-8")

        self.assertIn("corners lies in bytes that old writers count as theirs", self.check()[1])

    def test_a_fault_in_the_headers_is_told_whatever_was_kept(self):
        for name, (old, new, fault) in FAULTS.items():
            with self.subTest(name):
                self.change(old, new)
                status, said = self.check("--update")
                self.assertEqual(1, status, said)
                self.assertIn(fault, said)

    def test_a_reference_that_is_out_of_date_is_named(self):
        out = ("reference", "--out", str(self.folder / "docs"))
        self.assertEqual(0, self.run_tool(*out)[0])
        self.assertEqual((0, ""), self.run_tool(*out, "--check"))

        self.change("Draws a shape.", "Paints a shape.")
        (self.folder / "docs" / "gone.md").write_text("", encoding="utf-8")
        status, said = self.run_tool(*out, "--check")

        self.assertEqual(1, status)
        self.assertEqual({"shapes.md", "gone.md"}, set(re.findall(r"\w+\.md", said)))

    def test_the_reference_says_what_the_comments_say(self):
        self.run_tool("reference", "--out", str(self.folder / "docs"))

        page = (self.folder / "docs" / "shapes.md").read_text(encoding="utf-8")
        for text in ("## mortise_shape_t\n\nOne shape.", "GROWABLE](../../plugin_api/ABI.md#rules-of-growth), 32 bytes",
                     "| 8 | `name` | char[16] | name of it |", "| `MORTISE_SQUARE` | 2 |", "### draw\n",
                     "int32_t draw(void* ctx, const mortise_shape_t* shape);", "- `shape`: its number",
                     "Threads: `train-thread` `load-thread`"):
            self.assertIn(text, page)


class TheRealHeaders(unittest.TestCase):
    HEADERS = read_headers(ROOT / "plugin_api" / "include" / "mortise")

    def test_nothing_in_them_was_passed_over(self):
        """Counted in another way: names that end a struct, and lines of an enum."""
        for header in self.HEADERS:
            text = (ROOT / "plugin_api/include/mortise" / header.name).read_text(encoding="utf-8")
            structs = re.findall(r"^} (\w+);", text, re.MULTILINE)
            constants = re.findall(r"^  (MORTISE_\w+) = ", text, re.MULTILINE)
            self.assertEqual(structs, [s.name for s in header.of(Struct)])
            self.assertEqual(constants, [c.name for e in header.of(Enum) for c in e.constants])

    def test_the_rust_layer_knows_the_id_of_each_service(self):
        link = (ROOT / "plugin_api/rust/mortise/link.rs").read_text(encoding="utf-8")
        tables = [s.name for h in self.HEADERS for s in h.of(Struct) if s.name.startswith("mortise_host_") and s.name != "mortise_host_t"]
        self.assertGreater(len(tables), 10)
        self.assertEqual([], [name for name in tables if f"{name.removesuffix('_t')} = " not in link])

    def test_each_link_of_the_reference_leads_to_a_heading(self):
        docs = ROOT / "docs" / "abi"
        headings = {}
        for page in docs.glob("*.md"):
            lines = [line.lstrip("# ") for line in page.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
            headings[page.name] = {re.sub(r"[^\w-]", "", line.lower().replace(" ", "-")) for line in lines}
        links = [(page.name, link) for page in docs.glob("*.md")
                 for link in re.findall(r"\]\((\w+\.md(?:#[^)]*)?)\)", page.read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 100)
        for page, link in links:
            target, _, heading = link.partition("#")
            self.assertTrue(target in headings and (not heading or heading in headings[target]), f"{page}: {link}")


class Reader(unittest.TestCase):
    def test_a_form_that_it_does_not_know_is_an_error_with_its_line(self):
        for text in ("int x\n", "typedef struct a {\n  int (b;\n} a_t;\n", "enum { A };\n", "typedef struct a {\n  int b;\n"):
            with self.subTest(text), self.assertRaisesRegex(HeaderError, r"^h\.h:\d+: "):
                read_header("h.h", "#pragma once\n" + text)


if __name__ == "__main__":
    unittest.main()
