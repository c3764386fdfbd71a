// SPDX-License-Identifier: BSD-3-Clause
// Creates units and makes them ready: parent first (the default) or child first. Revives units.
#pragma once

#include "lazult/core/worker/steal_lane.hpp"

namespace lazult::core {

// What units are created with. Composed once, used for any number of units.
class unit_attributes {
public:
    unit_attributes() noexcept { compose(); }
    explicit unit_attributes(technique how, std::size_t stack_bytes = 0) noexcept : how_(how) {
        stack_class_ = stack_bytes == 0 ? std::uint8_t{0} : stack_class_for(stack_bytes);
        compose();
    }

    unit_attributes& priority(std::uint8_t value) noexcept {
        header_.priority = header_on_stack_.priority = value;
        return *this;
    }
    unit_attributes& user_bits(std::uint16_t value) noexcept {
        header_.user_bits = header_on_stack_.user_bits = value;
        return *this;
    }
    // Sets a stack from adopt_user_stack(); the unit is fully fledged from its start.
    unit_attributes& user_stack(stack* s) noexcept {
        user_stack_ = s;
        how_ = technique::lazy_stack;
        compose();
        return *this;
    }
    // For a scheduler's own unit.
    unit_attributes& of_host() noexcept {
        header_.flags |= flag_host;
        header_on_stack_.flags |= flag_host;
        return unobserved();
    }
    // For units of the runtime itself: they are neither counted nor traced.
    unit_attributes& unobserved() noexcept {
        kind_ = usual_kind();
        return *this;
    }

    const unit_header& header() const noexcept { return header_; }
    // The header of an adaptive unit that gets a stack of its own.
    const unit_header& header_on_stack() const noexcept { return header_on_stack_; }
    stack* its_stack() const noexcept { return user_stack_; }
    // What else prepare() has to do: adaptive makes a plan, full takes a stack. Units that are
    // counted or traced have kinds of their own, so that prepare() need not check all other units
    // for that.
    enum class kind : std::uint8_t {
        plain,
        planned,
        with_stack,
        on_users_stack,
        observed_plain,
        observed_planned,
        observed_with_stack,
        observed_on_users_stack,
    };
    kind what() const noexcept { return kind_; }
    kind usual_kind() const noexcept { return usual(kind_); }
    static constexpr kind usual(kind what) noexcept {
        constexpr auto observed = static_cast<std::uint8_t>(kind::observed_plain);
        return static_cast<kind>(static_cast<std::uint8_t>(what) % observed);
    }

private:
    void compose() noexcept;

