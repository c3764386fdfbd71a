// SPDX-License-Identifier: BSD-3-Clause
// Completion for fish.
#include <fmt/core.h>

#include <string_view>

#include "tools/lazult/generate/formats.hpp"

namespace lazult::tool {
namespace {

constexpr std::string_view head = R"(# SPDX-License-Identifier: BSD-3-Clause
# `lazult generate fish` writes this file.

# Which command the words before the cursor name. Behind a program that is run it ends in PROGRAM.
function __lazult_path
    set -l words (commandline -opc)
    set -e words[1]
    set -l path lazult
    set -l waits 0
    for word in $words
        if test $waits -gt 0
            set waits (math $waits - 1)
            continue
        end
        switch "$path $word"
)";

constexpr std::string_view after_head = R"(        end
    end
    echo $path
end

function __lazult_at
    test (__lazult_path) = "$argv"
end

complete -c lazult -f
)";

std::string fish_quoted(std::string_view text) {
    std::string shown = "'";
    for (char c : text) {
        shown += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return shown + "'";
}

std::string complete_at(const std::string& path, const std::string& what) {
    return fmt::format("complete -c lazult -n '__lazult_at {}' {}\n", path, what);
}

// The case of the options behind which so many words are their values.
std::string waits_for(const command_facts& command, int words) {
    std::string patterns;
    for (const option_facts& option : command.options) {
        for (const std::string& name : option.names) {
            patterns += option.takes == words ? fmt::format(" '{} {}'", command.path, name) : "";
        }
    }
    return patterns.empty()
               ? ""
               : fmt::format("            case{}\n                set waits {}\n", patterns, words);
}

// The cases of the switch: a word that names a command, one that takes others, and a program that
// is run.
std::string cases_of(const command_facts& command) {
    std::string text = waits_for(command, 1) + waits_for(command, 2);
    if (command.rest == rest_kind::program) {
        const std::string& path = command.path;
        text += fmt::format("            case '{0} --'\n                set path '{0} --'\n", path);
        text += fmt::format("            case '{0} -- *'\n                set path '{0} PROGRAM'\n",
                            path);
        text += fmt::format("            case '{0} -*'\n            case '{0} *'\n", path);
        text += fmt::format("                set path '{} PROGRAM'\n", path);
    }
    return text;
}

std::string all_cases(const std::vector<const command_facts*>& commands) {
    std::string paths;
    std::string others;
    for (const command_facts* command : commands) {
        paths += " " + fish_quoted(command->path);
        others += cases_of(*command);
    }
    return fmt::format("            case{}\n                set path \"$path $word\"\n{}", paths,
                       others);
}

// -x: a value that is no file. -r -F: a file.
std::string value_flags(const option_facts& option) {
    if (option.takes == 0) {
        return "";
    }
    std::string flags = option.is_file() ? " -r -F" : " -x";
    if (!option.words.empty()) {
        const std::string words = words_of({option});
        flags += " -a " + fish_quoted(option.is_list ? "(__fish_append , " + words + ")" : words);
    }
    return flags;
}

std::string line_of(const command_facts& command, const option_facts& option) {
    std::string what;
    for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        what += fmt::format("{}{} {}", what.empty() ? "" : " ", is_long ? "-l" : "-s",
                            name.substr(is_long ? 2 : 1));
    }
    return complete_at(command.path, what + value_flags(option) + " -d " + fish_quoted(option.doc));
}

std::string rest_of(const command_facts& command) {
    if (command.rest == rest_kind::other_words) {
        return complete_at(command.path, "-F");
    }
    if (command.rest == rest_kind::program) {
        const std::string programs = "-a '(__fish_complete_command)'";
        return complete_at(command.path, programs) + complete_at(command.path + " --", programs) +
               complete_at(command.path + " PROGRAM", "-F");
    }
    const std::string words = words_of(command.positionals);
    return words.empty() ? "" : complete_at(command.path, "-a " + fish_quoted(words));
}

std::string lines_of(const command_facts& command) {
    std::string text = "\n";
    for (const command_facts& subcommand : command.subcommands) {
        text += complete_at(command.path, fmt::format("-a {} -d {}", subcommand.name(),
                                                      fish_quoted(subcommand.doc)));
    }
    for (const option_facts& option : command.options) {
        text += line_of(command, option);
    }
    return text + rest_of(command);
}

}  // namespace

std::string fish_completion(const command_facts& program) {
    const std::vector<const command_facts*> commands = all_commands(program);
    std::string text = std::string(head) + all_cases(commands) + std::string(after_head);
    for (const command_facts* command : commands) {
        text += lines_of(*command);
    }
    return text;
}

}  // namespace lazult::tool
