#include "host/checkpoint/pickle_machine.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace mortise::checkpoint {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Six floats, 0 to 5, under every key; remembers what it was asked for.
class SixFloats : public StorageSource {
 public:
  Result<at::Tensor> load(const std::string& key, at::ScalarType dtype, int64_t count) override {
    asked.push_back(key);
    if (count != 6) return Status(Code::kData, "corrupt: not six");
    return at::arange(6, dtype);
  }
  std::vector<std::string> asked;
};

// Puts the protocol before and the end behind.
Result<Value> read(const std::string& opcodes, SixFloats&& source = {}) {
  return unpickle("\x80\x02" + opcodes + ".", source);
}

// A text of less than 256 bytes, as opcode SHORT_BINUNICODE.
std::string text(const std::string& value) { return std::string{'\x8c', static_cast<char>(value.size())} + value; }

std::string storage(const std::string& key, const std::string& cls = "torch\nFloatStorage", char count = 6) {
  return std::string("(") + text("storage") + "c" + cls + "\n" + text(key) + text("cpu") + "K" + std::string(1, count) + "tQ";
}

// sizes, strides  opcodes that give tuples
std::string tensor(const std::string& sizes, const std::string& strides, const std::string& offset = "K\1",
                   const std::string& on = storage("0")) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + on + offset + sizes + strides + "\x89" +
         "ccollections\nOrderedDict\n)RtR";
}

TEST(PickleMachine, ReadsEveryKindOfInteger) {
  const struct {
    std::string opcodes;
    int64_t value;
  } kCases[] = {
      {"K\xff", 255},
      {std::string("M\x00\x01", 3), 256},
      {"J\xfe\xff\xff\xff", -2},
      {std::string("\x8a\x00", 2), 0},
      {"\x8a\x01\xff", -1},
      {std::string("\x8a\x02\xff\x00", 4), 255},
      {"\x8a\x08" + std::string(7, '\0') + "\x80", INT64_MIN},
      {std::string("\x8b\x01\x00\x00\x00\x07", 6), 7},
  };
  for (const auto& row : kCases) {
    const auto value = read(row.opcodes);
    ASSERT_TRUE(value.ok()) << value.status().message();
    ASSERT_NE(value->as<int64_t>(), nullptr);
    EXPECT_EQ(*value->as<int64_t>(), row.value);
  }
}

TEST(PickleMachine, KeepsLargeIntegersAsTheirBytes) {
  const std::string bytes = std::string(8, '\xff') + '\0';

  const auto value = read("\x8a\x09" + bytes);

  ASSERT_TRUE(value.ok() && value->as<BigInt>() != nullptr);
  EXPECT_EQ(value->as<BigInt>()->bytes, bytes);
}

TEST(PickleMachine, ReadsFloatsInNetworkOrder) {
  const auto value = read(std::string("G\x3f\xf8\0\0\0\0\0\0", 9));

  ASSERT_TRUE(value.ok() && value->as<double>() != nullptr);
  EXPECT_EQ(*value->as<double>(), 1.5);
}

TEST(PickleMachine, SharesWhatTheMemoFetches) {
  const auto value = read("(]q\1h\1t");

  ASSERT_TRUE(value.ok() && value->as<Tuple>() != nullptr) << value.status().message();
  const auto& items = value->as<Tuple>()->items;
  EXPECT_EQ(items[0].as<List>(), items[1].as<List>());
}

TEST(PickleMachine, OfAKeySetTwiceTheLaterValueCounts) {
  const auto value = read("}(" + text("a") + "K\1" + text("b") + "K\2" + text("a") + "K\3u");

  ASSERT_TRUE(value.ok() && value->as<Dict>() != nullptr);
  const Dict& dict = *value->as<Dict>();
  ASSERT_EQ(dict.items.size(), 2U);
  EXPECT_EQ(*dict.items[0].second.as<int64_t>(), 3);
}

TEST(PickleMachine, GivesAnOrderedDictItsAttributes) {
  const auto value = read("ccollections\nOrderedDict\n)R}" + text("_metadata") + "K\1sb");

  ASSERT_TRUE(value.ok() && value->as<Dict>() != nullptr) << value.status().message();
  EXPECT_EQ(value->as<Dict>()->kind, Dict::Kind::kOrderedDict);
  ASSERT_NE(value->as<Dict>()->attributes.as<Dict>(), nullptr);
  EXPECT_NE(value->as<Dict>()->attributes.as<Dict>()->find("_metadata"), nullptr);
}

