"""Fails for a *_test.cpp, a *_test.py or a folder under tests/ that no CMakeLists.txt names: it would never run."""
import pathlib
import re
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parent

def unregistered(tests):
    """The test files and the folders with a CMakeLists.txt that no CMakeLists.txt names, by a path from its own folder."""
    tests = pathlib.Path(tests).resolve()
    lists = list(tests.rglob("CMakeLists.txt"))
    named = {tests}
    for file in lists:
        text = re.sub(r"#[^\n]*", "", file.read_text(encoding="utf-8"))
        unrolled = [text]
        for loop, words in re.findall(r"foreach\((\w+)\s+([^)]*)\)", text):
            unrolled += [text.replace(f"${{{loop}}}", word) for word in words.split()]
        found = re.findall(r"[\w./-]+", "\n".join(unrolled))
        named |= {(file.parent / word.lstrip("/")).resolve() for word in set(found)}
    wanted = [*tests.rglob("*_test.cpp"), *tests.rglob("*_test.py"), *(file.parent for file in lists)]
    return sorted(str(path.relative_to(tests)) for path in wanted if path not in named)


class Registration(unittest.TestCase):
    def test_every_test_file_and_folder_is_named(self):
        self.assertEqual([], unregistered(TESTS))

    def test_what_is_not_named_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder)
            (tests / "deep").mkdir()
            (tests / "lost").mkdir()
            for name in ("deep/named_test.cpp", "deep/lost_test.cpp", "looped_test.py", "commented_test.py", "helper.cpp"):
                (tests / name).write_text("", encoding="utf-8")
            loop = "foreach(t looped)\n  add_test(NAME ${t} COMMAND ${DIR}/${t}_test.py)\nendforeach()\n"
            (tests / "CMakeLists.txt").write_text(f"# commented_test.py\nadd_subdirectory(deep)\n{loop}", encoding="utf-8")
            (tests / "deep" / "CMakeLists.txt").write_text("mortise_add_test(t SOURCES named_test.cpp)\n", encoding="utf-8")
            (tests / "lost" / "CMakeLists.txt").write_text("", encoding="utf-8")

            self.assertEqual(["commented_test.py", "deep/lost_test.cpp", "lost"], unregistered(tests))


if __name__ == "__main__":
    unittest.main()
