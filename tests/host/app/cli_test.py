"""The program as a user meets it: exit statuses, messages, files. Standard library only.

usage: cli_test.py MORTISE FIXTURES [unittest arguments]
"""
import fcntl
import json
import os
import pathlib
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / 'support'))
from small_mnist import write_mnist  # noqa: E402

MORTISE = os.path.abspath(sys.argv[1])
FIXTURES = os.path.abspath(sys.argv[2])

SMALL = ['--limit-train-batches', '4', '--limit-val-batches', '2', '--limit-test-batches', '2', '--max-epochs', '2',
         '--num-sanity-val-steps', '0', '--accelerator', 'cpu']
THREE = ['--plugins', 'pruning,checkpoint,early_stopping', '--pruning.pruning_fn', 'l1_unstructured',
         '--checkpoint.monitor', 'valid_loss', '--early_stopping.monitor', 'valid_loss']


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix='mortise cli '))  # with a space
        cls.data = cls.root / 'data'
        write_mnist(cls.data)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def setUp(self):
        self.folder = self.root / self.id().rsplit('.', 1)[1]
        self.folder.mkdir()

    def run_mortise(self, *arguments, **kwargs):
        return subprocess.run([MORTISE, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=240, **kwargs)

    def small(self, command, *arguments, **kwargs):
        return self.run_mortise(command, '--data', f'mnist:{self.data}', '--val-size', '20', '--batch-size', '8', *SMALL,
                                *arguments, **kwargs)

    def assert_usage_error(self, result, *words):
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, '')
        for word in words:
            self.assertIn(word, result.stderr)
        self.assertFalse((self.folder / 'mortise_runs').exists(), 'a refused run has left something')

    # Usage --------------------------------------------------------------------------------------------------------

    def test_help_names_every_command(self):
        result = self.run_mortise('--help')
        self.assertEqual(result.returncode, 0)
        for command in ('fit', 'validate', 'test', 'predict', 'soak', 'plugins', 'new-plugin', 'inspect'):
            self.assertIn(command, result.stdout)

    def test_mistakes_are_named_with_the_nearest_right_spelling(self):
        for arguments, words in [
                (['fti'], ["fti", "'fit'"]),
                (['fit', '--max-epoch', '3'], ['max-epoch', '--max-epochs']),
                (['fit', '--max-epochs', 'ten'], ['--max-epochs', 'ten', 'whole number']),
                (['fit', '--optimizer', 'sdg'], ['--optimizer', 'sdg', 'sgd']),
                (['fit', '--model', 'lennet'], ['lennet', "lenet"]),
                (['fit', '--data', 'fashion-mnits'], ['fashion-mnits', 'fashion-mnist']),
                (['fit', '--data', 'cifar10'], ['cifar10', 'folder']),
                (['fit', '--plugins', 'prunning'], ['prunning', "'pruning'"]),
                (['fit', '--plugins', 'pruning', '--pruning.amuont', '0.5'], ['amuont', 'amount']),
                (['fit', '--plugins', 'early_stopping', '--early_stopping.monitor', 'x', '--early_stopping.mode', 'mni'],
                 ['mode', 'mni', 'min']),
                (['fit', '--plugins', 'early_stopping'], ['early-stopping.monitor', 'required']),
                (['fit', '--pruning.amount', '0.5'], ['pruning', '--plugins']),
                (['fit', '--plugin-dir', 'nowhere'], ['nowhere']),
                (['fit', '--limit-train-batches', '1.5'], ['limit_train_batches', '1.5']),
                (['fit', '--config', 'no.ini'], ['no.ini']),
                (['fit', '--on-plugin-error', 'detahc'], ['--on-plugin-error', 'detahc', "'detach'"]),
                (['fit', '--dampening', 'nan'], ['--dampening', 'nan', 'at least 0']),
                (['fit', '--dampening', '-0.1'], ['--dampening', '-0.1', 'at least 0']),
                (['fit', '--lr', 'nan'], ['--lr', 'nan', 'at least 0']),
                (['fit', '--momentum', 'inf'], ['momentum', 'inf', 'from 0']),
                (['fit', '--optimizer', 'adam', '--betas', '0.9,nan'], ['beta2', 'nan']),
                (['fit', '--nesterov'], ['nesterov', 'momentum']),
                (['test', '--ckpt', 'gone.ckpt'], ['gone.ckpt']),
                (['test', '--ckpt', 'best'], ['best', 'mortise fit']),
                (['fit', '--metric-alias', 'x'], ['metric-alias', 'NAME=METRIC']),
                (['fit', '--default-root-dir', ''], ['default-root-dir', 'empty']),
                (['fit', '--ckpt-path', 'gone.ckpt'], ['ckpt-path', 'gone.ckpt']),
                (['test', '--ckpt', 'a' * 300], ['--ckpt', 'File name too long']),
                (['soak', '--cycles', '2'], ['--cycles 2', '--warm-up 2', '3']),
        ]:
            with self.subTest(arguments=arguments):
                self.assert_usage_error(self.run_mortise(*arguments), *words)

    @unittest.skipIf(os.path.exists('/dev/nvidiactl'), 'this machine has a GPU')
    def test_a_gpu_that_is_not_there_is_named(self):
        self.assert_usage_error(self.run_mortise('fit', '--accelerator', 'cuda'), '--accelerator cuda', 'driver')

    def test_plugins_lists_what_there_is(self):
        result = self.run_mortise('plugins', '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        ids = [json.loads(line)['plugin'] for line in result.stdout.splitlines()]
        self.assertEqual(ids, ['checkpoint', 'early_stopping', 'pruning'])

    def test_plugins_explains_one(self):
        result = self.run_mortise('plugins', 'pruning')
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ('pruning_fn', 'amount', '0.5', 'on_train_epoch_end'):
            self.assertIn(word, result.stdout.replace('-', '_'))

    def test_print_config_can_be_read_back(self):
        first = self.small('fit', *THREE, '--print-config')
        self.assertEqual(first.returncode, 0, first.stderr)
        (self.folder / 'run.ini').write_text(first.stdout)
        second = self.run_mortise('fit', '--config', 'run.ini', '--print-config')
        values = lambda text: [line for line in (l.split('#')[0].strip() for l in text.splitlines()) if line]
        self.assertEqual(values(first.stdout), values(second.stdout))

    def test_print_config_shows_the_order_of_calls(self):
        arguments = ['fit', '--plugin-dir', FIXTURES, '--plugins', 'checkpoint,goes_after,goes_first', '--print-config']
        result = self.small(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('# Called in this order: goes_first, goes_after, checkpoint\n', result.stdout)

    def test_an_order_that_is_a_circle_is_named(self):
        result = self.small('fit', '--plugin-dir', FIXTURES, '--plugins', 'late=goes_after,early=goes_first')
        self.assert_usage_error(result, '--plugins', "'late' before 'early', as 'late' asks",
                                "'early' before 'late', as 'late' asks")

    def test_plugins_explains_the_place_of_one(self):
        text = self.run_mortise('plugins', 'goes_after', '--plugin-dir', FIXTURES)
        self.assertIn('Place in the order: priority 0, before early, after goes_first\n', text.stdout)
        line = json.loads(self.run_mortise('plugins', 'goes_after', '--plugin-dir', FIXTURES, '--json').stdout)
        self.assertEqual((line['priority'], line['before'], line['after']), (0, ['early'], ['goes_first']))

    # Data ---------------------------------------------------------------------------------------------------------

    def test_a_cut_data_file_is_named_with_what_was_expected(self):
        folder = self.folder / 'cut'
        shutil.copytree(self.data, folder)
        path = folder / 'train-images-idx3-ubyte'
        path.write_bytes(path.read_bytes()[:-100])
        result = self.run_mortise('fit', '--data', f'mnist:{folder}', *SMALL)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn('train-images-idx3-ubyte', result.stderr)
        self.assertFalse((self.folder / 'mortise_runs').exists())

    # Runs ---------------------------------------------------------------------------------------------------------

    def fit(self, *arguments):
        result = self.small('fit', '--json', *THREE, *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_fit_leaves_a_run_folder_and_clean_receipts(self):
        lines = self.fit()
        fit = next(line for line in lines if line.get('result') == 'fit')
        receipts = {line['receipt']: line for line in lines if 'receipt' in line}
        self.assertEqual((fit['epochs'], fit['global_step']), (2, 8))
        self.assertEqual(set(receipts), {'pruning', 'checkpoint', 'early_stopping'})
        for receipt in receipts.values():
            self.assertEqual((receipt['verdict'], receipt['unmapped']), ('clean', True), receipt)
        run = self.folder / 'mortise_runs' / 'version_0'
        self.assertTrue(pathlib.Path(fit['best checkpoint']).is_file())
        self.assertIn('max_epochs = 2', (run / 'config.ini').read_text())
        self.assertEqual(len((run / 'receipts.jsonl').read_text().splitlines()), 3)

    def test_test_reads_the_best_checkpoint_back(self):
        self.fit()
        result = self.small('test', '--ckpt', 'best', '--json')
        self.assertEqual(result.returncode, 0, result.stderr)
        line = json.loads(result.stdout.splitlines()[0])
        self.assertEqual(line['result'], 'test')
        self.assertGreaterEqual(line['test_acc'], 0)

    def test_test_of_another_model_names_what_does_not_fit(self):
        self.fit()
        result = self.small('test', '--ckpt', 'best', '--model', 'mlp')
        self.assertEqual(result.returncode, 1)
        self.assertIn('conv1.weight', result.stderr)

    def test_predict_writes_a_line_a_sample(self):
        self.fit()
        result = self.small('predict', '--output', 'out.csv', '--limit-predict-batches', '1.0')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(len((self.folder / 'out.csv').read_text().splitlines()), 21)

    def test_inspect_shows_a_checkpoint(self):
        best = next(line for line in self.fit() if line.get('result') == 'fit')['best checkpoint']
        result = self.run_mortise('inspect', best)
        self.assertEqual(result.returncode, 0, result.stderr)
        for word in ('state_dict', 'conv1.weight', 'float32', 'pytorch-lightning_version', 'optimizer_states'):
            self.assertIn(word, result.stdout)

    def test_resuming_goes_on_where_the_checkpoint_stood(self):
        best = next(line for line in self.fit('--checkpoint.save_top_k', '-1') if line.get('result') == 'fit')
        self.assertEqual(best['epochs'], 2)
        last = sorted((self.folder / 'mortise_runs/version_0/checkpoints').glob('epoch=1*.ckpt'))[-1]
        result = self.small('fit', '--json', '--ckpt-path', str(last), '--max-epochs', '3')
        self.assertEqual(result.returncode, 0, result.stderr)
        fit = json.loads(result.stdout.splitlines()[0])
        self.assertEqual((fit['epochs'], fit['global_step']), (3, 12))

    def test_one_seed_gives_one_result(self):
        losses = [next(l for l in self.fit('--seed', '7') if l.get('result') == 'fit')['valid_loss'] for _ in range(2)]
        self.assertEqual(losses[0], losses[1])

    def test_a_metric_name_may_have_a_space(self):
        result = self.small('fit', '--json', '--metric-alias', 'valid_loss 3=valid_loss', '--plugins', 'checkpoint',
                            '--checkpoint.monitor', 'valid_loss 3')
        self.assertEqual(result.returncode, 0, result.stderr)
        fit = json.loads(result.stdout.splitlines()[0])
        self.assertEqual(fit['valid_loss 3'], fit['valid_loss'])

    def test_a_monitored_name_that_nobody_logs_is_named_with_those_there_are(self):
        result = self.small('fit', '--plugins', 'early_stopping', '--early_stopping.monitor', 'val_loss')
        self.assertEqual(result.returncode, 1)
        for word in ('early_stopping', 'on_train_epoch_end', 'val_loss', 'valid_loss'):
            self.assertIn(word, result.stderr)

    def test_a_signal_ends_cleanly_with_its_own_status(self):
        for sent, status in ((signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)):
            with self.subTest(signal=sent.name):
                root = self.folder / sent.name
                process = subprocess.Popen(
                    [MORTISE, 'fit', '--data', f'mnist:{self.data}', '--val-size', '20', '--batch-size', '8', '--max-epochs',
                     '-1', '--accelerator', 'cpu', '--progress', 'plain', '--default-root-dir', root, *THREE],
                    cwd=self.folder, stderr=subprocess.PIPE, text=True,
                    preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL))
                for line in process.stderr:  # an epoch's line: training runs
                    if 'Epoch 0' in line:
                        break
                process.send_signal(sent)
                rest = process.stderr.read()
                process.stderr.close()
                self.assertEqual(process.wait(60), status, rest)
                receipts = (root / 'mortise_runs/version_0/receipts.jsonl').read_text().splitlines()
                self.assertEqual([json.loads(line)['verdict'] for line in receipts], ['clean'] * 3)

    def test_the_device_is_named_with_the_reason(self):
        self.assertIn('runs on the CPU: --accelerator cpu\n', self.small('fit').stderr)

    @unittest.skipIf(os.path.exists('/dev/nvidiactl'), 'this machine has a GPU')
    def test_auto_says_why_there_is_no_gpu(self):
        result = self.run_mortise('fit', '--data', f'mnist:{self.data}', '--val-size', '20', '--fast-dev-run')
        self.assertIn('runs on the CPU: no NVIDIA driver', result.stderr)

    def test_inspect_fits_its_names_into_the_terminal(self):
        best = next(line for line in self.fit() if line.get('result') == 'fit')['best checkpoint']
        master, terminal = os.openpty()
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack('HHHH', 1000, 100, 0, 0))
        process = subprocess.Popen([MORTISE, 'inspect', best, '--color', 'never'], stdout=terminal)
        os.close(terminal)
        shown = b''
        while True:
            try:
                part = os.read(master, 65536)
            except OSError:  # the other end was closed
                break
            shown += part
        process.wait(60)
        os.close(master)
        lines = shown.decode().splitlines()
        whole = self.run_mortise('inspect', best).stdout.splitlines()
        self.assertEqual(len(lines), len(whole))
        self.assertLessEqual(max(map(len, lines)), 100)
        self.assertGreater(max(map(len, whole)), 100)
        self.assertTrue(any(line.startswith('…') for line in lines))

    def test_killed_in_the_middle_no_checkpoint_is_half_written(self):
        process = subprocess.Popen(
            [MORTISE, 'fit', '--data', f'mnist:{self.data}', '--val-size', '20', '--batch-size', '8', '--max-epochs', '-1',
             '--accelerator', 'cpu', '--progress', 'plain', '--plugins', 'checkpoint', '--checkpoint.save_top_k', '-1',
             '--checkpoint.every_n_train_steps', '1'], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        for line in process.stderr:
            if 'Epoch 1' in line:
                break
        process.kill()
        process.wait(60)
        process.stderr.close()
        files = list((self.folder / 'mortise_runs/version_0/checkpoints').glob('*.ckpt'))
        self.assertGreater(len(files), 3)
        for file in files:
            self.assertEqual(self.run_mortise('inspect', str(file)).returncode, 0, file)

    def test_a_full_disk_is_named_and_leaves_nothing_half_written(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
        result = self.small('fit', '--model', 'mlp', *THREE, preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), limit()))
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn('checkpoint', result.stderr)
        self.assertIn('File too large', result.stderr)
        checkpoints = self.folder / 'mortise_runs/version_0/checkpoints'
        self.assertEqual(list(checkpoints.iterdir()) if checkpoints.exists() else [], [])

    def test_an_unwritable_output_is_named(self):
        (self.folder / 'file').write_text('')
        result = self.small('fit', '--default-root-dir', 'file')
        self.assertEqual(result.returncode, 1)
        self.assertIn(str(self.folder / 'file'), result.stderr)

    def test_a_fit_that_its_checkpoint_refuses_leaves_nothing(self):
        self.fit('--checkpoint.save_weights_only', 'true')
        weights = next((self.folder / 'mortise_runs/version_0/checkpoints').glob('*.ckpt'))
        result = self.small('fit', '--ckpt-path', str(weights))
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual([p.name for p in (self.folder / 'mortise_runs').iterdir()], ['version_0'])

    def test_lost_output_is_noticed(self):
        with open('/dev/full', 'w') as full:
            result = subprocess.run([MORTISE, 'plugins'], stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
        self.assertEqual(result.returncode, 1)
        self.assertIn('standard output', result.stderr)

    def test_a_reader_that_goes_does_not_end_the_training(self):
        command = [MORTISE, 'fit', '--data', f'mnist:{self.data}', '--val-size', '20', '--batch-size', '8', *SMALL,
                   '--progress', 'plain', '--plugins', 'checkpoint']
        process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        process.stderr.readline()
        process.stderr.close()
        process.stdout.close()
        self.assertEqual(process.wait(60), 1)
        self.assertEqual(len(list((self.folder / 'mortise_runs/version_0/checkpoints').glob('epoch=1*.ckpt'))), 1)

    # Soak and planted leaks ---------------------------------------------------------------------------------------

    def soak(self, *arguments):
        result = self.small('soak', '--json', '--cycles', '6', '--plugin-dir', FIXTURES, '--unload-timeout', '0.2', *arguments)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        return result, lines

    def test_soak_of_the_three_plugins_is_clean(self):
        result, lines = self.soak(*THREE)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        cycles = [line for line in lines if 'cycle' in line]
        self.assertEqual([cycle['verdict'] for cycle in cycles], ['clean'] * 6)
        self.assertEqual(len({cycle['cpu_tensors'] for cycle in cycles[2:]}), 1)

    def test_soak_with_one_model_kept_is_clean(self):
        result, _ = self.soak(*THREE, '--fresh-model', 'false', '--pruning.make_pruning_permanent', 'false')
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_soak_forces_out_what_a_plugin_keeps(self):
        for kind in ('tensor', 'mask', 'file', 'job', 'hook'):
            with self.subTest(kind=kind):
                result, lines = self.soak('--plugins', f'keeps_{kind}')
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
                receipts = [line for line in lines if 'receipt' in line]
                self.assertEqual({receipt['verdict'] for receipt in receipts}, {'forced'})
                self.assertEqual({receipt['things'][kind]['forced'] for receipt in receipts}, {1})

    def test_soak_finds_a_heap_block_that_a_plugin_keeps(self):
        result, lines = self.soak('--plugins', 'keeps_heap', '--cycles', '10')
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        failed = [finding for finding in lines[-1]['findings'] if not finding['passed']]
        self.assertTrue(any('heap' in finding['quantity'] for finding in failed), failed)

    def test_soak_finds_a_thread_that_a_plugin_keeps(self):
        result, lines = self.soak('--plugins', 'keeps_thread')
        self.assertEqual(result.returncode, 3, result.stdout + result.stderr)
        receipts = [line for line in lines if 'receipt' in line]
        self.assertEqual({receipt['verdict'] for receipt in receipts}, {'quarantined'})
        self.assertIn('thread', receipts[0]['why_mapped'])

    def test_a_receipt_stands_bytes_that_are_no_text(self):
        result = self.small('fit', '--json', '--plugin-dir', FIXTURES, '--plugins', 'job_in_shutdown', '--unload-timeout', '0.1')
        self.assertEqual(result.returncode, 0, result.stderr)
        receipt = json.loads(result.stdout.splitlines()[-1])
        self.assertEqual(receipt['verdict'], 'quarantined')
        self.assertIn('not \ufffd UTF-8', receipt['shutdown_error'])

    def test_a_plugin_that_throws_is_named_with_event_epoch_and_step(self):
        result = self.small('fit', '--plugin-dir', FIXTURES, '--plugins', 'throws')
        self.assertEqual(result.returncode, 1)
        self.assertRegex(result.stderr, r"plugin 'throws' failed in on_train_batch_end, epoch 0, step 1: .*out of cheese")

    def test_a_failing_plugin_is_ignored_where_the_run_asks(self):
        result = self.small('fit', '--plugin-dir', FIXTURES, '--plugins', 'fails_in_event', '--on-plugin-error', 'ignore')
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn('out of cheese', result.stderr)

    def test_a_failing_plugin_is_detached_where_the_run_asks(self):
        arguments = ['--plugin-dir', FIXTURES, '--plugins', 'best=fails_in_event,clean', '--on-plugin-error', 'detach']
        why = "plugin 'best' (fails_in_event) failed in on_train_epoch_end, epoch 0, step 4: out of cheese"
        result = self.small('fit', '--json', *arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        fit, *receipts = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(fit['epochs'], 2)
        self.assertEqual([(receipt['receipt'], receipt['detached_because'], receipt['verdict']) for receipt in receipts],
                         [('best', why, 'clean'), ('clean', '', 'clean')])
        self.assertIn(why, result.stderr)

        table = self.small('fit', *arguments)
        self.assertEqual(table.returncode, 0, table.stderr)
        self.assertIn(f'best (fails_in_event): detached: {why}', table.stdout)
        self.assertIn('on_plugin_error = detach', self.small('fit', *arguments, '--print-config').stdout)

    def test_unfit_plugins_are_refused_each_for_its_reason(self):
        for name, words in (('no_entry', ['mortise_plugin_entry_v1']), ('undefined_symbol', ['symbol']),
                            ('wrong_major', ['version']), ('needs_newer_minor', ['newer'])):
            with self.subTest(plugin=name):
                result = self.small('fit', '--plugin-dir', FIXTURES, '--plugins', name)
                self.assertIn(result.returncode, (1, 2))
                for word in [name, *words]:
                    self.assertIn(word, result.stderr)


if __name__ == '__main__':
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=1)
