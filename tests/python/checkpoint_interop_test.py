"""Checkpoints between the host and Python's torch, both ways."""

import os
from collections import OrderedDict

import torch
import torchvision

import support


def trained_resnet18():
    """A model and its optimiser after a step, as a training script has them."""
    torch.manual_seed(7)
    model = torchvision.models.resnet18(num_classes=10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    model(torch.rand(2, 3, 32, 32)).sum().backward()
    optimizer.step()
    return model, optimizer


def lightning_like():
    model, optimizer = trained_resnet18()
    return {
        "epoch": 1,
        "global_step": 10,
        "pytorch-lightning_version": "2.6.0",
        "state_dict": model.state_dict(),
        "loops": {"fit_loop": {"state_dict": {}}},
        "callbacks": {"EarlyStopping{'monitor': 'valid_loss'}": {"wait_count": 0, "best_score": torch.tensor(0.5)}},
        "optimizer_states": [optimizer.state_dict()],
        "lr_schedulers": [],
        "hparams_name": "kwargs",
        "hyper_parameters": {"lr": 0.1},
    }


class WrittenByTheHost(support.ToolTest):
    def test_a_checkpoint_has_lightnings_keys(self):
        self.tool("lightning", self.path("host.ckpt"))
        found = self.load("host.ckpt")

        self.assertEqual(
            list(found),
            ["epoch", "global_step", "pytorch-lightning_version", "state_dict", "loops", "callbacks"]
            + ["optimizer_states", "lr_schedulers", "hparams_name", "hyper_parameters"],
        )
        self.assertEqual((found["epoch"], found["global_step"]), (2, 42))
        self.assertEqual(found["lr_schedulers"], [])
        self.assertEqual(found["optimizer_states"][0]["param_groups"][0]["params"], [0, 1, 2])
        self.assertIs(type(found["state_dict"]), OrderedDict)

    def test_its_weights_load_strictly_into_torchvisions_model(self):
        self.tool("lightning", self.path("host.ckpt"))
        model = torchvision.models.resnet18(num_classes=10)
        model.load_state_dict(self.load("host.ckpt")["state_dict"], strict=True)
        self.assertEqual(len(self.load("host.ckpt")["state_dict"]), 122)

    def test_values_of_every_kind_arrive_as_they_were(self):
        self.tool("values", self.path("values.pt"))
        found = self.load("values.pt")

        grid = torch.arange(24.0).view(2, 3, 2, 2)
        row = torch.arange(1000000.0)
        ordered = OrderedDict(a=1)
        wanted = {
            "none": None,
            "booleans": [True, False],
            "integers": [0, -1, 255, 256, -129, 2**31 - 1, 2**40, -(2**63)],
            "big": 2**64 - 1,
            "floats": [0.5, -1e300],
            "text": "häuser 🏠",
            "bytes": b"\x00\x7f\x80\xff",
            "tuples": ((), (1,), (1, 2, 3, 4)),
            "ordered": ordered,
            (1, "a"): "a tuple as key",
            2.5: "a number as key",
            "scalar": torch.tensor(0),
            "empty": torch.zeros(0, 3),
            "channels_last": grid.contiguous(memory_format=torch.channels_last),
            "transposed": grid.transpose(0, 1),
            "slice": row[500000:500004],
            "column": row.view(1000, 1000)[:, 7].contiguous(),
            "unsigned": grid.to(torch.uint16),
            "half": grid.to(torch.float16),
            "whole": grid,
            "part": grid[1],
        }
        self.assert_same(found, wanted)
        self.assertEqual(found["ordered"]._metadata, 5)

    def test_views_share_a_storage_and_large_storages_stay_behind(self):
        self.tool("values", self.path("values.pt"))
        found = self.load("values.pt")

        storages = [found[key].untyped_storage().data_ptr() for key in ("whole", "part", "transposed")]
        self.assertEqual(len(set(storages)), 1)
        self.assertLess(os.path.getsize(self.path("values.pt")), 20000)


class WrittenByPython(support.ToolTest):
    def copied(self, value, **options):
        torch.save(value, self.path("python.pt"), **options)
        self.tool("copy", self.path("python.pt"), self.path("copy.pt"))
        return self.load("copy.pt")

    def test_a_state_dict_arrives_under_every_protocol(self):
        wanted = trained_resnet18()[0].state_dict()
        for protocol in (2, 3, 4, 5):
            with self.subTest(protocol=protocol):
                found = self.copied(wanted, pickle_protocol=protocol)
                self.assert_same(found, wanted)
                self.assertEqual(found._metadata, wanted._metadata)

    def test_a_whole_training_state_arrives(self):
        wanted = lightning_like()
        self.assert_same(self.copied(wanted), wanted)

    def test_lightnings_layout_passes_through_its_fields(self):
        wanted = lightning_like()
        torch.save(wanted, self.path("python.ckpt"))
        self.tool("relay", self.path("python.ckpt"), self.path("relayed.ckpt"))
        self.assert_same(self.load("relayed.ckpt"), wanted)

    def test_plain_weights_are_taken_for_a_checkpoint_of_weights(self):
        wanted = trained_resnet18()[0].state_dict()
        torch.save(wanted, self.path("weights.pth"))
        self.tool("relay", self.path("weights.pth"), self.path("relayed.ckpt"))
        self.assert_same(self.load("relayed.ckpt")["state_dict"], wanted)

    def test_tensors_of_unusual_kinds_arrive(self):
        wanted = {
            "uint32": torch.tensor([1, 2**32 - 1], dtype=torch.uint32),
            "bfloat16": torch.rand(5).to(torch.bfloat16).view(torch.int16),
            "complex": torch.rand(3, dtype=torch.complex64),
            "expanded": torch.arange(3.0).expand(4, 3),
            "flags": torch.tensor([True, False]),
            "large": [2**63, -(2**64), 2**100],
        }
        self.assert_same(self.copied(wanted), wanted)

    def test_lazy_conjugates_are_resolved(self):
        tensor = torch.rand(3, dtype=torch.complex64)
        self.assertTrue(torch.equal(self.copied({"t": tensor.conj()})["t"], tensor.conj().resolve_conj()))

    def test_a_file_that_would_run_code_is_refused_and_runs_none(self):
        class Payload:
            def __reduce__(self):
                return os.mkdir, (marker,)

        marker = self.path("marker")
        torch.save({"x": Payload()}, self.path("evil.pt"))

        message = self.refusal("copy", self.path("evil.pt"), self.path("copy.pt"))

        self.assertIn("code: the file names posix.mkdir", message)
        self.assertFalse(os.path.exists(marker))
        self.assertFalse(os.path.exists(self.path("copy.pt")))


if __name__ == "__main__":
    support.main()
