#include "host/ledger/kind.h"

namespace mortise::ledger {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kHook:
      return "hook";
    case Kind::kJob:
      return "job";
    case Kind::kMask:
      return "mask";
    case Kind::kTensor:
      return "tensor";
    case Kind::kFile:
      return "file";
    case Kind::kDict:
      return "dictionary";
  }
  return "thing of an unknown kind";
}

}  // namespace mortise::ledger
