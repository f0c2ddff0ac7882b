/// The commands that measure: rows as a table, as JSON, and into docs/RESULTS.md.
#include <fmt/core.h>
#include <map>

#include "app/commands.h"
#include "bench/benchmark.h"
#include "isochor/base/error.h"
#include "isochor/base/file.h"
#include "isochor/base/json.h"
#include "isochor/base/text.h"
#include "reproduce/experiment.h"

namespace isochor::app {
namespace {

using reproduce::BenchRow;
using reproduce::Row;

std::optional<bool> holds(const Row& r) { return reproduce::holds(r.relation, r.ours, r.bound); }
std::optional<bool> holds(const BenchRow& r) {
  return reproduce::holds(r.relation, r.value, r.bound);
}

Json to_json(const Row& r) {
  return {{"id", r.id},           {"quantity", r.quantity},
          {"variant", r.variant}, {"source", r.source},
          {"paper", r.paper},     {"ours", r.ours},
          {"unit", r.unit},       {"relation", symbol(r.relation)},
          {"bound", r.bound},     {"holds", holds(r)},
          {"note", r.note}};
}

Json to_json(const BenchRow& r) {
  return {{"name", r.name},
          {"value", r.value},
          {"unit", r.unit},
          {"limit", r.limit},
          {"limit_kind", r.limit_kind},
          {"peer", r.peer},
          {"peer_name", r.peer_name},
          {"relation", symbol(r.relation)},
          {"bound", r.bound},
          {"holds", holds(r)},
          {"note", r.note}};
}

std::string text(const std::optional<double>& value) {
  return value ? fmt::format("{:.4g}", *value) : "-";
}

std::string claim(const Row& r) { return reproduce::claim_text(r.relation, r.ours, r.bound); }
std::string claim(const BenchRow& r) { return reproduce::claim_text(r.relation, r.value, r.bound); }

std::string markdown(const std::vector<Row>& rows) {
  std::string out =
      "| experiment | quantity | variant | paper | ours | unit | claim | note |\n"
      "|---|---|---|---|---|---|---|---|\n";
  for (const Row& r : rows) {
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} |\n", r.id, r.quantity, r.variant,
                       text(r.paper), text(r.ours), r.unit, claim(r), r.note);
  }
  return out;
}

std::string markdown(const std::vector<BenchRow>& rows) {
  std::string out =
      "| name | ours | unit | limit | ours / limit | limited by | peer | peer / ours | peer name | "
      "claim | note |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  for (const BenchRow& r : rows) {
    const auto ratio = [](const std::optional<double>& a, const std::optional<double>& b) {
      return a && b ? fmt::format("{:.2f}", *a / *b) : std::string("-");
    };
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", r.name,
                       text(r.value), r.unit, text(r.limit), ratio(r.value, r.limit), r.limit_kind,
                       text(r.peer), ratio(r.peer, r.value), r.peer_name, claim(r), r.note);
  }
  return out;
}

void print(const Row& r) {
  fmt::print("{:<44} {:<12} {:>10} {}  {}{}{}\n", r.quantity, r.variant, text(r.ours), r.unit,
             claim(r), r.note.empty() ? "" : "  # ", r.note);
}

void print(const BenchRow& r) {
  fmt::print("{:<32} {:>8} {}, limit {} ({}), peer {} ({})  {}{}{}\n", r.name, text(r.value),
             r.unit, text(r.limit), r.limit_kind, text(r.peer), r.peer_name, claim(r),
             r.note.empty() ? "" : "  # ", r.note);
}

std::string begin_mark(std::string_view name) { return fmt::format("<!-- {} begins -->\n", name); }
std::string end_mark(std::string_view name) { return fmt::format("<!-- {} ends -->\n", name); }

/// What a Markdown file of results says about an item, or nothing.
std::string entry_of(std::string_view name, const std::string& file) {
  const std::string begin = begin_mark(name);
  const std::size_t from = file.find(begin), to = file.find(end_mark(name));
  if (from == std::string::npos || to == std::string::npos) return {};
  return file.substr(from + begin.size(), to - from - begin.size());
}

