"""What needs a GPU: the program on one, from outside. Standard library only.

usage: gpu_test.py MORTISE FIXTURES [unittest arguments]
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / 'support'))
from small_mnist import write_mnist  # noqa: E402

MORTISE = os.path.abspath(sys.argv[1])
FIXTURES = os.path.abspath(sys.argv[2])
THREE = ['--plugins', 'pruning,checkpoint,early_stopping', '--pruning.pruning_fn', 'l1_unstructured',
         '--checkpoint.monitor', 'valid_loss', '--early_stopping.monitor', 'valid_loss']


class Gpu(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='mortise-gpu-'))
        self.data = self.folder / 'data'
        write_mnist(self.data, train=320, test=64)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_mortise(self, command, *arguments, accelerator='cuda'):
        result = subprocess.run(
            [MORTISE, command, '--json', '--data', f'mnist:{self.data}', '--val-size', '64', '--batch-size', '32',
             '--max-epochs', '2', '--num-sanity-val-steps', '0', '--accelerator', accelerator, *arguments],
            cwd=self.folder, capture_output=True, text=True, timeout=300)
        return result, [json.loads(line) for line in result.stdout.splitlines()]

    def result_of(self, command, *arguments, **kwargs):
        result, lines = self.run_mortise(command, *arguments, **kwargs)
        self.assertEqual(result.returncode, 0, result.stderr)
        return next(line for line in lines if line.get('result') == command)

    def test_soak_is_clean_and_the_devices_memory_stays_where_it_was(self):
        for fresh in ('true', 'false'):
            with self.subTest(fresh_model=fresh):
                result, lines = self.run_mortise('soak', '--cycles', '8', '--model', 'resnet18', '--fresh-model', fresh,
                                                 '--pruning.make_pruning_permanent', 'false', *THREE)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                cycles = [line for line in lines if 'cycle' in line]
                self.assertEqual({cycle['verdict'] for cycle in cycles}, {'clean'})
                self.assertEqual(len({(cycle['gpu_tensors'], cycle['gpu_bytes']) for cycle in cycles[2:]}), 1, cycles)

    def test_a_tensor_that_a_plugin_keeps_on_the_device_is_forced_out(self):
        result, lines = self.run_mortise('soak', '--cycles', '6', '--plugin-dir', FIXTURES, '--plugins', 'keeps_tensor')
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        receipts = [line for line in lines if 'receipt' in line]
        self.assertEqual({receipt['verdict'] for receipt in receipts}, {'forced'})
        self.assertGreater(receipts[0]['forced_bytes'], 0)
        cycles = [line for line in lines if 'cycle' in line]
        self.assertEqual(len({cycle['gpu_bytes'] for cycle in cycles[2:]}), 1, cycles)

    def test_the_gpu_computes_what_the_cpu_computes(self):
        gpu = self.result_of('fit', '--seed', '3', '--lr', '0.05')
        cpu = self.result_of('fit', '--seed', '3', '--lr', '0.05', accelerator='cpu')
        self.assertAlmostEqual(gpu['valid_loss'], cpu['valid_loss'], delta=1e-3 * abs(cpu['valid_loss']))

    def test_mixed_precision_trains_to_about_the_same_loss(self):
        plain = self.result_of('fit', '--seed', '3', '--lr', '0.05')
        for precision in ('bf16-mixed', '16-mixed'):
            with self.subTest(precision=precision):
                mixed = self.result_of('fit', '--seed', '3', '--lr', '0.05', '--precision', precision)
                self.assertAlmostEqual(mixed['valid_loss'], plain['valid_loss'], delta=0.05 * abs(plain['valid_loss']))

    def test_a_checkpoint_of_the_gpu_tests_the_same_on_the_cpu(self):
        fit = self.result_of('fit', '--seed', '3', '--plugins', 'checkpoint', '--checkpoint.monitor', 'valid_loss')
        gpu = self.result_of('test', '--ckpt', fit['best checkpoint'])
        cpu = self.result_of('test', '--ckpt', fit['best checkpoint'], accelerator='cpu')
        self.assertAlmostEqual(gpu['test_loss'], cpu['test_loss'], delta=1e-4)

    def test_a_run_goes_on_from_its_checkpoint(self):
        fit = self.result_of('fit', '--seed', '3', '--optimizer', 'adamw', '--lr', '0.001', '--plugins', 'checkpoint')
        resumed = self.result_of('fit', '--seed', '3', '--optimizer', 'adamw', '--lr', '0.001', '--ckpt-path',
                                 fit['best checkpoint'], '--max-epochs', '3')
        whole = self.result_of('fit', '--seed', '3', '--optimizer', 'adamw', '--lr', '0.001', '--max-epochs', '3')
        self.assertEqual(resumed['global_step'], whole['global_step'])
        self.assertAlmostEqual(resumed['valid_loss'], whole['valid_loss'], delta=1e-3 * abs(whole['valid_loss']))


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
