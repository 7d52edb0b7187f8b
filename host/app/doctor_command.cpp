// doctor: what is wrong with a plugin, as a table or as JSON. Runs none of its code.
#include "host/app/commands.h"
#include "host/doctor/static_checks.h"
#include "host/report/table.h"

namespace mortise::app {

Status doctor(const config::RunConfig& config, Output& output) {
  const std::string& path = config.arguments.front();
  const Result<std::vector<doctor::Finding>> found = doctor::check_file(path);
  // A file that is not there is the caller's mistake, not a finding.
  if (!found.ok()) return {Code::kUsage, found.status().message()};
  report::Table table({{"severity"}, {"finding"}, {"what"}, {"fix"}});
  size_t errors = 0;
  for (const doctor::Finding& finding : *found) {
    const char* severity = doctor::severity_name(finding.severity);
    errors += finding.severity == doctor::Severity::kError;
    table.add({severity, finding.id, finding.text, finding.fix});
    if (output.json())
      output.object({{"finding", finding.id}, {"severity", severity}, {"text", finding.text}, {"fix", finding.fix}});
  }
  if (!output.json()) output.text(table.empty() ? path + ": nothing found\n" : table.str(output.colour()));
  if (errors == 0) return {};
  return {Code::kPlugin, path + ": " + std::to_string(errors) + (errors == 1 ? " error" : " errors")};
}

}  // namespace mortise::app