TEST(PickleMachine, BuildsAStridedTensorOnItsStorage) {
  const auto value = read(tensor("K\2K\2\x86", "K\1K\2\x86"));

  ASSERT_TRUE(value.ok() && value->as<at::Tensor>() != nullptr) << value.status().message();
  const at::Tensor& found = *value->as<at::Tensor>();
  EXPECT_EQ(found.strides(), (std::vector<int64_t>{1, 2}));
  EXPECT_TRUE(at::equal(found, at::arange(1, 5, at::kFloat).view({2, 2}).t()));
}

TEST(PickleMachine, LoadsASharedStorageOnce) {
  SixFloats source;
  const std::string one = tensor("K\2\x85", "K\1\x85");

  const auto value = unpickle("\x80\x02" + one + one + "\x86.", source);

  ASSERT_TRUE(value.ok()) << value.status().message();
  EXPECT_EQ(source.asked.size(), 1U);
  const auto& items = value->as<Tuple>()->items;
  EXPECT_TRUE(items[0].as<at::Tensor>()->is_alias_of(*items[1].as<at::Tensor>()));
}

TEST(PickleMachine, KeepsNamespacesAsTheyAreDescribed) {
  const auto value = read("cargparse\nNamespace\n)\x81}" + text("lr") + "K\1sb");

  ASSERT_TRUE(value.ok() && value->as<Object>() != nullptr) << value.status().message();
  EXPECT_EQ(value->as<Object>()->name, "Namespace");
  EXPECT_NE(value->as<Object>()->state.as<Dict>()->find("lr"), nullptr);
}

struct Refused {
  const char* what;
  std::string opcodes;
  const char* message;  // its beginning
};

void expect_refused(const Refused& row) {
  SCOPED_TRACE(row.what);
  const Status status = read(row.opcodes).status();
  EXPECT_EQ(status.code(), Code::kData);
  EXPECT_THAT(status.message(), StartsWith(row.message));
}

TEST(PickleMachine, RefusesEveryNameThatIsNotData) {
  const Refused kCases[] = {
      {"called", "cos\nsystem\n" + text("true") + "\x85R", "code: the file names os.system"},
      {"only named", "cos\nsystem\n", "code: the file names os.system"},
      {"from the stack", text("os") + text("system") + "\x93", "code: the file names os.system"},
      {"dotted", "ctorch\nserialization.os.system\n", "code: the file names torch.serialization.os.system"},
      {"a prefix of a known one", "ctorch._utils\n_rebuild_tensor_v2_\n", "code: "},
      {"Python 2's builtins", "c__builtin__\neval\n", "code: the file names __builtin__.eval"},
      {"INST", "(ios\nsystem\n", "code: the file makes a os.system"},
      {"OBJ", "(o", "code: "},
      {"EXT1", "\x82\1", "code: "},
      {"NEWOBJ_EX", ")))\x92", "code: "},
      {"source code along", "(" + text("module") + "tQ", "code: "},
      {"with a terminal's codes", "co\x1bs\nx\n", "code: the file names o\\x1bs.x"},
  };
  for (const Refused& row : kCases) expect_refused(row);
}

TEST(PickleMachine, RefusesWhatATrainingStateNeedNot) {
  const Refused kCases[] = {
      {"sparse tensors", "ctorch._utils\n_rebuild_sparse_tensor\n", "unsupported: "},
      {"typed tensors", "ctorch\nFloatTensor\n", "unsupported: "},
      {"GPU storages by class", "ctorch.cuda\nFloatStorage\n", "unsupported: "},
      {"a tensor's constructor", "ctorch\nTensor\nK\7\x85\x81", "unsupported: "},
      {"bytearray of a size", "cbuiltins\nbytearray\nK\7\x85R", "unsupported: "},
      {"another codec", "c_codecs\nencode\n" + text("x") + text("rot13") + "\x86R", "unsupported: "},
      {"DUP", "N2", "unsupported: "},
      {"a list that holds itself", "]q\1h\1a", "unsupported: a list holds itself"},
  };
  for (const Refused& row : kCases) expect_refused(row);
}

