// SPDX-License-Identifier: BSD-3-Clause
#include "environment.hpp"

#include "lazult/sync/sync.hpp"
#include "lazult/topo/topo.hpp"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <new>
#include <optional>
#include <string>
#include <string_view>

namespace lazult::abt {
namespace {

// Written by read_environment() alone, and published by runtime_is_up.
environment the_environment;

// A copy: programs call putenv with memory of their own.
std::optional<std::string> variable(std::string_view name) {
    for (const std::string_view prefix : {"ABT_", "ABT_ENV_"}) {
        if (const char* text = std::getenv((std::string(prefix) + std::string(name)).c_str());
            text != nullptr) {
            return std::string(text);
        }
    }
    return std::nullopt;
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), text) != words.end();
}

// What is neither yes nor no is the opposite of the default: so Argobots has it.
bool boolean(std::string_view name, bool by_default) {
    const auto value = variable(name);
    if (!value) {
        return by_default;
    }
    const std::string text = lower(*value);
    return by_default ? !is_one_of(text, {"0", "n", "no", "false", "off"})
                      : is_one_of(text, {"1", "y", "yes", "true", "on"});
}

// Digits, and a K, M or G perhaps. Nothing if that is not what the text begins with.
std::optional<std::uint64_t> parse(const std::string& text) {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text.c_str(), &end, 10);
    if (end == text.c_str() || text.front() == '-') {
        return std::nullopt;
    }
    switch (*end) {
        case 'k':
        case 'K': return value << 10;
        case 'm':
        case 'M': return value << 20;
        case 'g':
        case 'G': return value << 30;
        default: return value;
    }
}

struct bounds {
    std::uint64_t least;
    std::uint64_t most;
};

template <class Number>
void read_number(std::string_view name, bounds limits, Number& value) {
    const auto text = variable(name);
    const auto parsed = text && !text->empty() ? parse(*text) : std::nullopt;
    if (parsed) {
        value = static_cast<Number>(std::clamp(*parsed, limits.least, limits.most));
    }
}

constexpr bounds stack_sizes{4096, std::uint64_t{1} << 30};

void read_stack_check(base::settings& settings, environment& told) {
    const std::string text = lower(variable("STACK_OVERFLOW_CHECK").value_or(""));
    if (text == "mprotect" || text == "mprotect_strict") {
        settings.guard = base::guard_kind::mprotect;
        told.stack_overflow_check = text == "mprotect" ? guard_check : strict_guard_check;
    } else if (text == "canary") {
        settings.guard = base::guard_kind::canary;
    }
    if (settings.guard == base::guard_kind::none) {
        told.stack_overflow_check = no_check;
    } else if (settings.guard == base::guard_kind::canary) {
        told.stack_overflow_check = canary_check;
    }
}

void read_settings(base::settings& settings) {
    read_number("THREAD_STACKSIZE", stack_sizes, settings.stack_size);
    read_number("SCHED_STACKSIZE", stack_sizes, settings.scheduler_stack_size);
    read_number("SCHED_EVENT_FREQ", {1, 1'000'000}, settings.event_period);
    read_number("MEM_MAX_NUM_STACKS", {0, 1'000'000}, settings.max_cached_stacks);
    if (const auto pages = variable("MEM_LP_ALLOC")) {
        settings.huge_pages = is_one_of(lower(*pages), {"mmap_hp_rp", "mmap_hp_thp", "thp"});
    }
}

environment read_rest() {
    environment told;
    told.max_xstreams = static_cast<unsigned>(topo::machine().processors());
    read_number("MAX_NUM_XSTREAMS", {1, 0x7fff'ffff}, told.max_xstreams);
    read_number("SCHED_SLEEP_NSEC", {0, UINT64_MAX}, told.sched_sleep_ns);
    // Whatever it names, but a "no", is taken as a wish to have streams bound.
    told.affinity = variable("SET_AFFINITY").has_value() && boolean("SET_AFFINITY", true);
    told.print_config = boolean("PRINT_CONFIG", false);
    told.print_errno = boolean("PRINT_ERRNO", false);
    told.print_raw_stack = boolean("PRINT_RAW_STACK", false);
    return told;
}

// As the program had them before the first ABT_init: what a variable changed must not outlive it.
const base::settings& settings_of_the_program() {
    static const base::settings first = base::current_settings();
    return first;
}

}  // namespace

bool read_environment() noexcept {
    try {
        base::settings settings = settings_of_the_program();
        environment told = read_rest();
        read_settings(settings);
        read_stack_check(settings, told);
        base::override_settings(settings);  // busy: other streams run with what they have
        the_environment = told;
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }
}

const environment& current_environment() noexcept { return the_environment; }

}  // namespace lazult::abt
