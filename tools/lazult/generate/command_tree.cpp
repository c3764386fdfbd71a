// SPDX-License-Identifier: BSD-3-Clause
#include "tools/lazult/generate/command_tree.hpp"

#include <CLI/CLI.hpp>

#include <string_view>

namespace lazult::tool {
namespace {

std::vector<std::string> split_at_commas(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

// CLI11 describes what a validator accepts behind the type: "TEXT:{a,b}", "INT:INT in [1 - 1000]",
// "FLOAT:POSITIVE".
void read_type(option_facts& facts, const std::string& type) {
    const std::size_t colon = type.find(':');
    facts.value = type.substr(0, colon);
    if (colon == std::string::npos) {
        return;
    }
    const std::string accepted = type.substr(colon + 1);
    const std::size_t range = accepted.find(" in [");
    const std::size_t dash = accepted.find(" - ");
    if (accepted.front() == '{' && accepted.back() == '}') {
        facts.words = split_at_commas(std::string_view(accepted).substr(1, accepted.size() - 2));
    } else if (range != std::string::npos && dash != std::string::npos) {
        const std::size_t first = range + 5;
        facts.limits = "from " + accepted.substr(first, dash - first) + " to " +
                       accepted.substr(dash + 3, accepted.size() - dash - 4);
    } else if (accepted == "POSITIVE") {
        facts.limits = "above 0";
    }
}

option_facts facts_of(const CLI::Option& option) {
    option_facts facts;
    for (const std::string& name : option.get_snames()) {
        facts.names.push_back("-" + name);
    }
    for (const std::string& name : option.get_lnames()) {
        facts.names.push_back("--" + name);
    }
    if (option.get_positional()) {
        facts.names = {option.get_name()};
    }
    facts.doc = option.get_description();
    facts.group = option.get_group();
    facts.is_list = option.get_delimiter() != '\0';
    facts.is_repeated = option.get_expected_max() > 2;
    if (option.get_items_expected_max() != 0) {
        facts.takes = option.get_items_expected_min();
        facts.default_value = option.get_default_str();
        read_type(facts, option.get_type_name());
    }
    return facts;
}

// `lazult bench peers` gives all words to a script, --help too, and so it has no flag of that name.
rest_kind rest_of(const CLI::App& command, const command_facts& facts) {
    if (command.get_prefix_command()) {
        return command.get_help_ptr() != nullptr ? rest_kind::program : rest_kind::other_words;
    }
    return facts.positionals.empty() ? rest_kind::nothing : rest_kind::positionals;
}

command_facts facts_of(CLI::App& command, const std::string& above) {
    command_facts facts;
    facts.path = above + command.get_name();
    facts.doc = command.get_description();
    facts.footer = command.get_footer();
    for (const CLI::Option* option : command.get_options()) {
        if (!option->get_group().empty()) {
            (option->get_positional() ? facts.positionals : facts.options)
                .push_back(facts_of(*option));
        }
    }
    const auto is_shown = [](const CLI::App* one) { return !one->get_group().empty(); };
    for (CLI::App* subcommand : command.get_subcommands(is_shown)) {
        facts.subcommands.push_back(facts_of(*subcommand, facts.path + " "));
    }
    facts.rest = rest_of(command, facts);
    return facts;
}

}  // namespace

command_facts command_tree(CLI::App& program) { return facts_of(program, ""); }

std::vector<const command_facts*> all_commands(const command_facts& top) {
    std::vector<const command_facts*> all{&top};
    for (const command_facts& subcommand : top.subcommands) {
        const std::vector<const command_facts*> below = all_commands(subcommand);
        all.insert(all.end(), below.begin(), below.end());
    }
    return all;
}

std::string words_of(const std::vector<option_facts>& options) {
    std::string list;
    for (const option_facts& option : options) {
        for (const std::string& word : option.words) {
            list += (list.empty() ? "" : " ") + word;
        }
    }
    return list;
}

}  // namespace lazult::tool
