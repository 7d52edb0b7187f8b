// Receipts as rows, as JSON and as a file in the run's folder.
#pragma once

#include <filesystem>
#include <vector>

#include "host/app/output.h"
#include "host/core/status.h"
#include "host/ledger/receipt.h"

namespace mortise::app {

// {"receipt": "best", "plugin": "checkpoint", ..., "verdict": "clean"}
nlohmann::ordered_json to_json(const ledger::Receipt& receipt);

// The worst of them; clean for none.
ledger::Verdict worst(const std::vector<ledger::Receipt>& receipts);

// Adds them to <folder>/receipts.jsonl, one object a line.
Status append_receipts(const std::filesystem::path& folder, const std::vector<ledger::Receipt>& receipts);

// Whether one is not clean, or was detached in the middle of the run.
bool worth_showing(const std::vector<ledger::Receipt>& receipts);

// Shows them: always as JSON; else with --verbose, or where one is worth it.
void show_receipts(Output& output, const std::vector<ledger::Receipt>& receipts);

}  // namespace mortise::app
