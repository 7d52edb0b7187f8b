// Python's pickle machine without its powers: the opcodes of protocols 2 to 5 that data need, on values of our own.
// Written for files by strangers: every count is bounded and a failure is a Status.
#include "host/checkpoint/pickle_machine.h"

#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "host/checkpoint/fault.h"
#include "host/checkpoint/fill_values.h"
#include "host/checkpoint/finish_values.h"
#include "host/checkpoint/known_globals.h"
#include "host/checkpoint/pickle_input.h"
#include "host/checkpoint/text.h"

namespace mortise::checkpoint {
namespace {

// A bound on memory, far above what any checkpoint needs.
constexpr size_t kMaxStack = size_t{1} << 25;
constexpr size_t kMaxMarks = 10000;
constexpr size_t kMaxCopiedBytes = size_t{256} << 20;  // texts fetched from the memo

std::string in_hex(uint8_t byte) {
  constexpr const char* kDigits = "0123456789abcdef";
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// One run over one pickle. A failure sticks: what an opcode does after it has no effect, and the run ends.
class Machine {
 public:
  Machine(std::string_view pickle, StorageSource& source) : input_(pickle), storages_(source) {}
  ~Machine() { take_apart(made_); }

  Result<Value> run();

 private:
  void step(uint8_t opcode);
  bool step_scalar(uint8_t opcode);
  bool step_container(uint8_t opcode);
  bool step_memo(uint8_t opcode);
  bool step_object(uint8_t opcode);
  void refuse(uint8_t opcode);

  void fail(Fault category, const std::string& what) { fail(fault(category, what)); }
  void fail(const Status& status) {
    if (status_.ok()) status_ = status;
  }

  // Two places can fail: the input, when it ends too early, and the machine.
  bool ok() const { return status_.ok() && input_.status().ok(); }
  std::string_view take(uint64_t bytes) { return input_.take(bytes); }
  uint64_t take_number(size_t bytes) { return input_.number(bytes); }
  void take_long(uint64_t bytes);
  void take_text(uint64_t bytes);

  // The stack. Nothing reaches below the last mark.
  void push(Value value);
  template <Container T>
  void push_new(T container);
  void push_result(Result<Value> result);
  Value pop();
  Value* top();
  std::vector<Value> pop_to_mark();
  size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }

  template <typename Fill, typename Given>
  void fill(const Fill& function, Given values);
  void remember(uint64_t index);
  void recall(uint64_t index);
  void name(const std::string& module, const std::string& name) { push_result(name_global(module, name)); }
  void name_from_stack();
  template <typename Call>
  void call(const Call& function);

  PickleInput input_;
  Storages storages_;
  Status status_;
  bool stopped_ = false;
  std::vector<Value> stack_;
  std::vector<size_t> marks_;  // heights of the stack
  std::unordered_map<uint64_t, Value> memo_;
  std::vector<Value> made_;  // every container, to find cycles and to take them apart after a failure
  size_t copied_bytes_ = 0;
};

// Two's complement of up to eight bytes, or more as a large integer.
void Machine::take_long(uint64_t bytes) {
  const std::string_view taken = take(bytes);
  if (taken.size() > sizeof(int64_t)) return push(BigInt{std::string(taken)});
  // Starts from all ones for a negative number: that extends the sign.
  uint64_t value = !taken.empty() && (taken.back() & 0x80) != 0 ? ~uint64_t{0} : 0;
  for (size_t i = taken.size(); i-- > 0;) value = value << 8 | static_cast<uint8_t>(taken[i]);
  push(static_cast<int64_t>(value));
}

// Lone surrogates are allowed, as Python's "surrogatepass" writes them.
void Machine::take_text(uint64_t bytes) {
  const std::string_view taken = take(bytes);
  if (!is_utf8(taken, /*lone_surrogates=*/true)) return fail(Fault::kCorrupt, "a text that is not UTF-8");
  push(std::string(taken));
}

void Machine::push(Value value) {
  if (stack_.size() >= kMaxStack) return fail(Fault::kTooLarge, "the pickle piles up too many values");
  stack_.push_back(std::move(value));
}

template <Container T>
void Machine::push_new(T container) {
  made_.emplace_back(std::move(container));
  push(made_.back());
}

// Tensors and storages hold no other values and need not be watched.
void Machine::push_result(Result<Value> result) {
  if (!result.ok()) return fail(result.status());
  const bool container = result->as<Dict>() != nullptr || result->as<Object>() != nullptr;
  if (container) made_.push_back(*result);
  push(*std::move(result));
}

// Gives None after a failure: callers need not ask, because a failure sticks and the run ends.
Value Machine::pop() {
  if (stack_.size() <= floor()) {
    fail(Fault::kCorrupt, "an opcode finds too few values");
    return {};
  }
  Value value = std::move(stack_.back());
  stack_.pop_back();
  return value;
}

Value* Machine::top() {
  if (stack_.size() > floor()) return &stack_.back();
  fail(Fault::kCorrupt, "an opcode finds no value");
  return nullptr;
}

std::vector<Value> Machine::pop_to_mark() {
  if (marks_.empty()) {
    fail(Fault::kCorrupt, "an opcode finds no mark");
    return {};
  }
  const auto first = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
  std::vector<Value> values(std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
  stack_.erase(first, stack_.end());
  marks_.pop_back();
  return values;
}

// Hands the values to the container below them.
template <typename Fill, typename Given>
void Machine::fill(const Fill& function, Given values) {
  Value* target = top();
  if (target != nullptr) fail(function(*target, std::move(values)));
}

// The memo holds containers by pointer, so that what is filled later is filled in the memo as well.
void Machine::remember(uint64_t index) {
  const Value* value = top();
  if (value != nullptr) memo_[index] = *value;
}

void Machine::recall(uint64_t index) {
  const auto found = memo_.find(index);
  if (found == memo_.end()) return fail(Fault::kCorrupt, "a memo entry that was never stored");
  // Texts are values and are copied each time: a pickle of a few bytes could ask for gigabytes.
  if (const auto* text = found->second.as<std::string>()) copied_bytes_ += text->size();
  if (const auto* bytes = found->second.as<Bytes>()) copied_bytes_ += bytes->bytes.size();
  if (const auto* big = found->second.as<BigInt>()) copied_bytes_ += big->bytes.size();
  if (copied_bytes_ > kMaxCopiedBytes) return fail(Fault::kTooLarge, "a text is fetched too many times");
  push(found->second);
}

// The name lies on top of the module.
void Machine::name_from_stack() {
  const Value last = pop();
  const Value first = pop();
  const auto* module = first.as<std::string>();
  const auto* text = last.as<std::string>();
  if (module == nullptr || text == nullptr) return fail(Fault::kCorrupt, "a name that is no text");
  name(*module, *text);
}

template <typename Call>
void Machine::call(const Call& function) {
  const Value arguments = pop();
  const Value callable = pop();
  if (ok()) push_result(function(callable, arguments));
}

bool Machine::step_scalar(uint8_t opcode) {
  switch (opcode) {
    case 'N':
      push({});
      return true;
    case 0x88:
    case 0x89:
      // NEWTRUE, NEWFALSE.
      push(opcode == 0x88);
      return true;
    case 'J':
      push(int64_t{static_cast<int32_t>(take_number(4))});
      return true;
    case 'K':
      push(static_cast<int64_t>(take_number(1)));
      return true;
    case 'M':
      push(static_cast<int64_t>(take_number(2)));
      return true;
    case 0x8a:
      take_long(take_number(1));
      return true;
    case 0x8b:
      take_long(take_number(4));
      return true;
    case 'G':
      // The one big-endian number of the format.
      push(std::bit_cast<double>(__builtin_bswap64(take_number(8))));
      return true;
    case 'U':
    case 0x8c:
      take_text(take_number(1));
      return true;
    case 'X':
      take_text(take_number(4));
      return true;
    case 0x8d:
      take_text(take_number(8));
      return true;
    case 'C':
      push(Bytes{std::string(take(take_number(1)))});
      return true;
    case 'B':
      push(Bytes{std::string(take(take_number(4)))});
      return true;
    case 0x8e:
      push(Bytes{std::string(take(take_number(8)))});
      return true;
    case 0x96:
      push_new(Object{"builtins", "bytearray", true, {Bytes{std::string(take(take_number(8)))}}, {}, {}, {}});
      return true;
    default:
      return false;
  }
}

bool Machine::step_container(uint8_t opcode) {
  switch (opcode) {
    case '(':
      if (marks_.size() >= kMaxMarks) {
        fail(Fault::kTooLarge, "the pickle opens too many marks");
      } else {
        marks_.push_back(stack_.size());
      }
      return true;
    case ']':
      push_new(List{});
      return true;
    case '}':
      push_new(Dict{});
      return true;
    case ')':
      push_new(Tuple{});
      return true;
    case 0x8f:
      push_new(Object{"builtins", "set", true, {}, {}, {}, {}});
      return true;
    case 0x91:
      push_new(Object{"builtins", "frozenset", true, {}, {}, pop_to_mark(), {}});
      return true;
    case 0x85:
    case 0x86:
    case 0x87: {
      std::vector<Value> items(opcode - 0x84);
      for (size_t i = items.size(); i-- > 0;) items[i] = pop();
      push_new(Tuple{std::move(items)});
      return true;
    }
    case 't':
      push_new(Tuple{pop_to_mark()});
      return true;
    case 'a':
      fill(append_to, std::vector<Value>{pop()});
      return true;
    case 'e':
      fill(append_to, pop_to_mark());
      return true;
    case 's': {
      Value value = pop();
      Value key = pop();
      fill(set_items_of, std::vector<Value>{std::move(key), std::move(value)});
      return true;
    }
    case 'u':
      fill(set_items_of, pop_to_mark());
      return true;
    case 0x90:
      fill(add_to_set, pop_to_mark());
      return true;
    default:
      return false;
  }
}

bool Machine::step_memo(uint8_t opcode) {
  switch (opcode) {
    case 'q':
      remember(take_number(1));
      return true;
    case 'r':
      remember(take_number(4));
      return true;
    case 0x94:
      // MEMOIZE counts by itself, in the order of storing.
      remember(memo_.size());
      return true;
    case 'h':
      recall(take_number(1));
      return true;
    case 'j':
      recall(take_number(4));
      return true;
    default:
      return false;
  }
}

bool Machine::step_object(uint8_t opcode) {
  switch (opcode) {
    case 'c': {
      const std::string module = input_.line();
      const std::string text = input_.line();
      if (ok()) name(module, text);
      return true;
    }
    case 0x93:
      name_from_stack();
      return true;
    case 'R':
      call(call_global);
      return true;
    case 0x81:
      call(make_instance);
      return true;
    case 'b':
      fill(build_on, pop());
      return true;
    case 'Q': {
      // The persistent id is torch's way out of the pickle: it names a storage of the archive.
      const Value id = pop();
      if (ok()) push_result(storages_.from_persistent_id(id));
      return true;
    }
    case 0x95:
      // A frame is a hint for reading ahead.
      if (take_number(8) > input_.left()) fail(Fault::kCorrupt, "a frame reaches beyond the pickle");
      return true;
    default:
      return false;
  }
}

// The opcodes that are left are of old protocols, or name and make objects in one go.
void Machine::refuse(uint8_t opcode) {
  constexpr std::string_view kCode = "io\x82\x83\x84\x92";
  constexpr std::string_view kOld = "ILFSTVpg012Pld\x97\x98\x80";
  const auto byte = static_cast<char>(opcode);
  // INST names what it makes in the next two lines, which is worth a line in the message.
  if (opcode == 'i') {
    const std::string module = input_.line();
    return fail(Fault::kCode, "the file makes a " + printable(module + "." + input_.line()));
  }
  if (kCode.find(byte) != std::string_view::npos) {
    return fail(Fault::kCode, "opcode " + in_hex(opcode) + " makes an object that is not data");
  }
  const Fault category = kOld.find(byte) != std::string_view::npos ? Fault::kUnsupported : Fault::kCorrupt;
  fail(category, "opcode " + in_hex(opcode));
}

void Machine::step(uint8_t opcode) {
  if (opcode == '.') {
    stopped_ = true;
  } else if (!step_scalar(opcode) && !step_container(opcode) && !step_memo(opcode) && !step_object(opcode)) {
    refuse(opcode);
  }
}

Result<Value> Machine::run() {
  if (input_.left() == 0) return fault(Fault::kCorrupt, "an empty pickle");
  // Protocols 0 and 1 have no such beginning.
  if (take_number(1) != 0x80) return fault(Fault::kUnsupported, "a pickle without a protocol, or none at all");
  const uint64_t protocol = take_number(1);
  if (ok() && (protocol < 2 || protocol > 5)) {
    fail(Fault::kUnsupported, "pickle protocol " + std::to_string(protocol));
  }
  while (ok() && !stopped_) {
    const auto opcode = static_cast<uint8_t>(take_number(1));
    if (ok()) step(opcode);
  }
  // The first failure counts: fail keeps an earlier one.
  fail(input_.status());
  if (status_.ok() && (stack_.size() != 1 || !marks_.empty())) {
    fail(Fault::kCorrupt, std::to_string(stack_.size()) + " values are left at the pickle's end");
  }
  if (status_.ok()) fail(finish_values(made_));
  if (!status_.ok()) return status_;
  // From here on the values own each other, and the destructor must not take them apart.
  made_.clear();
  return std::move(stack_.front());
}

}  // namespace

Result<Value> unpickle(std::string_view pickle, StorageSource& storages) { return Machine(pickle, storages).run(); }

}  // namespace mortise::checkpoint
