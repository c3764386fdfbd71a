// SPDX-License-Identifier: BSD-3-Clause
// What the options of the program say about themselves, without CLI11: the manual page and the
// completions are made from it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lazult::tool {

// An option, or a word that stands alone.
struct option_facts {
    std::vector<std::string>
        names;  // as they are typed: "-h", "--help"; of a word that stands alone, its one name
    std::string doc;
    std::string group;
    std::string value;          // what it takes, as "FILE"; empty for a flag
    std::string default_value;  // empty: the doc says it, or there is none
    std::string limits;         // "from 1 to 1000", or empty
    std::vector<std::string>
        words;             // that it takes; empty: others, or the command alone knows them
    int takes = 0;         // how many words follow it
    bool is_list = false;  // values are separated by commas
    bool is_repeated = false;

    bool is_file() const { return value == "FILE"; }
};

// What follows the options of a command.
enum class rest_kind { nothing, positionals, program, other_words };

struct command_facts {
    std::string path;  // "lazult bench openmp"
    std::string doc;
    std::string footer;
    std::vector<option_facts> options;
    std::vector<option_facts> positionals;
    std::vector<command_facts> subcommands;
    rest_kind rest = rest_kind::nothing;

    std::string name() const { return path.substr(path.rfind(' ') + 1); }
};

// Without what --help hides.
command_facts command_tree(CLI::App& program);

// The command and all below it, parents first.
std::vector<const command_facts*> all_commands(const command_facts& top);

// All words that these options take, with blanks between.
std::string words_of(const std::vector<option_facts>& options);

}  // namespace lazult::tool
