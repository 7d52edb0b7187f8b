#include "host/bridge/plugin_order.h"

#include <algorithm>
#include <cstddef>
#include <tuple>

#include "host/bridge/copied_text.h"
#include "host/core/text.h"

namespace mortise::bridge {
namespace {

// One comes before the other, because one of the two says so.
struct Edge {
  size_t first, second;
  size_t said_by;
};

bool is_named(const Placed& plugin, const std::string& name) { return plugin.instance == name || plugin.id == name; }

std::tuple<bool, int32_t> rank(const Placed& plugin) { return {plugin.wishes.checkpointing, plugin.wishes.priority}; }

// Between ranks the order is settled, so that wishes across them say nothing.
Result<std::vector<Edge>> edges_of(const std::vector<Placed>& list) {
  std::vector<Edge> edges;
  for (size_t who = 0; who < list.size(); ++who) {
    for (const bool before : {true, false}) {
      for (const std::string& name : before ? list[who].wishes.before : list[who].wishes.after) {
        if (is_named(list[who], name))
          return Status(Code::kUsage, "plugin '" + list[who].instance + "' asks to be called " +
                                          (before ? "before '" : "after '") + name + "', which it is itself");
        for (size_t other = 0; other < list.size(); ++other)
          if (is_named(list[other], name) && rank(list[other]) == rank(list[who]))
            edges.push_back(before ? Edge{who, other, who} : Edge{other, who, who});
      }
    }
  }
  return edges;
}

// REQUIRES: each plugin that is left has one before it that is left, too. Going from one to such a one again and again
// comes back to where it has been.
Status circle(const std::vector<Placed>& list, const std::vector<Edge>& edges, const std::vector<size_t>& left) {
  const auto is_left = [&](size_t plugin) { return std::find(left.begin(), left.end(), plugin) != left.end(); };
  std::vector<Edge> path;
  const auto on_path = [&](size_t plugin) {
    return std::find_if(path.begin(), path.end(), [&](const Edge& edge) { return edge.second == plugin; });
  };
  size_t now = left.front();
  while (on_path(now) == path.end()) {
    const auto edge = std::find_if(edges.begin(), edges.end(),
                                   [&](const Edge& one) { return one.second == now && is_left(one.first); });
    path.push_back(*edge);
    now = edge->first;
  }
  std::vector<std::string> said;
  for (auto edge = path.end(); edge != on_path(now);) {
    --edge;
    said.push_back("'" + list[edge->first].instance + "' before '" + list[edge->second].instance + "', as '" +
                   list[edge->said_by].instance + "' asks");
  }
  return {Code::kUsage, "the plugins cannot be put in order: " + join(said, "; ")};
}

}  // namespace

OrderWishes wishes_of(const mortise_plugin_t& plugin) {
  OrderWishes wishes;
  wishes.checkpointing = plugin.flags & MORTISE_PLUGIN_CHECKPOINTING;
  if (plugin.events) wishes.priority = plugin.events->priority;
  if (plugin.struct_size >= offsetof(mortise_plugin_t, before) + sizeof plugin.before)
    wishes.before = copied(plugin.before);
  if (plugin.struct_size >= offsetof(mortise_plugin_t, after) + sizeof plugin.after)
    wishes.after = copied(plugin.after);
  return wishes;
}

// Kahn's algorithm, with the earliest of the list among those that may come next.
Result<std::vector<size_t>> call_order(const std::vector<Placed>& list) {
  const Result<std::vector<Edge>> edges = edges_of(list);
  if (!edges.ok()) return edges.status();
  std::vector<size_t> left(list.size()), order;
  for (size_t i = 0; i < left.size(); ++i) left[i] = i;
  std::stable_sort(left.begin(), left.end(), [&](size_t a, size_t b) { return rank(list[a]) < rank(list[b]); });
  while (!left.empty()) {
    const auto waits = [&](size_t plugin) {
      return std::any_of(edges->begin(), edges->end(), [&](const Edge& edge) {
        return edge.second == plugin && std::find(left.begin(), left.end(), edge.first) != left.end();
      });
    };
    // Everyone of an earlier rank is out before the first of the next, since no edge leads from one rank to another.
    const auto next = std::find_if_not(left.begin(), left.end(), waits);
    if (next == left.end()) return circle(list, *edges, left);
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

}  // namespace mortise::bridge
