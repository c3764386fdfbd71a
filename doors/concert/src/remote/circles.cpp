// SPDX-License-Identifier: BSD-3-Clause
// A method that waits to be inside an object has callers, and each of these may be inside another
// object. Then that one is not free before this one is: an edge from the object that is held to the
// object that is wanted. A circle of such edges is a deadlock. Callers are found by following
// continuations, from context to context, over strands and ranks. Source: Chandy, Misra and Haas,
// "Distributed Deadlock Detection" (1983), from whom the edges come; here one rank gathers them.
#include "remote/circles.hpp"

#include "contexts/strand.hpp"
#include "objects/objects.hpp"

#include "lazult/base/base.hpp"

#include <lazult_concert_objects.hpp>

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace lazult::concert {
namespace {

// An object as the report names it.
struct known_object {
    detail::object_words name;
    std::string type;
};

struct edge {
    known_object held;
    known_object wanted;
    std::uint64_t waiting = 0;  // how many methods wait for the wanted one
};

// Callers of a waiting method that are in another strand.
struct open_end {
    detail::continuation_words at;
    known_object wanted;
    std::uint64_t waiting = 0;
};

struct findings {
    std::vector<edge> edges;
    std::vector<open_end> open;
};

}  // namespace

template <>
struct transfer<known_object> {
    static void put(packer& to, const known_object& o) {
        transfer<detail::object_words>::put(to, o.name);
        transfer<std::string>::put(to, o.type);
    }
    static known_object get(unpacker& from) {
        return known_object{transfer<detail::object_words>::get(from),
                            transfer<std::string>::get(from)};
    }
};
template <>
struct transfer<edge> {
    static void put(packer& to, const edge& e) {
        transfer<known_object>::put(to, e.held);
        transfer<known_object>::put(to, e.wanted);
        transfer<std::uint64_t>::put(to, e.waiting);
    }
    static edge get(unpacker& from) {
        return edge{transfer<known_object>::get(from), transfer<known_object>::get(from),
                    transfer<std::uint64_t>::get(from)};
    }
};
template <>
struct transfer<open_end> {
    static void put(packer& to, const open_end& o) {
        transfer<detail::continuation_words>::put(to, o.at);
        transfer<known_object>::put(to, o.wanted);
        transfer<std::uint64_t>::put(to, o.waiting);
    }
    static open_end get(unpacker& from) {
        return open_end{transfer<detail::continuation_words>::get(from),
                        transfer<known_object>::get(from), transfer<std::uint64_t>::get(from)};
    }
};
template <>
struct transfer<findings> {
    static void put(packer& to, const findings& f) {
        transfer<std::vector<edge>>::put(to, f.edges);
        transfer<std::vector<open_end>>::put(to, f.open);
    }
    static findings get(unpacker& from) {
        return findings{transfer<std::vector<edge>>::get(from),
                        transfer<std::vector<open_end>>::get(from)};
    }
};

namespace {

std::string readable(const std::type_info& type) {
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr), &std::free);
    return text == nullptr ? type.name() : text.get();
}

known_object known(const detail::object_header& h) {
    return {detail::words_of(h), readable(*h.type->name)};
}

// Goes from caller to caller as far as they are in the strand that this runs inside.
void follow(open_end from, findings& into) {
    const detail::strand_data& in = *detail::here.inside;
    detail::continuation_words at = from.at;
    while (const detail::context* const c = context_above(in, at)) {
        if (c->holds_object) {
            const auto* const held = reinterpret_cast<const detail::object_header*>(c->next);
            into.edges.push_back({known(*held), from.wanted, from.waiting});
        }
        at = detail::continuation_of(*c);
    }
    const bool is_elsewhere =
        at.kind() == detail::target_kind::future || at.kind() == detail::target_kind::counter;
    if (is_elsewhere && (static_cast<std::uint32_t>(at.where) & 0xffffff) != in.home) {
        into.open.push_back({at, std::move(from.wanted), from.waiting});
    }
}

// The methods of the program. They are called by messages of one rank to all.
findings look_at_strand() {
    findings found;
    for (const detail::object_waiter* q = first_queue(); q != nullptr; q = q->next_queue) {
        std::uint64_t waiting = 0;
        for (const detail::object_waiter* w = q; w != nullptr; w = w->behind) {
            ++waiting;
        }
        for (const detail::object_waiter* w = q; w != nullptr; w = w->behind) {
            follow({w->to, known(*q->of), waiting}, found);
        }
    }
    return found;
}
findings follow_further(open_end from) {
    findings found;
    follow(std::move(from), found);
    return found;
}

// All edges of all ranks.
task<std::vector<edge>> gather() {
    std::vector<edge> all;
    std::vector<open_end> open;
    const auto take = [&](findings f) {
        std::move(f.edges.begin(), f.edges.end(), std::back_inserter(all));
        std::move(f.open.begin(), f.open.end(), std::back_inserter(open));
    };
    for (std::uint32_t r = 0; r < detail::count_of_ranks(); ++r) {
        for (std::uint32_t s = 0; s < most_strands; ++s) {
            take(co_await call(place{r, s}, look_at_strand));
        }
    }
    while (!open.empty()) {
        const open_end next = std::move(open.back());
        open.pop_back();
        take(co_await call(place{next.at.rank(), next.at.strand()}, follow_further, next));
    }
    co_return all;
}

// The edges of a circle, or none.
class circle_search {
public:
    explicit circle_search(const std::vector<edge>& all) : all_(all) {}

    std::vector<edge> find() {
        for (const edge& each : all_) {
            if (leads_back(each, each.held.name)) {
                return path_;
            }
        }
        return {};
    }

private:
    bool leads_back(const edge& by, const detail::object_words& to) {
        if (!seen_.emplace(by.held.name.target, by.wanted.name.target).second) {
            return false;
        }
        path_.push_back(by);
        if (by.wanted.name == to) {
            return true;
        }
        for (const edge& next : all_) {
            if (next.held.name == by.wanted.name && leads_back(next, to)) {
                return true;
            }
        }
        path_.pop_back();
        return false;
    }

    const std::vector<edge>& all_;
    std::vector<edge> path_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen_;
};

std::string text_of(const known_object& o) {
    return o.type + " at rank " + std::to_string(o.name.home() & 0xffff) + ", strand " +
           std::to_string((o.name.home() >> 16) & 0xff);
}

std::string text_of(const std::vector<edge>& circle) {
    std::string words = "methods wait for each other's objects for ever: ";
    for (const edge& each : circle) {
        words += "a method inside " + text_of(each.held) + " waits for " + text_of(each.wanted) +
                 " (" + std::to_string(each.waiting) + " wait for it); ";
    }
    return words + "call objects in one order, or let a method leave before it calls another";
}

std::vector<edge> circle_now() {
    const std::vector<edge> all = run(gather);
    return circle_search(all).find();
}

}  // namespace

void report_circles() noexcept {
    static constinit ds::default_atomics::atomic<bool> is_searching{false};
    static std::string reported;
    if (is_searching.exchange(true, std::memory_order_acquire)) {  // pairs with: below
        return;
    }
    try {
        const std::string first = text_of(circle_now());
        if (first != text_of(std::vector<edge>()) && first != reported &&
            first == text_of(circle_now())) {
            base::warn(first);
            reported = first;
        }
    } catch (...) {  // no memory, or the session ends: it is looked for again
        static_cast<void>(0);
    }
    is_searching.store(false, std::memory_order_release);  // pairs with: above
}

}  // namespace lazult::concert
