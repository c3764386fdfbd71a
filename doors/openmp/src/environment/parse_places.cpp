// SPDX-License-Identifier: BSD-3-Clause
#include "environment/parse_places.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "environment/parse.hpp"
#include "lazult/topo/topo.hpp"

namespace lazult::omp {
namespace {

// Reads a text from left to right. A function returns false if its part is not what comes next.
class reader {
public:
    explicit reader(std::string_view text) noexcept : text_(trimmed(text)) {}

    bool at_end() const noexcept { return text_.empty(); }
    bool take(char c) noexcept {
        if (text_.empty() || text_.front() != c) {
            return false;
        }
        text_ = trimmed(text_.substr(1));
        return true;
    }
    bool number(long& value) noexcept {
        const auto [end, bad] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
        if (bad != std::errc()) {
            return false;
        }
        text_ = trimmed(text_.substr(static_cast<std::size_t>(end - text_.data())));
        return true;
    }

private:
    std::string_view text_;
};

// Limit of processor numbers, counts and strides, so that no text costs much memory or time.
constexpr long most = 8192;
// The most processors in all places of one interval.
constexpr std::size_t most_listed = std::size_t{1} << 18;

// The `:count:stride` behind a processor or a place.
struct repetition {
    long count = 1;
    long stride = 1;
};

bool read_repetition(reader& in, repetition& how) {
    if (!in.take(':')) {
        return true;
    }
    if (!in.number(how.count) || how.count <= 0 || how.count > most) {
        return false;
    }
    return !in.take(':') || (in.number(how.stride) && how.stride >= -most && how.stride <= most);
}

bool read_processors(reader& in, place& into) {
    const bool excludes = in.take('!');
    long first = 0;
    repetition how;
    if (!in.number(first) || first < 0 || first >= most || !read_repetition(in, how)) {
        return false;
    }
    for (long i = 0; i < how.count; ++i) {
        const auto processor = static_cast<int>(first + i * how.stride);
        if (excludes) {
            std::erase(into, processor);
        } else if (std::find(into.begin(), into.end(), processor) == into.end()) {
            into.push_back(processor);
        }
    }
    return into.size() <= static_cast<std::size_t>(most);
}

bool read_place(reader& in, place& into) {
    if (!in.take('{')) {
        long processor = 0;
        if (!in.number(processor) || processor < 0 || processor >= most) {
            return false;
        }
        into.push_back(static_cast<int>(processor));
        return true;
    }
    do {
        if (!read_processors(in, into)) {
            return false;
        }
    } while (in.take(','));
    return in.take('}');
}

bool read_interval(reader& in, std::vector<place>& into) {
    const bool excludes = in.take('!');
    place first;
    repetition how;
    if (!read_place(in, first) || !read_repetition(in, how)) {
        return false;
    }
    if (excludes) {
        std::erase(into, first);
        return true;
    }
    if (first.size() * static_cast<std::size_t>(how.count) > most_listed) {
        return false;
    }
    for (long i = 0; i < how.count; ++i) {
        place moved = first;
        for (int& processor : moved) {
            processor += static_cast<int>(i * how.stride);
        }
        into.push_back(std::move(moved));
    }
    return true;
}

// Removes processors that this process may not use, and then empty places. Returns nullopt if no
// place is left.
std::optional<std::vector<place>> usable(std::vector<place> all, const std::vector<int>& allowed) {
    for (place& each : all) {
        std::erase_if(
            each, [&](int p) { return !std::binary_search(allowed.begin(), allowed.end(), p); });
    }
    std::erase_if(all, [](const place& each) { return each.empty(); });
    return all.empty() ? std::nullopt : std::optional(std::move(all));
}

std::optional<std::vector<place>> read_list(std::string_view text,
                                            const std::vector<int>& allowed) {
    reader in(text);
    std::vector<place> all;
    do {
        if (!read_interval(in, all)) {
            return std::nullopt;
        }
    } while (in.take(','));
    return in.at_end() ? usable(std::move(all), allowed) : std::nullopt;
}

// Returns the processors in groups. All in a group are within distance `widest` of the first.
std::vector<place> grouped(int widest) {
    const topo::topology& machine = topo::machine();
    std::vector<place> all;
    std::vector<int> firsts;
    for (int p = 0; p < machine.processors(); ++p) {
        const auto same = std::find_if(firsts.begin(), firsts.end(), [&](int first) {
            return machine.distance(first, p) <= widest;
        });
        if (same == firsts.end()) {
            firsts.push_back(p);
            all.push_back({machine.system_processor(p)});
        } else {
            all[static_cast<std::size_t>(same - firsts.begin())].push_back(
                machine.system_processor(p));
        }
    }
    return all;
}

std::optional<std::vector<place>> named_places(std::string_view name) {
    static const std::map<std::string, int, std::less<>> widest = {
        {"threads", 0}, {"cores", 1}, {"ll_caches", 2}, {"numa_domains", 3}, {"sockets", 3}};
    for (const auto& [each, distance] : widest) {
        if (equals(name, each)) {
            return grouped(distance);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::vector<place>> parse_places(std::string_view text,
                                               const std::vector<int>& allowed) {
    text = trimmed(text);
    const std::size_t bracket = text.find('(');
    auto named = named_places(trimmed(text.substr(0, bracket)));
    if (!named) {
        return read_list(text, allowed);
    }
    if (bracket == std::string_view::npos) {
        return named;
    }
    std::string_view rest = text.substr(bracket + 1);
    const std::size_t end = rest.find(')');
    const auto count = parse_number(rest.substr(0, end), 1, UINT_MAX);
    if (!count || end == std::string_view::npos || !trimmed(rest.substr(end + 1)).empty()) {
        return std::nullopt;
    }
    named->resize(std::min<std::size_t>(named->size(), *count));
    return named;
}

std::optional<std::vector<place>> parse_cpu_list(std::string_view text,
                                                 const std::vector<int>& allowed) {
    reader in(text);
    std::vector<place> all;
    while (!in.at_end()) {
        long first = 0;
        if (!in.number(first) || first < 0 || first >= most) {
            return std::nullopt;
        }
        long last = first;
        long stride = 1;
        if (in.take('-') && (!in.number(last) || last < first || last >= most ||
                             (in.take(':') && (!in.number(stride) || stride < 1)))) {
            return std::nullopt;
        }
        for (long p = first; p <= last; p += stride) {
            all.push_back({static_cast<int>(p)});
        }
        in.take(',');
    }
    return usable(std::move(all), allowed);
}

}  // namespace lazult::omp
