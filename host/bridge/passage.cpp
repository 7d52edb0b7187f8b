#include "host/bridge/passage.h"

#include <algorithm>
#include <utility>

#include "host/bridge/service.h"

namespace mortise::bridge {
namespace {

std::string place(const char* what, size_t index) { return std::string(what) + " " + std::to_string(index); }

[[noreturn]] void refuse_value(const std::string& where, const std::string& why) {
  throw ServiceError{MORTISE_INVALID_ARGUMENT, where + " " + why};
}

void check_list(const mortise_value_t& value, const void* items, const std::string& where) {
  if (value.count && !items) refuse_value(where, "is a list without elements' address");
}

// Whether one is as base.h says. Handles are looked at when they are lent.
void check_value(const mortise_value_t& value, const std::string& where) {
  switch (value.tag) {
    case MORTISE_VALUE_STRING:
      (void)text_of({value.as.text, value.count}, where.c_str());
      return;
    case MORTISE_VALUE_INT_LIST:
      return check_list(value, value.as.integers, where);
    case MORTISE_VALUE_DOUBLE_LIST:
      return check_list(value, value.as.numbers, where);
    case MORTISE_VALUE_BOOL_LIST:
      check_list(value, value.as.flags, where);
      for (uint64_t i = 0; i < value.count; ++i)
        if (value.as.flags[i] > 1) refuse_value(where, "has a flag that is neither 0 nor 1");
      return;
    case MORTISE_VALUE_HANDLE_LIST:
      return check_list(value, value.as.handles, where);
    case MORTISE_VALUE_RESULT:
      refuse_value(where, "is a RESULT, which only mortise.ops/1 knows");
    default:
      if (value.tag > MORTISE_VALUE_RESULT) refuse_value(where, "has the tag " + std::to_string(value.tag));
  }
}

bool is_list(mortise_value_tag_t tag) { return tag >= MORTISE_VALUE_INT_LIST && tag <= MORTISE_VALUE_HANDLE_LIST; }

// What the sender may not write into, the receiver may not either; nor may an observer.
mortise_handle_t lend_between(PluginInstance& from, PluginInstance& to, mortise_handle_t handle) {
  ledger::HandleError error;
  PluginInstance::FoundTensor found = from.tensor(handle, &error);
  check_handle(error, handle, "tensor");
  return lend(to, std::move(found.tensor), found.writable && !to.observer());
}

// Of the newest answers on this thread.
std::vector<std::string>& answered_texts() {
  thread_local std::vector<std::string> texts;
  return texts;
}

}  // namespace

Passage::Passage(PluginInstance& from, PluginInstance& to, const mortise_value_t* args, uint32_t count) : to_(to) {
  if (count) need(args, "args");
  values_.assign(args, args + count);
  // All are checked before the first is lent, so that a refusal leaves nothing behind.
  for (size_t i = 0; i < values_.size(); ++i) check_value(values_[i], place("argument", i));
  try {
    for (mortise_value_t& value : values_) {
      if (value.tag == MORTISE_VALUE_HANDLE) value.as.handle = lend_to_receiver(from, value.as.handle);
      if (value.tag != MORTISE_VALUE_HANDLE_LIST) continue;
      std::vector<mortise_handle_t>& list = lists_.emplace_back(value.as.handles, value.as.handles + value.count);
      // 0 stands for none.
      for (mortise_handle_t& handle : list) handle = handle ? lend_to_receiver(from, handle) : 0;
      value.as.handles = list.data();
    }
  } catch (...) {
    for (const mortise_handle_t handle : lent_) to_.ledger().end_borrow(handle);
    throw;
  }
}

Passage::~Passage() {
  for (const mortise_handle_t handle : lent_) to_.ledger().end_borrow(handle);
}

mortise_handle_t Passage::lend_to_receiver(PluginInstance& from, mortise_handle_t handle) {
  return lent_.emplace_back(lend_between(from, to_, handle));
}

void hand_back(PluginInstance& from, PluginInstance& to, const std::vector<mortise_value_t>& answers,
               mortise_value_t* rets) {
  std::vector<mortise_value_t> given = answers;
  std::vector<std::string> texts;
  texts.reserve(given.size());  // so that none moves
  for (size_t i = 0; i < given.size(); ++i) {
    mortise_value_t& value = given[i];
    if (is_list(value.tag)) refuse_value(place("answer", i), "is a list");
    check_value(value, place("answer", i));
    if (value.tag != MORTISE_VALUE_STRING) continue;
    const std::string& text = texts.emplace_back(text_of({value.as.text, value.count}, "the answer"));
    value.as.text = text.data();
  }
  for (mortise_value_t& value : given)
    if (value.tag == MORTISE_VALUE_HANDLE) value.as.handle = lend_between(from, to, value.as.handle);
  std::copy(given.begin(), given.end(), rets);
  // Last: an answer may be a text that this thread was given before.
  answered_texts() = std::move(texts);
}

}  // namespace mortise::bridge
