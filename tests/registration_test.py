"""Fails for a *_test.cpp or *_test.py under tests/ that no CMakeLists.txt names: it would never run."""
import pathlib
import re
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent


def unregistered(tests):
    """The test files that the CMakeLists.txt of their own folder, or of one above it, does not name."""
    tests = pathlib.Path(tests)
    named = set()
    for lists in tests.rglob("CMakeLists.txt"):
        text = re.sub(r"#[^\n]*", "", lists.read_text(encoding="utf-8"))
        for word in re.findall(r"[\w./-]+_test\.(?:cpp|py)", text):
            named.add((lists.parent / word.lstrip("/")).resolve())
    files = [*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py")]
    return sorted(str(f.relative_to(tests)) for f in files if f.resolve() not in named)


class Registration(unittest.TestCase):
    def test_every_test_file_is_named(self):
        self.assertEqual([], unregistered(TESTS))

    def test_a_file_that_is_not_named_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder)
            (tests / "deep").mkdir()
            for name in ("deep/named_test.cpp", "deep/lost_test.cpp", "commented_test.py", "helper.cpp"):
                (tests / name).write_text("", encoding="utf-8")
            (tests / "CMakeLists.txt").write_text("# commented_test.py\n", encoding="utf-8")
            (tests / "deep" / "CMakeLists.txt").write_text("mortise_add_test(t SOURCES named_test.cpp)\n", encoding="utf-8")

            self.assertEqual(["commented_test.py", "deep/lost_test.cpp"], unregistered(tests))


if __name__ == "__main__":
    unittest.main()
