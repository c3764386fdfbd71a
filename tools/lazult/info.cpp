// SPDX-License-Identifier: BSD-3-Clause
// lazult info: the machine, what this build can do on it, and every setting with where it came
// from.
#include <fmt/core.h>
#include <CLI/CLI.hpp>
#include <lazult/io.hpp>

#include <array>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "lazult/sched/sched.hpp"
#include "lazult/topo/topo.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/machine.hpp"

namespace lazult::tool {
namespace {

using json = nlohmann::ordered_json;

struct technique_facts {
    core::technique how;
    std::string_view stack_taken;
    std::string_view needs;
    std::string_view fallback;
};

// DESIGN's table of the techniques; the order of the fallbacks is core's host::fall_back().
constexpr std::array<technique_facts, core::technique_count> techniques{{
    {core::technique::full, "at creation", "nothing", ""},
    {core::technique::lazy_stack, "at first run", "nothing", ""},
    {core::technique::return_on_completion, "at first run", "a stack that is not the user's",
     "full"},
    {core::technique::stack_separation, "at first run", "a stateless scheduler",
     "return_on_completion"},
    {core::technique::scheduler_creation, "none: the scheduler's",
     "a stateless scheduler with a stack as large as the ULT's", "stack_separation"},
    {core::technique::run_to_completion, "none: the scheduler's", "never to suspend", ""},
    {core::technique::adaptive, "as planned",
     "nothing: plans by what ULTs of the same function did", ""},
}};

json describe_techniques() {
    json list = json::array();
    for (const technique_facts& facts : techniques) {
        json one{{"name", base::name(facts.how)},
                 {"stack_taken", facts.stack_taken},
                 {"needs", facts.needs}};
        one["fallback"] = facts.fallback.empty() ? json(nullptr) : json(facts.fallback);
        one["default"] = facts.how == base::current_settings().technique;
        list.push_back(std::move(one));
    }
    return list;
}

std::string compiler() {
#if defined(__clang__)
    return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
    return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

json describe_build() {
    json sanitizers = json::array();
    if (probe::asan) {
        sanitizers.push_back("address");
    }
    if (probe::tsan) {
        sanitizers.push_back("thread");
    }
    return {{"compiler", compiler()},
            {"context_switch", arch::context_implementation()},
            {"sanitizers", sanitizers},
            {"assertions", LAZULT_ASSERTIONS != 0},
            {"chaos", probe::chaos}};
}

json describe_topology() {
    const topo::topology& machine = topo::machine();
    return {{"processors", machine.processors()},
            {"cores", machine.cores()},
            {"numa_nodes", machine.numa_nodes()},
            {"synthetic", machine.is_synthetic()},
            {"description", machine.describe()}};
}

int streams_to_start() {
    const auto asked = static_cast<int>(base::current_settings().streams);
    return asked != 0 ? asked : topo::machine().processors();
}

// "always [madvise] never" -> "madvise"
std::string huge_pages_of_kernel() {
    std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
    std::string word;
    while (file >> word) {
        if (word.front() == '[' && word.back() == ']') {
            return word.substr(1, word.size() - 2);
        }
    }
    return "unknown";
}

std::string guard_in_force() {
    const base::guard_kind asked = base::current_settings().guard;
    if (asked == base::guard_kind::automatic) {
        return os::name(os::best_guard_method());
    }
    // What is asked for and not there is replaced by the next one down.
    const bool refused =
        asked == base::guard_kind::madvise && os::best_guard_method() != os::guard_method::madvise;
    return refused ? os::name(os::best_guard_method()) : std::string(base::name(asked));
}

json describe_memory() {
    const base::settings& settings = base::current_settings();
    return {{"stack_size", std::size_t{1} << core::stack_class_for(settings.stack_size)},
            {"scheduler_stack_size",
             std::size_t{1} << core::stack_class_for(settings.scheduler_stack_bytes())},
            {"descriptor_size", sizeof(core::work_unit)},
            {"page_size", os::page_size()},
            {"guard", guard_in_force()},
            {"huge_pages", {{"stacks", settings.huge_pages}, {"kernel", huge_pages_of_kernel()}}}};
}

json describe_settings() {
    json list = json::array();
    for (const base::setting_row& row : base::describe_settings()) {
        list.push_back({{"name", row.name},
                        {"variable", row.variable},
                        {"value", row.value},
                        {"source", base::name(row.source)},
                        {"default", row.default_value},
                        {"accepted", row.accepted},
                        {"doc", row.doc}});
    }
    return list;
}

json describe() {
    return {{"version", version()},
            {"build", describe_build()},
            {"machine", describe_machine()},
            {"topology", describe_topology()},
            {"streams", streams_to_start()},
            {"techniques", describe_techniques()},
            {"memory", describe_memory()},
            {"membarrier", os::membarrier_available()},
            {"files", lazult::io::file_backend()},
            {"settings", describe_settings()}};
}

std::string text(const json& value) { return value.get<std::string>(); }

std::string_view yes_or_no(const json& value) { return value.get<bool>() ? "yes" : "no"; }

std::string bytes(const json& value) {
    const auto n = value.get<std::size_t>();
    return n % 1024 == 0 ? fmt::format("{} KiB", n / 1024) : fmt::format("{} bytes", n);
}

void line(std::string_view what, std::string_view value) {
    fmt::print("  {:<24} {}\n", what, value);
}

std::string cache_sizes(const json& caches) {
    std::string list;
    for (const auto& [name, size] : caches.items()) {
        list += fmt::format("{}{} {}", list.empty() ? "" : ", ", name, text(size));
    }
    return list.empty() ? "unknown" : list;
}

void print_build(const json& all) {
    const json& build = all["build"];
    std::string sanitizers;
    for (const json& name : build["sanitizers"]) {
        sanitizers += (sanitizers.empty() ? "" : ", ") + text(name);
    }
    fmt::print("Lazult {}\n", text(all["version"]));
    line("compiler", text(build["compiler"]));
    line("context switch", text(build["context_switch"]));
    line("sanitizers", sanitizers.empty() ? "none" : sanitizers);
    line("assertions", yes_or_no(build["assertions"]));
    line("chaos", yes_or_no(build["chaos"]));
    line("membarrier",
         all["membarrier"].get<bool>() ? "available" : "not available: barriers on both sides");
    line("files", text(all["files"]));
}

void print_machine(const json& all) {
    const json& machine = all["machine"];
    fmt::print("\nMachine\n");
    line("processor", text(machine["processor"]));
    line("caches", cache_sizes(machine["caches"]));
    line("kernel", text(machine["kernel"]));
    std::string description = text(all["topology"]["description"]);
    for (std::size_t at = 0; at < description.size();) {
        const std::size_t end = std::min(description.find('\n', at), description.size());
        fmt::print("  {}\n", description.substr(at, end - at));
        at = end + 1;
    }
    line("execution streams", fmt::format("{}", all["streams"].get<int>()));
}

void print_memory(const json& memory) {
    fmt::print("\nMemory\n");
    line("stack of a ULT", bytes(memory["stack_size"]));
    line("stack of a scheduler", bytes(memory["scheduler_stack_size"]));
    line("descriptor", bytes(memory["descriptor_size"]));
    line("guard in force", text(memory["guard"]));
    line("huge pages for stacks",
         fmt::format("{} (kernel: {})", yes_or_no(memory["huge_pages"]["stacks"]),
                     text(memory["huge_pages"]["kernel"])));
}

void print_techniques(const json& list) {
    fmt::print("\nTechniques (* default)\n  {:<24} {:<24} {:<22} {}\n", "", "stack is taken",
               "falls back to", "needs");
    for (const json& one : list) {
        const std::string name = text(one["name"]) + (one["default"].get<bool>() ? " *" : "");
        fmt::print("  {:<24} {:<24} {:<22} {}\n", name, text(one["stack_taken"]),
                   one["fallback"].is_null() ? "-" : text(one["fallback"]), text(one["needs"]));
    }
}

void print_settings(const json& list) {
    fmt::print("\nSettings\n");
    for (const json& row : list) {
        fmt::print("  {:<28} {:<14} {:<12} default {}\n", text(row["variable"]), text(row["value"]),
                   text(row["source"]), text(row["default"]));
        fmt::print("  {:<28} {}; {}\n", "", text(row["doc"]), text(row["accepted"]));
    }
}

void print(const json& all) {
    print_build(all);
    print_machine(all);
    print_memory(all["memory"]);
    print_techniques(all["techniques"]);
    print_settings(all["settings"]);
}

}  // namespace

void add_info(CLI::App& program) {
    CLI::App* info = program.add_subcommand(
        "info", "Show the machine, this build and every setting with its source");
    auto as_json = std::make_shared<bool>(false);
    info->add_flag("--json", *as_json, "as JSON");
    info->callback([as_json] {
        const json all = describe();
        if (*as_json) {
            fmt::print("{}\n", all.dump(2));
        } else {
            print(all);
        }
    });
}

}  // namespace lazult::tool