/// Puts what was measured into a Markdown file, in place of what it said about the same items.
void write_results(const std::filesystem::path& file,
                   const std::map<std::string_view, std::string>& measured) {
  const std::string old = std::filesystem::exists(file) ? read_text_file(file) : "";
  std::string all =
      "# Results\n\nWritten by `isochor reproduce` and `isochor bench` with `--results`; never by "
      "hand.\n";
  const auto add = [&](std::string_view section, const auto& items, auto name_of) {
    all += fmt::format("\n## {}\n", section);
    for (const auto& item : items) {
      const std::string_view name = name_of(item);
      const auto fresh = measured.find(name);
      const std::string entry = fresh != measured.end() ? fresh->second : entry_of(name, old);
      if (!entry.empty()) all += "\n" + begin_mark(name) + entry + end_mark(name);
    }
  };
  add("Experiments", reproduce::experiments(), [](const auto& e) { return e.id; });
  add("Benchmarks", bench::benchmarks(), [](const auto& b) { return b.name; });
  write_file_atomic(file, all);
}

/// Those items whose name is asked for, or begins with what is asked for; all if nothing is.
template <class Item, class Name>
std::vector<const Item*> choose(std::span<const Item> items, const std::vector<std::string>& names,
                                Name name_of) {
  std::vector<std::string_view> known;
  for (const Item& item : items) known.push_back(name_of(item));
  for (const std::string& name : names) {
    if (std::none_of(known.begin(), known.end(),
                     [&](std::string_view k) { return k == name || k.starts_with(name + "/"); })) {
      throw Error(Fault::Input, name, "is not known here", suggest(name, known));
    }
  }
  std::vector<const Item*> chosen;
  for (const Item& item : items) {
    const std::string_view known_name = name_of(item);
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
          return known_name == name || known_name.starts_with(name + "/");
        })) {
      chosen.push_back(&item);
    }
  }
  return chosen;
}

/// Runs the chosen items, shows their rows; failed if a claim does not hold.
template <class R, class Item, class Name, class Run>
int measure(const std::vector<const Item*>& chosen, const MeasureCommand& command,
            const CommonOptions& common, Name&& name_of, Run&& run) {
  Context context(common.threads);
  set_on_interrupt(&context.cancelled);
  std::vector<R> all;
  std::map<std::string_view, std::string> entries;
  bool good = true;
  for (const Item* item : chosen) {
    if (!common.quiet && !common.json) fmt::print("{}\n", item->title);
    // What experiments say of their progress; scenes that they run say more.
    context.log = [&, name = name_of(*item)](LogLevel, std::string_view text) {
      if (!common.quiet && text.starts_with(name)) fmt::print(stderr, "  {}\n", text);
    };
    const std::vector<R> rows = run(*item, context);
    if (context.cancelled) return kInterrupted;
    for (const R& row : rows) {
      good = good && holds(row).value_or(true);
      if (!common.json) print(row);
      all.push_back(row);
    }
    entries[name_of(*item)] =
        fmt::format("### {}\n\n{}. Version {}, {}, {} threads{}.\n\n{}", name_of(*item),
                    item->title, ISOCHOR_VERSION, describe_machine(), context.arena.threads(),
                    command.full ? ", at full size" : "", markdown(rows));
    std::fflush(stdout);
  }
  if (common.json) {
    const Json document{{"version", ISOCHOR_VERSION},
                        {"machine", describe_machine()},
                        {"threads", context.arena.threads()},
                        {"rows", Json::array(all, [](const R& row) { return to_json(row); })}};
    fmt::print("{}\n", document.text());
  }
  if (!command.results.empty()) write_results(command.results, entries);
  finish_output();
  return good ? kDone : kFailed;
}

}  // namespace

int reproduce_command(const MeasureCommand& command, const CommonOptions& common) {
  const auto chosen = choose(reproduce::experiments(), command.names,
                             [](const reproduce::Experiment& e) { return e.id; });
  if (command.list) {
    for (const auto* e : chosen) fmt::print("{}: {}\n", e->id, e->title);
    finish_output();
    return kDone;
  }
  if (!command.pictures.empty()) make_directory(command.pictures, Fault::Input);
  return measure<Row>(
      chosen, command, common, [](const reproduce::Experiment& e) { return e.id; },
      [&](const reproduce::Experiment& e, Context& context) {
        return e.run({.full = command.full, .pictures = command.pictures, .data = command.data},
                     context);
      });
}

int bench_command(const MeasureCommand& command, const CommonOptions& common) {
  const auto chosen =
      choose(bench::benchmarks(), command.names, [](const bench::Benchmark& b) { return b.name; });
  if (command.list) {
    for (const auto* b : chosen) fmt::print("{}: {}\n", b->name, b->title);
    finish_output();
    return kDone;
  }
  return measure<BenchRow>(
      chosen, command, common, [](const bench::Benchmark& b) { return b.name; },
      [&](const bench::Benchmark& b, Context& context) {
        return (command.full && b.run_full ? b.run_full : b.run)(context);
      });
}

}  // namespace isochor::app
