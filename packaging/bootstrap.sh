# Shared by the scripts of this folder: messages, the system's packages, libtorch, a build and the soak's settings.
# Sourced, never run; the script that sources it has set -euo pipefail.
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2054 # variables for the scripts; the list of plugins has commas

source_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The loop that the project began with: pruning, checkpointing and early stopping around LeNet on Fashion-MNIST. Without the
# lottery ticket, which would leave rewound weights in the best checkpoint: the table's score is of a network that has learnt.
soak_settings=(
  --cycles 3 --data fashion-mnist --model lenet --batch-size 64
  --optimizer sgd --lr 0.05 --momentum 0.9 --max-epochs 3 --limit-train-batches 200
  --plugins pruning,checkpoint,early_stopping
  --pruning.pruning_fn l1_unstructured --pruning.amount 0.5 --pruning.use_lottery_ticket_hypothesis false
  --checkpoint.monitor valid_loss --early_stopping.monitor valid_loss
)

# libtorch's threads wait for each other in a busy loop of milliseconds, which on a machine with anything else to do makes a
# run tens of times slower. This many rounds (tens of microseconds) cost an idle machine nothing.
export GOMP_SPINCOUNT=${GOMP_SPINCOUNT-10000}

# Messages go to standard error: standard output is left to what a script was asked for.
stage() { printf 'mortise: %-9s %s\n' "$1" "$2" >&2; }
fail() {
  printf 'mortise: %s\n' "$1" >&2
  exit 1
}

# Sets soak_arguments to the settings above and then the given ones; a setting that is given replaces ours, since mortise
# refuses an option that comes twice.
merge_soak_settings() {
  local given=" ${*//_/-} " i key
  soak_arguments=()
  for ((i = 0; i < ${#soak_settings[@]}; i += 2)); do
    key=${soak_settings[i]//_/-} # both spellings are one option
    if [[ $given != *" $key "* && $given != *" $key="* ]]; then
      soak_arguments+=("${soak_settings[@]:i:2}")
    fi
  done
  soak_arguments+=("$@")
}

gpu_visible() {
  compgen -G '/proc/driver/nvidia/gpus/*' > /dev/null || nvidia-smi -L > /dev/null 2>&1
}

# Names the packages that a build and the main job need on this system, one a line.
needed_packages() {
  local system boost
  system=$(. /etc/os-release 2> /dev/null && echo "${ID-}-${VERSION_ID-}") || system=unknown
  case $system in
    debian-12) boost=1.81 ;; # the plain libboost-dev is 1.74 there
    debian-1[3-9] | ubuntu-2[4-9].* | ubuntu-[3-9]?.*) boost='' ;;
    *) fail "$system is not known here; it takes Debian 12 or Ubuntu 24.04 or newer (CONTRIBUTING.md lists what a build needs)" ;;
  esac
  printf '%s\n' g++ cmake ninja-build pkg-config python3 python3-pip unzip "libboost$boost-dev" \
    "libboost-program-options$boost-dev" libgtest-dev libgmock-dev zlib1g-dev nlohmann-json3-dev dataset-fashion-mnist
}

# missing_packages [PACKAGE...]: of those that a build needs, and of the given ones.
missing_packages() {
  local package needed
  needed=$(needed_packages)
  for package in $needed "$@"; do
    if [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2> /dev/null) != installed ]]; then
      echo "$package"
    fi
  done
}

# ensure_packages [PACKAGE...]: installs what is missing where that needs no question to anybody, else prints the line to run. No
# network if all is there.
ensure_packages() {
  local missing as_root=() log="$source_root/build/packages.log"
  missing=$(missing_packages "$@" | tr '\n' ' ')
  missing=${missing% }
  if [[ -z $missing ]]; then
    stage packages 'all installed'
    return
  fi
  if ((EUID != 0)); then
    if ! sudo -n true 2> /dev/null; then
      fail "packages are missing; run: sudo apt-get update && sudo apt-get install --no-install-recommends $missing"
    fi
    as_root=(sudo -n)
  fi
  stage packages "installing $missing"
  mkdir -p "$source_root/build"
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q --yes -o DPkg::Lock::Timeout=300)
  # shellcheck disable=SC2086 # one word a package
  if ! { "${apt[@]}" update && "${apt[@]}" install --no-install-recommends $missing; } > "$log" 2>&1 < /dev/null; then
    tail -n 15 "$log" >&2
    fail "the packages could not be installed ($log has the rest)"
  fi
  missing=$(missing_packages "$@" | tr '\n' ' ')
  [[ -z $missing ]] || fail "still missing after the installation: $missing"
}

# Sets torch_root; takes fetch-torch's options.
ensure_torch() {
  torch_root=$("$source_root/packaging/fetch-torch" "$@" | tail -n 1)
  stage libtorch "$torch_root"
}

# As many compilers as there are cores, and no more than the memory holds: one takes up to 1.5 GB with libtorch's headers.
build_jobs() {
  local cores memory_kb
  cores=$(nproc)
  memory_kb=$(awk '$1 == "MemAvailable:" { print $2 }' /proc/meminfo)
  local fit=$((memory_kb / 1500000))
  echo $((fit < 1 ? 1 : fit < cores ? fit : cores))
}

# build_preset PRESET FOLDER [CMAKE ARGUMENT...]: configures and builds; quiet, the log is shown only on failure.
build_preset() {
  local preset=$1 folder=$2 log=$2/build.log
  shift 2
  if command -v ccache > /dev/null; then
    export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CCACHE_BASEDIR=$source_root CCACHE_NOHASHDIR=1
  fi
  mkdir -p "$folder"
  stage build "preset $preset in $folder (the first time takes minutes)"
  if ! cmake -S "$source_root" -B "$folder" --preset "$preset" -DMORTISE_TORCH_ROOT="$torch_root" "$@" > "$log" 2>&1; then
    grep -A 12 'CMake Error' "$log" >&2 || tail -n 30 "$log" >&2
    if grep -Eqi 'could not find boost|provided by .boost_program_options|missing:.*program_options' "$log"; then
      fail 'Boost.Program_options is needed as a library, headers are not enough; if it lies elsewhere, name its folder in CMAKE_PREFIX_PATH'
    fi
    fail "CMake could not configure the build ($log has the rest)"
  fi
  if ! cmake --build "$folder" --parallel "$(build_jobs)" >> "$log" 2>&1 < /dev/null; then
    tail -n 40 "$log" >&2
    fail "the build failed ($log has the rest)"
  fi
}