TEST(PickleMachine, RefusesWhatContradictsItself) {
  const Refused kCases[] = {
      {"no end", "N\x8c", "corrupt: the pickle ends too early"},
      {"an opcode that does not exist", "\xfe", "corrupt: opcode 0xfe"},
      {"two values", "NN", "corrupt: 2 values are left"},
      {"a mark that stays", "N(", "corrupt: 1 values are left"},
      {"no mark", "t", "corrupt: an opcode finds no mark"},
      {"below the mark", "N(a", "corrupt: "},
      {"an unknown memo entry", "h\1", "corrupt: a memo entry"},
      {"text that is none", "\x8c\1\xff", "corrupt: a text that is not UTF-8"},
      {"APPEND on a dict", "}Na", "corrupt: APPEND on a dict"},
      {"SETITEM on a list", "]NNs", "corrupt: SETITEM on a list"},
      {"a key without a value", "}(Nu", "corrupt: SETITEMS"},
      {"a list as key", "}]Ns", "corrupt: a dict with a list as key"},
      {"BUILD on a list", "]}b", "corrupt: BUILD on a list"},
      {"BUILD on a Size", "ctorch\nSize\n)\x85R}b", "corrupt: BUILD on an object"},
      {"REDUCE on a text", text("x") + ")R", "corrupt: a call of a text"},
      {"REDUCE on a type", "ctorch\nfloat32\n)R", "corrupt: a call of torch.float32"},
      {"REDUCE without a tuple", "ccollections\nOrderedDict\n]R", "corrupt: a call with a list"},
      {"a persistent id that is a text", text("0") + "Q", "corrupt: a persistent id is a text"},
      {"a key that climbs", storage("../../x"), "corrupt: the key of a storage"},
      {"a length the source refuses", storage("0", "torch\nFloatStorage", 5), "corrupt: not six"},
      {"two types", storage("0") + storage("0", "torch\nIntStorage") + "\x86", "corrupt: storage 0 has two"},
  };
  for (const Refused& row : kCases) expect_refused(row);
}

TEST(PickleMachine, RefusesTensorsThatReachBeyondTheirStorage) {
  const std::string huge = "\x8a\x08" + std::string(7, '\0') + "\x40";  // 2^62
  const Refused kCases[] = {
      {"size", tensor("K\6\x85", "K\1\x85"), "corrupt: a tensor reaches element 6 of a storage of 6"},
      {"stride", tensor("K\3\x85", "K\3\x85"), "corrupt: a tensor reaches element 7"},
      {"offset", tensor(")", ")", "K\6"), "corrupt: a tensor reaches element 6"},
      {"negative size", tensor("J\xff\xff\xff\xff\x85", "K\1\x85"), "corrupt: a tensor's sizes"},
      {"negative stride", tensor("K\2\x85", "J\xff\xff\xff\xff\x85"), "corrupt: a tensor's strides"},
      {"negative offset", tensor(")", ")", "J\xff\xff\xff\xff"), "corrupt: a tensor's offset"},
      {"fewer strides", tensor("K\2K\2\x86", "K\1\x85"), "corrupt: a tensor has other strides"},
      {"sizes that overflow", tensor(huge + huge + "\x86", "K\1K\1\x86"), "too large: "},
      {"strides that overflow", tensor("K\5\x85", huge + "\x85"), "too large: "},
      {"no storage", tensor(")", ")", "K\1", "K\1"), "corrupt: a tensor lies on an integer"},
      {"too few arguments", "ctorch._utils\n_rebuild_tensor_v2\n)R", "corrupt: a tensor is described by 0"},
  };
  for (const Refused& row : kCases) expect_refused(row);
}

TEST(PickleMachine, RefusesNestingThatNobodyNeeds) {
  std::string opcodes;
  for (int i = 0; i < 100000; ++i) opcodes += ']';
  for (int i = 1; i < 100000; ++i) opcodes += 'a';

  EXPECT_THAT(read(opcodes).status().message(), StartsWith("too large: values nested 100000 deep"));
  EXPECT_THAT(read(std::string(100000, '(')).status().message(), StartsWith("too large: "));
}

TEST(PickleMachine, RefusesTextsFetchedWithoutEnd) {
  std::string opcodes = "]X" + std::string("\0\0\1\0", 4) + std::string(65536, 'x') + "q\1a(";
  for (int i = 0; i < 10000; ++i) opcodes += "h\1";

  EXPECT_THAT(read(opcodes + "e").status().message(), StartsWith("too large: a text is fetched too many times"));
}

TEST(PickleMachine, RefusesOtherProtocols) {
  SixFloats source;

  EXPECT_THAT(unpickle("I1\n.", source).status().message(), StartsWith("unsupported: "));
  EXPECT_THAT(unpickle("\x80\x09N.", source).status().message(), HasSubstr("unsupported: pickle protocol 9"));
  EXPECT_THAT(unpickle("", source).status().message(), StartsWith("corrupt: an empty pickle"));
}

}  // namespace
}  // namespace mortise::checkpoint
