"""What the tests against Python's torch share: the tool, a folder for its files, and equality bit for bit."""

import os
import subprocess
import sys
import tempfile
import unittest

import torch

TOOL = None


class ToolTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def tool(self, *words):
        done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def refusal(self, *words):
        done = subprocess.run([TOOL, *map(str, words)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        return done.stderr

    def load(self, name):
        return torch.load(self.path(name), weights_only=True)

    def assert_same(self, found, wanted, where="root"):
        """Same types, order, values, and tensors bit for bit with their strides."""
        self.assertIs(type(found), type(wanted), where)
        if isinstance(wanted, torch.Tensor):
            self.assertEqual(
                (found.dtype, found.shape, found.stride()), (wanted.dtype, wanted.shape, wanted.stride()), where
            )
            self.assertTrue(same_bits(found, wanted), where)
        elif isinstance(wanted, dict):
            self.assertEqual(list(found), list(wanted), where)
            for key in wanted:
                self.assert_same(found[key], wanted[key], f"{where}.{key}")
        elif isinstance(wanted, (list, tuple)):
            self.assertEqual(len(found), len(wanted), where)
            for i, item in enumerate(wanted):
                self.assert_same(found[i], item, f"{where}.{i}")
        else:
            self.assertEqual(found, wanted, where)


def same_bits(a, b):
    return a.detach().contiguous().numpy().tobytes() == b.detach().contiguous().numpy().tobytes()


def main():
    """The tool's path is the first argument; the rest is unittest's."""
    global TOOL
    TOOL = sys.argv.pop(1)
    unittest.main(module="__main__")
