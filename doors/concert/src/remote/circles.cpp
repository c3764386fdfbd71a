// SPDX-License-Identifier: BSD-3-Clause
// A method that waits to be inside an object has callers, and each of these may be inside another
// object. The held object is not released before the wanted one is: an edge from held to wanted. A
// circle of such edges is a deadlock. Callers are found by following continuations, from context to
// context, over strands and ranks. Source of the edges: Chandy, Misra and Haas, "Distributed
// Deadlock Detection" (1983). Here one rank gathers them.
#include "remote/circles.hpp"

#include "contexts/strand.hpp"
#include "objects/objects.hpp"
#include "remote/circle_search.hpp"

#include "lazult/base/base.hpp"

#include <lazult_concert_objects.hpp>

#include <cxxabi.h>
#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lazult::concert {
namespace {

// A continuation that leads to another strand, where the search must go on.
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

// What the search itself calls in each strand.
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

void search_and_report() noexcept {
    static std::string reported;
    try {
        const std::vector<edge> first = circle_now();
        if (first.empty()) {
            return;
        }
        const std::string words = text_of(first);
        if (words != reported && words == text_of(circle_now())) {
            base::warn(words);
            reported = words;
        }
    } catch (...) {  // no memory, or the session ends: it is looked for again
        static_cast<void>(0);
    }
}

}  // namespace

// In a ULT of its own, because a rank that serves no calls would hold up the caller.
void report_circles() noexcept {
    static constinit ds::default_atomics::atomic<bool> is_searching{false};
    if (is_searching.exchange(true, std::memory_order_acquire)) {  // pairs with: below
        return;
    }
    const auto end = [] {
        is_searching.store(false, std::memory_order_release);  // pairs with: above
    };
    try {
        thread([end] {
            search_and_report();
            end();
        }).detach();
    } catch (...) {  // no memory: it is looked for again
        end();
    }
}

}  // namespace lazult::concert
