// The ranking as Lightning stores it in a checkpoint.
#pragma once

#include <mortise/cpp/state.hpp>

#include <string>

#include "ranking.h"

namespace checkpoint {

// Lightning keeps scores as tensors.
inline void put_score(const mortise::StateDict& state, std::string_view key, const std::optional<double>& score) {
  if (score) return state.put_scalar(key, *score);
  state.put(key, mortise::Value());
}

inline void save_ranking(const Ranking& ranking, const std::string& monitor, const std::string& folder,
                         const mortise::StateDict& state) {
  state.put("monitor", monitor.empty() ? mortise::Value() : mortise::Value(monitor));
  put_score(state, "best_model_score", ranking.best_score);
  state.put("best_model_path", ranking.best_path);
  put_score(state, "current_score", ranking.current_score);
  state.put("dirpath", folder);
  const mortise::StateDict kept = state.put_dict("best_k_models");
  for (const auto& entry : ranking.kept) kept.put_scalar(entry.path, entry.score);
  state.put("kth_best_model_path", ranking.kth_path);
  state.put_scalar("kth_value", ranking.kth_value);
  state.put("last_model_path", ranking.last_path);
}

inline std::string text_in(const mortise::StateDict& state, std::string_view key) {
  const mortise::Value value = state.find(key);
  return value.is_text() ? std::string(value.as<std::string_view>()) : std::string();
}

// All but the current score, if the state is of the same folder; else the best path alone. True for the first.
inline bool load_ranking(Ranking& ranking, const std::string& folder, const mortise::StateDict& state) {
  ranking.best_path = text_in(state, "best_model_path");
  if (text_in(state, "dirpath") != folder) return false;
  if (const auto score = state.find("best_model_score"); score.is_number()) ranking.best_score = score.as<double>();
  if (const auto value = state.find("kth_value"); value.is_number()) ranking.kth_value = value.as<double>();
  ranking.kth_path = text_in(state, "kth_best_model_path");
  ranking.last_path = text_in(state, "last_model_path");
  ranking.kept.clear();
  if (const auto kept = state.find_dict("best_k_models")) {
    for (const std::string_view path : kept->keys()) {
      ranking.kept.push_back({std::string(path), kept->get(path).as<double>()});
    }
  }
  return true;
}

}  // namespace checkpoint
