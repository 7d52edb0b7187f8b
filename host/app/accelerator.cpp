// Opens the GPU library where there is a driver and says, where not, what is missing.
#include "host/app/accelerator.h"

#include <filesystem>

#include "host/app/places.h"
#include "host/loader/library.h"

namespace mortise::app {
namespace {

// Null and why, if there is no GPU to be used.
ledger::Accelerator* open(std::string* why_not) {
  // The cheap question first: the library pulls in some 2.5 GB of others, which a machine without a driver need not
  // read. Containers may have the device file alone.
  if (!std::filesystem::exists("/proc/driver/nvidia") && !std::filesystem::exists("/dev/nvidiactl")) {
    *why_not = "no NVIDIA driver is loaded";
    return nullptr;
  }
  const std::filesystem::path library = host_library_folder() / "libmortise_gpu.so";
  if (!std::filesystem::exists(library)) {
    *why_not =
        "this build has no GPU part (" + library.string() + " is missing): build with the CUDA parts of libtorch";
    return nullptr;
  }
  const Result<void*> symbol = loader::Library::open_own(library, ledger::kOpenAccelerator);
  if (!symbol.ok()) {
    *why_not = symbol.status().message();
    return nullptr;
  }
  return reinterpret_cast<ledger::OpenAccelerator>(*symbol)(why_not);
}

}  // namespace

Result<ledger::Accelerator*> open_accelerator(const std::string& wanted, Log& log) {
  if (wanted == "cpu") {
    log.info("runs on the CPU: --accelerator cpu");
    return nullptr;
  }
  std::string why_not;
  // Once per process, as libtorch looks for CUDA once. A later call that finds no GPU has no reason to show any more.
  static ledger::Accelerator* const accelerator = open(&why_not);
  if (accelerator) {
    log.info("runs on the GPU " + accelerator->name() + ": --accelerator " + wanted);
    return accelerator;
  }
  // Only an express wish fails; "auto" goes on with the CPU.
  if (wanted == "cuda") return Status(Code::kUsage, "--accelerator cuda: " + why_not);
  log.info("runs on the CPU: " + why_not);
  return nullptr;
}

}  // namespace mortise::app
