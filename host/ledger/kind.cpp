#include "host/ledger/kind.h"

namespace mortise::ledger {

const char* kind_name(Kind kind) {
  switch (kind) {
    case Kind::kHook:
      return "hook";
    case Kind::kTimer:
      return "timer";
    case Kind::kSubscription:
      return "subscription";
    case Kind::kService:
      return "service";
    case Kind::kUse:
      return "use";
    case Kind::kJob:
      return "job";
    case Kind::kOp:
      return "op";
    case Kind::kExport:
      return "export";
    case Kind::kMask:
      return "mask";
    case Kind::kTensor:
      return "tensor";
    case Kind::kGenerator:
      return "generator";
    case Kind::kBlock:
      return "block";
    case Kind::kKernel:
      return "kernel";
    case Kind::kModule:
      return "module";
    case Kind::kDeviceEvent:
      return "device event";
    case Kind::kStream:
      return "stream";
    case Kind::kFile:
      return "file";
    case Kind::kDict:
      return "dictionary";
  }
  return "thing of an unknown kind";
}

}  // namespace mortise::ledger
