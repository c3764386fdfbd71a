// SPDX-License-Identifier: BSD-3-Clause
#include "settings/environment.hpp"

#include "lazult/sync/sync.hpp"

#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace lazult::abt {
namespace {

// Written only by read_environment(). The release store of runtime_is_up publishes it.
environment the_environment;

// Returns the text of ABT_<name> or ABT_ENV_<name>, or nullptr if neither is set. The caller must
// use the text at once, because the program may own it (putenv) and change it.
const char* variable(std::string_view name) noexcept {
    for (const std::string_view prefix : {"ABT_", "ABT_ENV_"}) {
        std::array<char, 64> whole{};
        std::snprintf(whole.data(), whole.size(), "%.*s%.*s", static_cast<int>(prefix.size()),
                      prefix.data(), static_cast<int>(name.size()), name.data());
        if (const char* text = ::secure_getenv(whole.data()); text != nullptr) {
            return text;
        }
    }
    return nullptr;
}

// Compares without regard to the case of letters. Returns false if `text` is null.
bool is_one_of(const char* text, std::initializer_list<const char*> words) noexcept {
    return text != nullptr && std::any_of(words.begin(), words.end(), [text](const char* word) {
               return ::strcasecmp(text, word) == 0;
           });
}

// Reads a boolean. A text that is neither yes nor no counts as the opposite of the default, as in
// Argobots.
bool boolean(std::string_view name, bool by_default) noexcept {
    const char* const text = variable(name);
    if (text == nullptr) {
        return by_default;
    }
    return by_default ? !is_one_of(text, {"0", "n", "no", "false", "off"})
                      : is_one_of(text, {"1", "y", "yes", "true", "on"});
}

// Parses digits, optionally followed by K, M or G. Returns nothing if the text does not begin so.
std::optional<std::uint64_t> parse(const char* text) noexcept {
    char* end = nullptr;
    const std::uint64_t value = std::strtoull(text, &end, 10);
    if (end == text || text[0] == '-') {
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
    const char* const text = variable(name);
    const auto parsed = text != nullptr ? parse(text) : std::nullopt;
    if (parsed) {
        value = static_cast<Number>(std::clamp(*parsed, limits.least, limits.most));
    }
}

constexpr bounds stack_sizes{4096, std::uint64_t{1} << 30};

void read_stack_check(base::settings& settings, environment& told) {
    const char* const text = variable("STACK_OVERFLOW_CHECK");
    if (is_one_of(text, {"mprotect", "mprotect_strict"})) {
        settings.guard = base::guard_kind::mprotect;
        told.stack_overflow_check =
            is_one_of(text, {"mprotect"}) ? guard_check : strict_guard_check;
    } else if (is_one_of(text, {"canary"})) {
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
    if (const char* const pages = variable("MEM_LP_ALLOC"); pages != nullptr) {
        settings.huge_pages = is_one_of(pages, {"mmap_hp_rp", "mmap_hp_thp", "thp"});
    }
}

environment read_rest() {
    environment told;
    // This does not ask topo/, because hwloc does not survive exhausted memory.
    told.max_xstreams = static_cast<unsigned>(os::allowed_processors().size());
    read_number("MAX_NUM_XSTREAMS", {1, 0x7fff'ffff}, told.max_xstreams);
    read_number("SCHED_SLEEP_NSEC", {0, UINT64_MAX}, told.sched_sleep_ns);
    // In Argobots the variable names processors. Here any value but a "no" binds the streams.
    told.affinity = variable("SET_AFFINITY") != nullptr && boolean("SET_AFFINITY", true);
    told.print_config = boolean("PRINT_CONFIG", false);
    told.print_errno = boolean("PRINT_ERRNO", false);
    told.print_raw_stack = boolean("PRINT_RAW_STACK", false);
    return told;
}

}  // namespace

bool read_environment() noexcept {
    return base::has_memory_for([] {
        base::settings settings = base::usual_settings();  // not those of the last ABT_init
        environment told = read_rest();
        read_settings(settings);
        read_stack_check(settings, told);
        base::override_settings(settings);  // fails if other streams run: they keep theirs
        the_environment = told;
    });
}

const environment& current_environment() noexcept { return the_environment; }

}  // namespace lazult::abt
