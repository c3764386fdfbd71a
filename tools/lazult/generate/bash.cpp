// SPDX-License-Identifier: BSD-3-Clause
// Completion for bash, without the package bash-completion.
#include <fmt/core.h>

#include <string_view>

#include "tools/lazult/generate/formats.hpp"

namespace lazult::tool {
namespace {

// What is the same for every command: how the words before the cursor are read. Each function
// answers in variables of _lazult.
constexpr std::string_view reader = R"sh(
# Reads the words before the cursor: which command they name, and which option waits for a value
# there.
_lazult_read() {
    local i word
    for ((i = 1; i < COMP_CWORD; ++i)); do
        word=${COMP_WORDS[i]}
        if [[ $word == "=" ]]; then
            continue  # bash cuts --json=FILE in three
        elif ((waits > 0)); then
            ((--waits))
        elif _lazult_value "$path $word"; then
            option="$path $word"
            waits=$takes
        elif [[ " $(_lazult_subcommands "$path") " == *" $word "* ]]; then
            path+=" $word"
        elif _lazult_runs "$path" && [[ $word == -- || $word != -* ]]; then
            [[ $word == -- ]] && ((++i))
            program=$i
            return
        fi
    done
}

_lazult_offer_words() {
    local before= part=$cur found
    if [[ -n $list && $cur == *,* ]]; then
        before=${cur%,*},
        part=${cur##*,}
    fi
    mapfile -t found < <(compgen -P "$before" -W "$1" -- "$part")
    COMPREPLY+=("${found[@]}")
}

_lazult_offer_files() {
    local found
    mapfile -t found < <(compgen -f -- "$cur")
    COMPREPLY+=("${found[@]}")
    compopt -o filenames 2>/dev/null
}

_lazult_offer_program() {
    if ((program == COMP_CWORD)) && [[ $cur != */* ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$cur" | sort -u)
    else
        _lazult_offer_files
    fi
}

_lazult_offer_rest() {
    _lazult_offer_words "$(_lazult_subcommands "$path") $(_lazult_positionals "$path")"
    if _lazult_runs "$path"; then
        program=$COMP_CWORD
        _lazult_offer_program
    elif _lazult_takes_files "$path"; then
        _lazult_offer_files
    fi
}

_lazult() {
    local cur=${COMP_WORDS[COMP_CWORD]} path=lazult option= program=0 waits=0 takes=0 words= files=
    local list=
    COMPREPLY=()
    _lazult_read
    list=
    [[ $cur == "=" ]] && cur=
    if ((program > 0)); then
        _lazult_offer_program
    elif ((waits > 0)); then
        _lazult_value "$option"
        _lazult_offer_words "$words"
        [[ -z $files ]] || _lazult_offer_files
    elif [[ $cur == -* ]]; then
        _lazult_offer_words "$(_lazult_options "$path")"
    else
        _lazult_offer_rest
    fi
}

complete -F _lazult lazult
)sh";

void add_word(std::string& list, std::string_view word) {
    list += list.empty() ? "" : " ";
    list += word;
}

std::string names_of_options(const command_facts& command) {
    std::string list;
    for (const option_facts& option : command.options) {
        for (const std::string& name : option.names) {
            add_word(list, name);
        }
    }
    return list;
}

std::string names_of_subcommands(const command_facts& command) {
    std::string list;
    for (const command_facts& subcommand : command.subcommands) {
        add_word(list, subcommand.name());
    }
    return list;
}

// A function that prints a list for each command that has one.
template <class List>
std::string lists(std::string_view function, const command_facts& program, List list_of) {
    std::string text = fmt::format("\n{}() {{\n    case $1 in\n", function);
    for (const command_facts* command : all_commands(program)) {
        if (const std::string list = list_of(*command); !list.empty()) {
            text += fmt::format("        \"{}\") echo \"{}\" ;;\n", command->path, list);
        }
    }
    return text + "    esac\n}\n";
}

// Writes a shell function that succeeds for commands that take `rest` after their options.
std::string followed_by(std::string_view function, const command_facts& program, rest_kind rest) {
    std::string text = fmt::format("\n{}() {{\n    case $1 in\n", function);
    for (const command_facts* command : all_commands(program)) {
        if (command->rest == rest) {
            text += fmt::format("        \"{}\") return 0 ;;\n", command->path);
        }
    }
    return text + "    esac\n    return 1\n}\n";
}

std::string value_case(const std::string& path, const option_facts& option) {
    std::string patterns;
    for (const std::string& name : option.names) {
        patterns += fmt::format("{}\"{} {}\"", patterns.empty() ? "" : " | ", path, name);
    }
    std::string text = fmt::format("        {}) takes={}", patterns, option.takes);
    if (option.is_file()) {
        text += " files=yes";
    }
    if (option.is_list) {
        text += " list=yes";
    }
    if (!option.words.empty()) {
        text += fmt::format(" words=\"{}\"", words_of({option}));
    }
    return text + " ;;\n";
}

std::string values(const command_facts& program) {
    std::string text =
        "\n# Fails where the word is no option that takes a value.\n_lazult_value() {\n"
        "    takes=1 words= files= list=\n    case $1 in\n";
    for (const command_facts* command : all_commands(program)) {
        for (const option_facts& option : command->options) {
            text += option.takes > 0 ? value_case(command->path, option) : "";
        }
    }
    return text + "        *) return 1 ;;\n    esac\n}\n";
}

}  // namespace

std::string bash_completion(const command_facts& program) {
    std::string text =
        "# SPDX-License-Identifier: BSD-3-Clause\n# `lazult generate bash` writes this file.\n";
    text += lists("_lazult_subcommands", program, names_of_subcommands);
    text += lists("_lazult_options", program, names_of_options);
    text += lists("_lazult_positionals", program,
                  [](const command_facts& command) { return words_of(command.positionals); });
    text += values(program);
    text += followed_by("_lazult_runs", program, rest_kind::program);
    text += followed_by("_lazult_takes_files", program, rest_kind::other_words);
    return text + std::string(reader);
}

}  // namespace lazult::tool
