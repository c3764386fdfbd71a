// SPDX-License-Identifier: BSD-3-Clause
// The manual page, for groff and mandoc.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "lazult/base/base.hpp"
#include "tools/lazult/commands.hpp"
#include "tools/lazult/generate/formats.hpp"

namespace lazult::tool {
namespace {

// Text as roff takes it: a dash that can be searched for, and no request at the beginning of a
// line.
std::string roff(std::string_view text) {
    std::string shown = !text.empty() && (text[0] == '.' || text[0] == '\'') ? "\\&" : "";
    bool is_bold = false;
    for (char c : text) {
        switch (c) {
            case '-': shown += "\\-"; break;
            case '\\': shown += "\\e"; break;
            case '`':
                is_bold = !is_bold;
                shown += is_bold ? "\\fB" : "\\fR";
                break;
            default: shown += c;
        }
    }
    return shown;
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// The text as a sentence: descriptions of options end without a full stop.
std::string sentence(std::string text) {
    if (!text.empty() && text.back() != '.') {
        text += '.';
    }
    return roff(text);
}

std::string item(const std::string& head, const std::string& body) {
    return fmt::format(".TP\n{}\n{}\n", head, body);
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "" : ", ") + word;
    }
    return text;
}

std::string head_of(const option_facts& option) {
    std::string head;
    for (const std::string& name : option.names) {
        head += (head.empty() ? "" : ", ") + bold(name);
    }
    for (int i = 0; i < option.takes && option.names[0][0] == '-'; ++i) {
        head += " " + italic(option.value);
    }
    return head;
}

std::string body_of(const option_facts& option) {
    std::string body = sentence(option.doc);
    if (!option.words.empty()) {
        body += fmt::format("\nValues{}: {}.", option.is_list ? ", separated by commas" : "",
                            roff(joined(option.words)));
    } else if (option.is_list) {
        body += "\nSeveral values are separated by commas.";
    }
    if (!option.limits.empty()) {
        body += fmt::format("\nIts value is {}.", roff(option.limits));
    }
    if (!option.default_value.empty()) {
        body += fmt::format("\nDefault: {}.", roff(option.default_value));
    }
    return body;
}

// CLI11's own names of groups say nothing.
std::string items_of(const std::vector<option_facts>& options) {
    std::string text;
    std::string group;
    for (const option_facts& option : options) {
        const bool is_own = option.group != "Options" && option.group != "Positionals";
        if (is_own && option.group != group) {
            text += fmt::format(".PP\nOptions of {}:\n", bold(option.group));
        }
        group = option.group;
        text += item(head_of(option), body_of(option));
    }
    return text;
}

// Lines that are indented are a list, a name and what it is.
std::string footer_text(std::string_view footer) {
    std::string text;
    bool is_list = true;
    while (!footer.empty()) {
        const std::size_t end = std::min(footer.find('\n'), footer.size());
        const std::string_view row = footer.substr(0, end);
        footer.remove_prefix(std::min(end + 1, footer.size()));
        const std::size_t gap = row.find("  ", 2);
        if (row.starts_with("  ") && gap != row.npos) {
            const std::string_view doc =
                row.substr(std::min(row.find_first_not_of(' ', gap), row.size()));
            text += item(bold(row.substr(2, gap - 2)), roff(doc));
            is_list = true;
        } else if (!row.empty()) {
            text += (is_list ? ".PP\n" : "") + roff(row) + "\n";
            is_list = false;
        }
    }
    return text;
}

std::string usage_of(const command_facts& command) {
    std::string text = bold(command.path);
    if (!command.options.empty()) {
        text += " [" + italic("OPTIONS") + "]";
    }
    for (const option_facts& word : command.positionals) {
        text += fmt::format(" [{}{}]", italic(word.names[0]), word.is_repeated ? "..." : "");
    }
    if (command.rest == rest_kind::program) {
        text += fmt::format(" [{}] {} [{}]", bold("--"), italic("PROGRAM"), italic("ARGUMENTS"));
    } else if (command.rest == rest_kind::other_words) {
        text += fmt::format(" [{}]", italic("WORDS"));
    }
    return text + "\n";
}

std::string synopsis(const std::vector<const command_facts*>& commands) {
    std::string text;
    for (const command_facts* command : commands) {
        text += (text.empty() ? "" : ".br\n") + usage_of(*command);
    }
    return ".SH SYNOPSIS\n" + text;
}

std::string command_section(const command_facts& command) {
    return fmt::format(".SS {}\n{}\n{}{}{}", roff(command.path), sentence(command.doc),
                       items_of(command.positionals), items_of(command.options),
                       footer_text(command.footer));
}

std::string environment() {
    std::string text =
        ".SH ENVIRONMENT\nEach setting of the library has a variable, which every program that "
        "uses Lazult reads when it starts.\n" +
        roff("`lazult info` shows the values in force.") + "\n";
    for (const base::setting_row& row : base::describe_settings()) {
        const std::string body = fmt::format("{}\nIt takes {}\nDefault: {}", sentence(row.doc),
                                             sentence(row.accepted), sentence(row.default_value));
        text += item(bold(row.variable), body);
    }
    return text + ".PP\n" +
           roff(
               "A program that runs with rights that its caller does not have reads no variable.") +
           "\n";
}

std::string exit_status() {
    return ".SH EXIT STATUS\n" + item(bold("0"), "All went well.") +
           item(bold("1"), "The command was understood, and something failed. " +
                               roff("`lazult soak` ends so when something is lost.")) +
           item(bold("2"),
                "The command line is wrong. One line on standard error says what to give.") +
           item(bold("126, 127"),
                roff("`lazult run`, `lazult stacks`: the program cannot be run, or is "
                     "not there. Otherwise the status is the program's own."));
}

struct example {
    std::string_view words;
    std::string_view doc;
};

constexpr std::array examples{
    example{"lazult info", "Show the machine, this build and all settings."},
    example{"lazult run --streams 4 --stats on -- ./program",
            "Run a program on four execution streams, and print its counters at the end."},
    example{"lazult stacks -- ./program",
            "Show how deep the ULTs of a program go, and which stack size would do for them."},
    example{"lazult run --openmp -- ./solver", "Run an OpenMP program over Lazult's libgomp.so.1."},
    example{"lazult run --mpi -- ./solver",
            "Run an MPI program whose blocking calls suspend a ULT alone."},
    example{"lazult bench fork-join --technique all --json before.json",
            "Measure the creation of ULTs by each technique, and keep the figures."},
    example{"lazult bench --compare before.json after.json", "Print the ratios of two such files."},
    example{"lazult soak --minutes 10", "Put mixed load on all doors for ten minutes."},
};

std::string example_section() {
    std::string text = ".SH EXAMPLES\n";
    for (const example& each : examples) {
        text += item(bold(each.words), roff(each.doc));
    }
    return text;
}

}  // namespace

std::string man_page(const command_facts& program) {
    const std::vector<const command_facts*> commands = all_commands(program);
    // No date: the page would change with the day of the build.
    std::string text = fmt::format(
        ".\\\" SPDX-License-Identifier: BSD-3-Clause\n.\\\" `lazult generate man` writes this "
        "file.\n"
        ".TH LAZULT 1 \"\" \"Lazult {}\" \"User Commands\"\n.SH NAME\nlazult \\- {}\n",
        version(), roff("show, run and measure lightweight threads"));
    text += synopsis(commands);
    text += ".SH DESCRIPTION\n" + sentence(program.doc) + "\n" +
            roff(
                "The command shows what the library finds on this machine, runs programs with "
                "settings of the "
                "library, and measures.") +
            "\n" + items_of(program.options);
    text += ".SH COMMANDS\n";
    for (const command_facts* command : commands) {
        text += command == &program ? "" : command_section(*command);
    }
    return text + environment() + exit_status() + example_section() +
           ".SH SEE ALSO\n.BR gdb (1),\n.BR mpiexec (1),\n.BR perf (1),\n.BR taskset (1),\n.BR "
           "pthreads "
           "(7)\n";
}

}  // namespace lazult::tool
