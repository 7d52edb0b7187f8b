// The opcodes that change a container which is on the stack already. Python would call a method of the object; here
// only what is known as a container takes anything.
#include "host/checkpoint/fill_values.h"

#include <iterator>
#include <string>
#include <utility>

#include "host/checkpoint/fault.h"

namespace mortise::checkpoint {
namespace {

Status wrong_target(const std::string& opcode, const Value& target) {
  return fault(Fault::kCorrupt, opcode + " on " + kind_of(target));
}

// A described instance of a class that may bring content of its own; torch's may not.
Object* open_object(const Value& target) {
  auto* object = target.as<Object>();
  return object != nullptr && object->called && object->module != "torch" ? object : nullptr;
}

void move_to_end(std::vector<Value>& items, std::vector<Value> values) {
  items.insert(items.end(), std::make_move_iterator(values.begin()), std::make_move_iterator(values.end()));
}

}  // namespace

// APPEND and APPENDS: lists, and subclasses of list that are kept as descriptions.
Status append_to(const Value& target, std::vector<Value> values) {
  auto* list = target.as<List>();
  auto* object = open_object(target);
  if (list == nullptr && object == nullptr) return wrong_target("APPEND", target);
  move_to_end(list != nullptr ? list->items : object->appended, std::move(values));
  return {};
}

// Keys may repeat here; finish_values puts that in order once all is read.
Status set_items_of(const Value& target, std::vector<Value> values) {
  auto* dict = target.as<Dict>();
  auto* object = open_object(target);
  if (dict == nullptr && object == nullptr) return wrong_target("SETITEM", target);
  if (values.size() % 2 != 0) return fault(Fault::kCorrupt, "SETITEMS with a key and no value");
  auto& items = dict != nullptr ? dict->items : object->items;
  for (size_t i = 0; i < values.size(); i += 2) items.emplace_back(std::move(values[i]), std::move(values[i + 1]));
  return {};
}

Status add_to_set(const Value& target, std::vector<Value> values) {
  auto* object = open_object(target);
  if (object == nullptr || object->name != "set") return wrong_target("ADDITEMS", target);
  move_to_end(object->appended, std::move(values));
  return {};
}

// BUILD: attributes of an instance. torch.load allows it for OrderedDict and Counter, and for classes on its list.
Status build_on(const Value& target, const Value& state) {
  // A subclass of Tensor, or a tensor with attributes; neither is in a training state.
  if (target.as<at::Tensor>() != nullptr) return fault(Fault::kUnsupported, "BUILD on a tensor");
  if (auto* dict = target.as<Dict>(); dict != nullptr && dict->kind != Dict::Kind::kDict) {
    if (state.as<Dict>() == nullptr) return fault(Fault::kCorrupt, "attributes that are no dict");
    dict->attributes = state;
    return {};
  }
  auto* object = open_object(target);
  if (object == nullptr || object->module == "builtins") return wrong_target("BUILD", target);
  object->state = state;
  return {};
}

}  // namespace mortise::checkpoint
