// A receipt in its three forms. The file in the run's folder is written always; what is shown depends on the verdict.
#include "host/app/receipts.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "host/report/receipt_table.h"

namespace mortise::app {
namespace {

// The table has room for sums; kinds are in the JSON.
report::ReceiptRow to_row(const ledger::Receipt& receipt) {
  report::ReceiptRow row;
  // "best (checkpoint)": the id is worth its place only where the user gave another name.
  row.plugin = receipt.instance == receipt.plugin ? receipt.plugin : receipt.instance + " (" + receipt.plugin + ")";
  for (const ledger::Tally& tally : receipt.tallies) {
    row.made += tally.made;
    row.released += tally.released;
  }
  row.forced = receipt.forced();
  row.forced_bytes = receipt.forced_bytes();
  row.unmapped = receipt.unmapped;
  row.unload_seconds = static_cast<double>(receipt.unload_ns) * 1e-9;
  row.verdict = ledger::verdict_name(receipt.verdict);
  if (!receipt.detached_because.empty()) row.notes.push_back("detached: " + receipt.detached_because);
  row.notes.insert(row.notes.end(), receipt.residue.begin(), receipt.residue.end());
  if (!receipt.unmapped) row.notes.push_back("its code stays mapped: " + receipt.why_mapped);
  if (!receipt.shutdown_error.empty()) row.notes.push_back("shutdown failed: " + receipt.shutdown_error);
  return row;
}

}  // namespace

nlohmann::ordered_json to_json(const ledger::Receipt& receipt) {
  nlohmann::ordered_json kinds = nlohmann::ordered_json::object();
  for (const ledger::Kind kind : ledger::kKinds) {
    const ledger::Tally& tally = receipt.tallies[ledger::index_of(kind)];
    // Kinds that did not occur would make every line as long as the list of kinds.
    if (tally.made == 0) continue;
    kinds[ledger::kind_name(kind)] = {{"made", tally.made},
                                      {"released", tally.released},
                                      {"forced", tally.forced},
                                      {"kept", tally.kept},
                                      {"forced_bytes", tally.forced_bytes}};
  }
  return {{"receipt", receipt.instance},
          {"plugin", receipt.plugin},
          {"version", receipt.version},
          {"path", receipt.path},
          {"things", kinds},
          {"forced", receipt.forced()},
          {"forced_bytes", receipt.forced_bytes()},
          {"events", receipt.events},
          {"event_ns", receipt.event_ns},
          {"unload_ns", receipt.unload_ns},
          {"unmapped", receipt.unmapped},
          {"why_mapped", receipt.why_mapped},
          {"residue", receipt.residue},
          {"shutdown_error", receipt.shutdown_error},
          {"detached_because", receipt.detached_because},
          {"verdict", ledger::verdict_name(receipt.verdict)}};
}

ledger::Verdict worst(const std::vector<ledger::Receipt>& receipts) {
  ledger::Verdict verdict = ledger::Verdict::kClean;
  // Verdicts are numbered from best to worst.
  for (const ledger::Receipt& receipt : receipts) verdict = std::max(verdict, receipt.verdict);
  return verdict;
}

bool worth_showing(const std::vector<ledger::Receipt>& receipts) {
  return std::any_of(receipts.begin(), receipts.end(), [](const ledger::Receipt& receipt) {
    return receipt.verdict != ledger::Verdict::kClean || !receipt.detached_because.empty();
  });
}

Status append_receipts(const std::filesystem::path& folder, const std::vector<ledger::Receipt>& receipts) {
  const std::filesystem::path path = folder / "receipts.jsonl";
  // Appended, since a soak adds a cycle's lines to those of the cycles before it. Not atomic: a crash may cost the
  // last line.
  std::ofstream file(path, std::ios::app);
  for (const ledger::Receipt& receipt : receipts)
    file << to_json(receipt).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  file.flush();
  if (file) return {};
  return {Code::kIo, path.string() + ": " + std::strerror(errno)};
}

void show_receipts(Output& output, const std::vector<ledger::Receipt>& receipts) {
  if (receipts.empty()) return;
  if (output.json()) {
    for (const ledger::Receipt& receipt : receipts) output.object(to_json(receipt));
    return;
  }
  // Clean is what is expected, and is not worth a table.
  if (!output.verbose() && !worth_showing(receipts)) return;
  std::vector<report::ReceiptRow> rows;
  for (const ledger::Receipt& receipt : receipts) rows.push_back(to_row(receipt));
  output.text("\n" + report::receipt_table(rows, output.colour()));
}

}  // namespace mortise::app
