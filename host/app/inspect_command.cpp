// inspect: what a checkpoint holds, one row a value. It is read like any other, so nothing in it is executed.
#include <c10/core/ScalarType.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "host/app/commands.h"
#include "host/checkpoint/checkpoint_file.h"
#include "host/core/text.h"
#include "host/report/table.h"
#include "host/report/terminal.h"

namespace mortise::app {
namespace {

// Python's way of writing a size, so that rows can be compared with a Python session's.
std::string shape_text(const at::Tensor& tensor) {
  std::vector<std::string> sizes;
  for (const int64_t size : tensor.sizes()) sizes.push_back(std::to_string(size));
  return "[" + join(sizes, ", ") + "]";
}

// torch's name: "float32".
std::string dtype_text(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kFloat:
      return "float32";
    case at::kDouble:
      return "float64";
    case at::kHalf:
      return "float16";
    case at::kBFloat16:
      return "bfloat16";
    case at::kLong:
      return "int64";
    case at::kInt:
      return "int32";
    case at::kBool:
      return "bool";
    case at::kByte:
      return "uint8";
    default:
      return c10::toString(tensor.scalar_type());
  }
}

struct Row {
  std::string name, type, value;
};

// Flattens depth first; a name is the path of keys and indices with points between.
class Walker {
 public:
  void walk(const std::string& name, const checkpoint::Value& value) {
    if (const auto* dict = value.as<checkpoint::Dict>()) {
      // Empty containers get a row of their own; they would vanish in a flat list.
      if (dict->items.empty()) rows.push_back({name, "dict", "empty"});
      for (const auto& [key, item] : dict->items) walk(below(name, key_name(key)), item);
    } else if (const auto* list = value.as<checkpoint::List>()) {
      walk_items(name, "list", list->items);
    } else if (const auto* tuple = value.as<checkpoint::Tuple>()) {
      walk_items(name, "tuple", tuple->items);
    } else if (const auto* tensor = value.as<at::Tensor>()) {
      rows.push_back({name, dtype_text(*tensor), shape_text(*tensor)});
      tensors += 1;
      bytes += static_cast<int64_t>(tensor->nbytes());
    } else if (const auto* object = value.as<checkpoint::Object>()) {
      // Described, never made: the reader knows the class by its name only.
      rows.push_back({name, "object", object->module + "." + object->name + " (not brought to life)"});
    } else {
      walk_plain(name, value);
    }
  }

  std::vector<Row> rows;
  int64_t tensors = 0;
  int64_t bytes = 0;

 private:
  static std::string below(const std::string& name, const std::string& key) {
    return name.empty() ? key : name + "." + key;
  }

  // Keys may be anything that pickle allows; those without a short text are shown by their kind.
  static std::string key_name(const checkpoint::Value& key) {
    if (const auto* text = key.as<std::string>()) return *text;
    if (const auto* number = key.as<int64_t>()) return std::to_string(*number);
    return checkpoint::kind_of(key);
  }

  void walk_items(const std::string& name, const char* type, const std::vector<checkpoint::Value>& items) {
    if (items.empty()) rows.push_back({name, type, "empty"});
    for (size_t i = 0; i < items.size(); ++i) walk(below(name, std::to_string(i)), items[i]);
  }

  void walk_plain(const std::string& name, const checkpoint::Value& value) {
    if (const auto* flag = value.as<bool>())
      rows.push_back({name, "bool", *flag ? "True" : "False"});
    else if (const auto* integer = value.as<int64_t>())
      rows.push_back({name, "int", std::to_string(*integer)});
    else if (const auto* number = value.as<double>())
      rows.push_back({name, "float", compact(*number, 9)});
    else if (const auto* text = value.as<std::string>())
      // A value may be a whole configuration file.
      rows.push_back({name, "str", crop(*text, 60)});
    else
      rows.push_back({name, checkpoint::kind_of(value), ""});
  }
};

// What a terminal leaves for the names beside the other columns; a row that wraps cannot be read. In a file or a pipe
// names are whole.
size_t name_width(const std::vector<Row>& rows) {
  if (!report::is_terminal(STDOUT_FILENO)) return std::numeric_limits<size_t>::max();
  size_t type = display_width("type"), value = display_width("shape or value");
  for (const Row& row : rows) {
    type = std::max(type, display_width(row.type));
    value = std::max(value, display_width(row.value));
  }
  constexpr size_t kGaps = 4, kLeast = 24;
  const size_t terminal = report::terminal_width(STDOUT_FILENO);
  return std::max(kLeast, terminal - std::min(terminal, type + value + kGaps));
}

}  // namespace

Status inspect(const config::RunConfig& config, Output& output) {
  const std::string& path = config.arguments.front();
  const Result<checkpoint::Value> root = checkpoint::read_checkpoint(path);
  if (!root.ok()) return root.status();
  Walker walker;
  walker.walk("", *root);
  if (output.json()) {
    for (const Row& row : walker.rows) output.object({{"name", row.name}, {"type", row.type}, {"value", row.value}});
    return {};
  }
  report::Table table({{"name"}, {"type"}, {"shape or value"}});
  const size_t width = name_width(walker.rows);
  for (const Row& row : walker.rows) table.add({crop_front(row.name, width), row.type, row.value});
  output.text(table.str(output.colour()) + "\n" + std::to_string(walker.tensors) + " tensors, " +
              human_bytes(walker.bytes) + "\n");
  return {};
}

}  // namespace mortise::app