    unit_header header_;
    unit_header header_on_stack_;
    technique how_ = technique::adaptive;
    // 0: the size is LAZULT_STACK_SIZE, or a scheduler's for units that may not suspend
    std::uint8_t stack_class_ = 0;
    kind kind_ = kind::plain;
    stack* user_stack_ = nullptr;
};

// The class of LAZULT_STACK_SIZE, that of a scheduler's stack, and whether a joiner may call a unit
// on the joiner's stack. Written by refresh_defaults() before any stream runs.
extern std::uint8_t default_stack_class;
extern std::uint8_t default_tasklet_class;
extern bool joiners_lend_stacks;
void refresh_defaults() noexcept;

// take_stack_for() is the rest of prepare() for `full`. Returns nullptr when memory is exhausted.
work_unit* give_up_without_stack(worker& w, work_unit* u) noexcept;
LAZULT_ALWAYS_INLINE work_unit* take_stack_for(worker& w, work_unit* u) noexcept {
    u->stk = w.stacks.allocate(u->header.stack_class);
    if (u->stk == nullptr) LAZULT_UNLIKELY {
        return give_up_without_stack(w, u);
    }
    u->notes.store(owns_stack, std::memory_order_relaxed);
    return u;
}

// The rest of prepare() for units that are counted or traced. Sets the header, too.
work_unit* finish_observed(worker& w, work_unit* u, const unit_attributes& attributes) noexcept;

// Returns the first join word of a unit that goes into the caller's own lane: local or biased.
constexpr join_word<>::value initial_word(bool is_local) noexcept {
    static_assert(join_word<>::biased == 0 && join_word<>::local == 1, "no branch");
    return is_local;
}

// Fills a fresh descriptor, except for its header.
LAZULT_ALWAYS_INLINE work_unit* fill(work_unit* u, pool& home, entry_function entry, void* argument,
                                     join_word<>::value initial) noexcept {
    u->entry = entry;
    u->argument = argument;
    u->home = &home;
    u->context = nullptr;
    if constexpr (probe::tsan) {
        // clang would make one memset of both stores, and ThreadSanitizer watches each memset
        u = base::anew(u);
    }
    u->stk = nullptr;
    u->join.reset(initial);
    u->clear_words();
    u->set_ready_at_first();
    return base::anew(u);
}

// Sets the header of an adaptive unit, and makes the unit a sample if one is due.
LAZULT_ALWAYS_INLINE work_unit* plan(worker& w, work_unit* u,
                                     const unit_attributes& attributes) noexcept {
    u->header =
        w.predict.wants_stack(u->entry) ? attributes.header_on_stack() : attributes.header();
    if (predictor::is_due(*u, w.count)) LAZULT_UNLIKELY {
        w.predict.take_sample(*u, w.count);
    }
    return u;
}

// Creates a unit, which nobody else knows yet. Returns nullptr when memory is exhausted. The kinds
// that are neither counted nor traced come first, so that they cost nothing more where counting and
// tracing are off. A unit of an observed kind that is not traced now takes a second round of the
// loop, as the kind that it would be otherwise.
LAZULT_ALWAYS_INLINE work_unit* prepare(worker& w, pool& home, entry_function entry, void* argument,
                                        const unit_attributes& attributes) noexcept {
    work_unit* u = w.descriptors.allocate();
    if (u == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    u = fill(u, home, entry, argument, join_word<>::biased);
    using kind = unit_attributes::kind;
    for (kind what = attributes.what();; what = unit_attributes::usual(what)) {
        if (what == kind::plain) {
            u->header = attributes.header();
            return u;
        }
        if (what == kind::planned) {
            return plan(w, u, attributes);
        }
        if (what == kind::with_stack) {
            u->header = attributes.header();
            return take_stack_for(w, u);
        }
        if (what == kind::on_users_stack) LAZULT_UNLIKELY {
            u->header = attributes.header();
            u->stk = attributes.its_stack();
            return u;
        }
        if (!w.tracing.skips_one()) LAZULT_UNLIKELY {
            return finish_observed(w, u, attributes);
        }
    }
}

// Returns the header that an adaptive unit gets; nullptr if it would take a call to find that out.
LAZULT_ALWAYS_INLINE const unit_header* plan_at_once(const worker& w, entry_function entry,
                                                     const unit_attributes& attributes) noexcept {
    const auto wants_stack = w.predict.knows_to_want_stack(entry);
    return wants_stack == predictor::answer::no    ? &attributes.header()
           : wants_stack == predictor::answer::yes ? &attributes.header_on_stack()
                                                   : nullptr;
}

// Returns the descriptor that a unit would get without a call, or nullptr. `at_once`: it must have
// a node already, because there may be no memory for one when the unit first comes to a shared
// queue.
enum class node_of_unit : bool { as_needed, at_once };
LAZULT_ALWAYS_INLINE work_unit* descriptor_at_hand(const worker& w, node_of_unit node) noexcept {
    work_unit* u = w.descriptors.first_at_hand();
    return u != nullptr && (node == node_of_unit::as_needed || u->node != nullptr) ? u : nullptr;
}
// Returns as_needed for a local unit, which only the owner of its pool runs, and else at_once.
LAZULT_ALWAYS_INLINE node_of_unit node_unless(bool is_local) noexcept {
    return is_local ? node_of_unit::as_needed : node_of_unit::at_once;
}

// prepare() without a single call, for units that need no stack now, so that a function that does
// nothing else has no frame. Returns nullptr, and takes no descriptor, if a call would be needed.
// `is_local`: the pool confines the unit.
LAZULT_ALWAYS_INLINE work_unit* prepare_at_once(worker& w, pool& home, entry_function entry,
                                                void* argument, const unit_attributes& attributes,
                                                bool is_local, node_of_unit node) noexcept {
    using kind = unit_attributes::kind;
    work_unit* u = descriptor_at_hand(w, node);
    if (u == nullptr) LAZULT_UNLIKELY {
        return nullptr;
    }
    bool is_plain = attributes.what() == kind::plain;
    bool is_planned = attributes.what() == kind::planned;
    if (!is_plain && !is_planned) LAZULT_UNLIKELY {
        is_plain = attributes.what() == kind::observed_plain;
        is_planned = attributes.what() == kind::observed_planned;
        if ((!is_plain && !is_planned) || !w.tracing.skips_one()) {
            return nullptr;
        }
    }
    const unit_header* header =
        is_plain ? &attributes.header() : plan_at_once(w, entry, attributes);
    const bool is_due = is_planned && predictor::is_due(*u, w.count);
    if (header == nullptr || (is_due && !w.predict.is_amid_window(entry))) LAZULT_UNLIKELY {
        return nullptr;
    }
    w.descriptors.take_first();
    u = fill(u, home, entry, argument, initial_word(is_local));
    u->header = *header;
    if (is_due) LAZULT_UNLIKELY {
        w.predict.take_sample_amid_window(*u);
    }
    return u;
}
// prepare_at_once() for a unit of kind::plain, about which nothing has to be decided.
LAZULT_ALWAYS_INLINE work_unit* prepare_plain_at_once(worker& w, pool& home, entry_function entry,
                                                      void* argument, unit_header header,
                                                      bool is_local) noexcept {
    work_unit* u = descriptor_at_hand(w, node_unless(is_local));
    if (u != nullptr) LAZULT_LIKELY {
        w.descriptors.take_first();
        u = fill(u, home, entry, argument, initial_word(is_local));
        u->header = header;
    }
    return u;
}

// Makes a prepared unit available in a pool that is private to the caller's stream and confines its
// units. So the unit is local, and runs here, but not before the caller gives way. Nobody else
// knows the unit yet.
LAZULT_ALWAYS_INLINE void launch_here(work_unit* u, pool& home) noexcept {
    LAZULT_ASSERT(home.confines());
    probe::release(u);
    u = base::anew(u);
    u->join.reset(join_word<>::local);
    home.push_local(u);
}
// launch_here() for a unit that got its join word, local or not, at its preparation.
LAZULT_ALWAYS_INLINE void launch_here_as_prepared(work_unit* u, pool& home) noexcept {
    probe::release(u);
    home.push_local(u);
}
// Pushes a prepared unit that does not go into a lane here. Nobody else knows the unit yet.
void push_first(worker& w, work_unit* u) noexcept;
// push_first() for a unit that already stands in a list, so that other threads may know it.
void push_known_first(worker& w, work_unit* u) noexcept;
// Makes a prepared unit available: parent first. Nobody else knows the unit yet. It may have run
// and ended when this returns. In a private pool it is local from now on. `home` must not be a
// biased pool: call launch_open() for that.
LAZULT_ALWAYS_INLINE void launch(worker& w, work_unit* u, pool& home) noexcept {
    if (home.is_private_to(&w)) LAZULT_LIKELY {
        launch_here(u, home);
        return;
    }
    probe::release(u);
    if (w.lane == nullptr || !w.lane->is_open_for(&home) || !w.lane->push(u)) {
        push_first(w, u);
    }
}
LAZULT_ALWAYS_INLINE void launch(worker& w, work_unit* u) noexcept { launch(w, u, *u->home); }
// launch() for a unit that was detached or is waited for already, or that must never be local: see
// join_word.hpp.
LAZULT_ALWAYS_INLINE void launch_open(worker& w, work_unit* u) noexcept {
    probe::release(u);
    pool& home = *u->home;
    if (home.is_private_to(&w)) LAZULT_LIKELY {
        if (&home != w.fast_pool) LAZULT_UNLIKELY {
            // Otherwise a joiner on this thread would take the unit to be biased towards another
            // thread.
            u->join.open();
        }
        home.push_local(u);
    } else if (w.lane == nullptr || !w.lane->is_open_for(&home) || !w.lane->push(u)) {
        push_known_first(w, u);
    }
}
// launch_open() for streams that look for work at present. In a work-stealing pool they find the
// unit without asking the owner. No stream is woken.
inline void launch_to_seekers(worker& w, work_unit* u) noexcept {
    u->join.open();
    probe::release(u);
    u->home->push_silently(&w, u);
}

// Starts a prepared unit at once in place of the caller, which becomes ready: child first. If the
// caller cannot suspend, launches the unit parent first. full, lazy_stack and return_on_completion
// are used as asked for; the techniques that need a stateless parent become return_on_completion.
void launch_child_first(work_unit* u);

// Makes a finished, joined unit ready again with another function. Its attributes stay.
base::status revive(work_unit* u, pool& home, entry_function entry, void* argument) noexcept;
// revive() that does not check the unit, and does not make it ready. The caller does so afterwards,
// or starts the unit by launch_child_first().
void renew(work_unit* u, pool& home, entry_function entry, void* argument) noexcept;

}  // namespace lazult::core
