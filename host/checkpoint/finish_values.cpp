// What can be told only when the pickle has been read to its end: nesting, cycles and keys that repeat.
#include "host/checkpoint/finish_values.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>
#include <utility>

#include "host/checkpoint/fault.h"

namespace mortise::checkpoint {
namespace {

// Later code walks values by recursion; this bounds it.
constexpr int kMaxDepth = 1000;
constexpr int kOpen = -1;  // above it in the walk

// Identity of a container; null for everything else.
// Containers are shared by pointer, as in Python, so the address is the identity.
const void* identity(const Value& value) {
  if (const auto* list = value.as<List>()) return list;
  if (const auto* tuple = value.as<Tuple>()) return tuple;
  if (const auto* dict = value.as<Dict>()) return dict;
  return value.as<Object>();
}

void add_containers(const std::vector<Value>& values, std::vector<const Value*>& found) {
  for (const Value& value : values) {
    if (identity(value) != nullptr) found.push_back(&value);
  }
}

void add_containers(const std::vector<std::pair<Value, Value>>& items, std::vector<const Value*>& found) {
  for (const auto& [key, value] : items) {
    if (identity(key) != nullptr) found.push_back(&key);
    if (identity(value) != nullptr) found.push_back(&value);
  }
}

// Everything below a value that may itself hold something.
std::vector<const Value*> containers_in(const Value& value) {
  std::vector<const Value*> found;
  if (const auto* list = value.as<List>()) add_containers(list->items, found);
  if (const auto* tuple = value.as<Tuple>()) add_containers(tuple->items, found);
  if (const auto* dict = value.as<Dict>()) {
    add_containers(dict->items, found);
    if (identity(dict->attributes) != nullptr) found.push_back(&dict->attributes);
  }
  if (const auto* object = value.as<Object>()) {
    add_containers(object->arguments, found);
    add_containers(object->appended, found);
    add_containers(object->items, found);
    if (identity(object->state) != nullptr) found.push_back(&object->state);
  }
  return found;
}

// Depths by a walk with a stack of its own: the values may nest deeper than a thread's stack reaches.
class DepthWalk {
 public:
  Status measure(const Value& root) {
    enter(root);
    while (!frames_.empty()) {
      Frame& frame = frames_.back();
      if (frame.next == frame.children.size()) {
        leave();
        continue;
      }
      const Value& child = *frame.children[frame.next++];
      const auto known = depth_.find(identity(child));
      if (known == depth_.end()) {
        enter(child);
        // A cycle: Python can have them, a tree of shared pointers would never be freed.
      } else if (known->second == kOpen) {
        return fault(Fault::kUnsupported, std::string(kind_of(child)) + " holds itself");
      } else {
        // Each container is walked once, however often it is shared: otherwise a small file could cost exponential
        // time.
        frame.depth = std::max(frame.depth, known->second + 1);
      }
    }
    return deepest_ > kMaxDepth ? fault(Fault::kTooLarge, "values nested " + std::to_string(deepest_) + " deep")
                                : Status();
  }

 private:
  struct Frame {
    const void* container;
    std::vector<const Value*> children;
    size_t next;
    int depth;
  };

  void enter(const Value& value) {
    if (depth_.emplace(identity(value), kOpen).second) frames_.push_back({identity(value), containers_in(value), 0, 1});
  }

  void leave() {
    const Frame done = std::move(frames_.back());
    frames_.pop_back();
    depth_[done.container] = done.depth;
    deepest_ = std::max(deepest_, done.depth);
    if (!frames_.empty()) frames_.back().depth = std::max(frames_.back().depth, done.depth + 1);
  }

  std::unordered_map<const void*, int> depth_;
  std::vector<Frame> frames_;
  int deepest_ = 0;
};

// Python keeps the place of the first and the value of the last.
Status merge_keys(std::vector<std::pair<Value, Value>>& items) {
  std::unordered_map<std::string, size_t> places;
  std::vector<std::pair<Value, Value>> merged;
  merged.reserve(items.size());
  for (auto& [key, value] : items) {
    const auto text = key_text(key);
    if (!text) return fault(Fault::kCorrupt, std::string("a dict with ") + kind_of(key) + " as key");
    const auto [place, is_new] = places.emplace(*text, merged.size());
    if (is_new) {
      merged.emplace_back(std::move(key), std::move(value));
    } else {
      merged[place->second].second = std::move(value);
    }
  }
  items = std::move(merged);
  return {};
}

}  // namespace

Status finish_values(const std::vector<Value>& made) {
  DepthWalk walk;
  for (const Value& value : made) MORTISE_RETURN_IF_ERROR(walk.measure(value));
  for (const Value& value : made) {
    if (auto* dict = value.as<Dict>()) MORTISE_RETURN_IF_ERROR(merge_keys(dict->items));
    if (auto* object = value.as<Object>()) MORTISE_RETURN_IF_ERROR(merge_keys(object->items));
  }
  return {};
}

// After a failure: breaks cycles and lets go of deep nests one level at a time, as destructors would recurse.
void take_apart(const std::vector<Value>& made) {
  for (const Value& value : made) {
    if (auto* list = value.as<List>()) list->items.clear();
    if (auto* tuple = value.as<Tuple>()) tuple->items.clear();
    if (auto* dict = value.as<Dict>()) *dict = {};
    if (auto* object = value.as<Object>()) *object = {};
  }
}

}  // namespace mortise::checkpoint
