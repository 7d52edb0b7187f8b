// Reads the reference vectors: expected values made with the reference implementations, one folder a subject.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace mortise::support {

// Where the sets are: the environment variable MORTISE_VECTORS, so that another set in the same format can be put in
// their place; else the project's own.
inline std::filesystem::path vectors_dir() {
  const char* set = std::getenv("MORTISE_VECTORS");
  return set != nullptr && *set != '\0' ? std::filesystem::path(set)
                                        : std::filesystem::path(MORTISE_SOURCE_DIR) / "tests" / "vectors";
}

// A whole file, such as "pruning/global.json"; read once and kept, so that a loop may go over a part of it at once.
// Throws with the path if it can't be read or holds no cases, so that a test without its set fails.
inline const nlohmann::json& load_vectors(const char* family_file) {
  static std::map<std::string, nlohmann::json> kept;
  const auto path = vectors_dir() / family_file;
  if (const auto found = kept.find(path.string()); found != kept.end()) return found->second;
  std::ifstream in(path);
  if (!in) throw std::runtime_error("can't open the vectors " + path.string());
  auto whole = nlohmann::json::parse(in);
  if (!whole.contains("cases") || whole["cases"].empty()) {
    throw std::runtime_error("there are no cases in " + path.string());
  }
  return kept.emplace(path.string(), std::move(whole)).first->second;
}

// A number as the sets write it: "nan", "inf" and "-inf" are texts.
inline double vector_number(const nlohmann::json& value) {
  if (!value.is_string()) return value.get<double>();
  const auto& text = value.get_ref<const std::string&>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::runtime_error("not a number: " + text);
}

// A float32 tensor, row-major. The shortest decimals give the recorded bits back when rounded from double.
inline std::vector<float> vector_floats(const nlohmann::json& values) {
  std::vector<float> floats;
  floats.reserve(values.size());
  for (const auto& value : values) floats.push_back(static_cast<float>(vector_number(value)));
  return floats;
}

}  // namespace mortise::support
