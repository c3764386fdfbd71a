// SPDX-License-Identifier: BSD-3-Clause
// Completion for zsh: a function for each command, over zsh's own _arguments.
#include <fmt/core.h>

#include <algorithm>
#include <string_view>

#include "tools/lazult/generate/formats.hpp"

namespace lazult::tool {
namespace {

std::string zsh_quoted(std::string_view text) {
    std::string shown = "'";
    for (char c : text) {
        shown += c == '\'' ? "'\\''" : std::string(1, c);
    }
    return shown + "'";
}

// A description, where these characters would end it.
std::string escaped(std::string_view text, std::string_view characters) {
    std::string shown;
    for (char c : text) {
        shown += characters.find(c) != characters.npos ? "\\" : "";
        shown += c;
    }
    return shown;
}

std::string function_of(const command_facts& command) {
    std::string name = "_" + command.path;
    std::replace(name.begin(), name.end(), ' ', '_');
    return name;
}

// What offers the values.
std::string action_of(const option_facts& option) {
    const std::string words = words_of({option});
    if (option.is_file()) {
        return words.empty()
                   ? "_files"
                   : fmt::format("_alternative \"words:word:({})\" \"files:file:_files\"", words);
    }
    if (words.empty()) {
        return "()";
    }
    return option.is_list ? "_sequence compadd - " + words : "(" + words + ")";
}

std::string specification(const option_facts& option, const std::string& name) {
    std::string text = option.is_repeated ? "*" : "";
    text += name + (option.takes == 1 && name.starts_with("--") ? "=" : "");
    text += "[" + escaped(option.doc, "[]\\") + "]";
    for (int i = 0; i < option.takes; ++i) {
        text += fmt::format(":{}:{}", option.value, action_of(option));
    }
    return "        " + zsh_quoted(text);
}

std::string specifications(const command_facts& command) {
    std::string text;
    for (const option_facts& option : command.options) {
        for (const std::string& name : option.names) {
            text += " \\\n" + specification(option, name);
        }
    }
    if (!command.subcommands.empty()) {
        text += " \\\n        '1: :->first'";
    }
    for (const option_facts& word : command.positionals) {
        text += fmt::format(" \\\n        '*:{}:{}'", word.names[0], action_of(word));
    }
    if (command.rest == rest_kind::program) {
        text += " \\\n        '(-)1:program:_command_names -e' \\\n        '*::argument:_normal'";
    } else if (command.rest == rest_kind::other_words) {
        text += " \\\n        '*:argument:_files'";
    }
    return text;
}

// Goes on in the function of the subcommand that the first word names.
std::string dispatch(const command_facts& command) {
    std::string text = "    if (( CURRENT > 2 )); then\n        case $words[2] in\n";
    for (const command_facts& subcommand : command.subcommands) {
        text += fmt::format("            {}) shift words; (( CURRENT-- )); {}; return ;;\n",
                            subcommand.name(), function_of(subcommand));
    }
    return text + "        esac\n    fi\n";
}

std::string first_words(const command_facts& command) {
    std::string text = "    [[ $state == first ]] || return ret\n    local -a commands=(\n";
    for (const command_facts& subcommand : command.subcommands) {
        text += "        " + zsh_quoted(subcommand.name() + ":" + escaped(subcommand.doc, ":\\")) +
                "\n";
    }
    text += "    )\n    _describe command commands && ret=0\n";
    if (const std::string words = words_of(command.positionals); !words.empty()) {
        text += fmt::format("    compadd - {} && ret=0\n", words);
    }
    return text + "    return ret\n";
}

std::string function(const command_facts& command) {
    std::string text = fmt::format("\n{}() {{\n", function_of(command));
    if (command.subcommands.empty()) {
        return text + "    _arguments -S" + specifications(command) + "\n}\n";
    }
    text +=
        dispatch(command) + "    local state ret=1\n    _arguments -S" + specifications(command);
    return text + " && ret=0\n" + first_words(command) + "}\n";
}

}  // namespace

std::string zsh_completion(const command_facts& program) {
    std::string text =
        "#compdef lazult\n# SPDX-License-Identifier: BSD-3-Clause\n"
        "# `lazult generate zsh` writes this file.\n";
    for (const command_facts* command : all_commands(program)) {
        text += function(*command);
    }
    // zsh runs the file as the body of _lazult when that is called first; when it is sourced, it
    // only defines the functions.
    return text +
           "\nif [[ $funcstack[1] == _lazult ]]; then\n    _lazult \"$@\"\nelse\n    compdef "
           "_lazult "
           "lazult\nfi\n";
}

}  // namespace lazult::tool
