// SPDX-License-Identifier: BSD-3-Clause
// A unit in the lane of the joiner's own thread, which takes it out and runs it, and others
// elsewhere. The marks, the claim and its revocation are the shipped ones:
// core/unit/unit_marks.hpp, core/unit/claims.hpp.
#pragma once

#include "lazult/core/core.hpp"
#include "tests/model/unit_end.hpp"

#include <bit>
#include <cstdint>

namespace lazult::model {

constexpr std::uint32_t marked(core::life_state life, core::start_mode started) {
    return std::bit_cast<std::uint32_t>(
        core::running_mark{.life = life, .started = started, .stream_number = 0});
}
inline constexpr std::uint32_t in_place =
    marked(core::life_state::running, core::start_mode::in_place);
inline constexpr std::uint32_t as_usual = marked(core::life_state::running, core::start_mode::full);

template <class Word>
struct biased_unit : ending<Word>, core::unit_marks<biased_unit<Word>> {
    model_atomics::atomic<std::uint32_t> mark{
        marked(core::life_state::ready, core::start_mode::full)};

    explicit biased_unit(run& now) : ending<Word>(now) {
        now.label(mark, "mark");
        this->join.reset(Word::biased);
    }

    void store_mark(std::uint32_t word, std::memory_order order) { mark.store(word, order); }
    std::uint32_t load_mark(std::memory_order order) const { return mark.load(order); }

    void start_as_usual() {
        this->set_started(as_usual);
        this->finish();
    }
    bool claim() { return core::claim_marked(*this, in_place, this->ults_address()); }
    // run_next_in_place() and call_here(); else somebody else runs it later.
    void run_in_place() {
        if (claim()) {
            this->result = 7;
            this->join.finish_in_place();
            return;
        }
        start_as_usual();
    }
    // switch_to_child(): it ends as if the scheduler had started it.
    void switch_to_it() {
        const bool is_mine = claim();
        this->set_started(as_usual);
        this->result = 7;
        const typename Word::value before = this->join.finish();
        if (is_mine) {
            check(before == this->ults_address(), "who claimed it is woken");
        } else if (Word::is_waiter(before)) {
            reinterpret_cast<record*>(before & ~Word::record_tag)->wake();
        }
    }

    void forbid_claims() {
        if (this->join.is_biased()) {
            core::revoke_claims(*this);
        }
    }
    // The joiner sleeps, and is woken. If it may not wait, try_wait() says why.
    void wait_elsewhere() {
        record& me = this->next_record();
        typename Word::value found;
        if (this->join.try_wait(me.as_waiter(), &found)) {
            me.sleep(-1);
            check(this->join.is_finished(), "who waits is woken at the end");
        } else {
            check(found == Word::finished || Word::is_waiter(found), "it is told why");
        }
    }
    void join_elsewhere() {
        forbid_claims();
        wait_elsewhere();
    }
};

}  // namespace lazult::model
