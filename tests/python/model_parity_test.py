"""Built-in models against torchvision's, and against the same layers in Python, from the same seed."""

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

import support

SEED = 1234


class Mlp(nn.Module):
    def __init__(self, channels, side):
        super().__init__()
        self.fc1 = nn.Linear(channels * side * side, 512)
        self.fc2 = nn.Linear(512, 256)
        self.fc3 = nn.Linear(256, 10)

    def forward(self, x):
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(F.relu(self.fc2(x)))


class LeNet(nn.Module):
    """Both 28 x 28, padded by two, and 32 x 32 lead to maps of 5 x 5."""

    def __init__(self, channels, side):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, 6, 5, padding=2 if side == 28 else 0)
        self.conv2 = nn.Conv2d(6, 16, 5)
        self.fc1 = nn.Linear(400, 120)
        self.fc2 = nn.Linear(120, 84)
        self.fc3 = nn.Linear(84, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.fc1(torch.flatten(x, 1)))
        return self.fc3(F.relu(self.fc2(x)))


class ModelParity(support.ToolTest):
    def compare(self, name, channels, side, make):
        self.tool("model", name, SEED, channels, side, self.path("model.pt"))
        ours = self.load("model.pt")
        torch.manual_seed(SEED)
        theirs = make()

        wanted = theirs.state_dict()
        self.assertEqual(list(ours["state_dict"]), list(wanted))
        for key, tensor in wanted.items():
            self.assertEqual(ours["state_dict"][key].dtype, tensor.dtype, key)
            self.assertEqual(ours["state_dict"][key].shape, tensor.shape, key)
            self.assertTrue(support.same_bits(ours["state_dict"][key], tensor), key)
        self.assertEqual(ours["parameters"], [key for key, _ in theirs.named_parameters()])

        theirs.load_state_dict(ours["state_dict"], strict=True)
        theirs.eval()
        with torch.no_grad():
            output = theirs(ours["input"])
        # The same operators in the same order; only the number of threads may differ.
        torch.testing.assert_close(ours["output"], output, rtol=1e-5, atol=1e-5)
        return ours["state_dict"]

    def test_resnets_are_torchvisions_bit_for_bit(self):
        for name, entries in (("resnet18", 122), ("resnet34", 218), ("resnet50", 320)):
            with self.subTest(name):
                state = self.compare(name, 3, 64, lambda: getattr(torchvision.models, name)(num_classes=10))
                self.assertEqual(len(state), entries)

    def test_resnets_take_three_channels_where_the_data_has_one(self):
        self.compare("resnet18", 1, 28, lambda: torchvision.models.resnet18(num_classes=10))

    def test_lenet_is_the_same_in_python(self):
        self.compare("lenet", 1, 28, lambda: LeNet(1, 28))
        self.compare("lenet", 3, 32, lambda: LeNet(3, 32))

    def test_mlp_is_the_same_in_python(self):
        self.compare("mlp", 1, 28, lambda: Mlp(1, 28))


if __name__ == "__main__":
    support.main()
