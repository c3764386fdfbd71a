// SPDX-License-Identifier: BSD-3-Clause
// A unit that ends in a model, and all that may wait for it, over any join word.
#pragma once

#include "lazult/core/core.hpp"
#include "tests/model/model.hpp"

#include <array>
#include <cstdint>

namespace lazult::model {

// core/life/join.cpp, sleeping_thread; and what sync/wait_any.cpp withdraws.
struct alignas(16) record {
    model_var<int> target{0};
    model_atomics::atomic<std::uint32_t> done;

    std::uintptr_t as_waiter() {
        return reinterpret_cast<std::uintptr_t>(this) | core::join_word<model_atomics>::record_tag;
    }
    void wake() {
        check(target == 1, "the record came along");
        done.store(1, std::memory_order_release);
        model_atomics::futex_wake(done, 1);
    }
    // False: the deadline has passed.
    bool sleep(std::int64_t deadline) {
        while (done.load(std::memory_order_acquire) == 0) {
            if (!model_atomics::futex_wait(done, 0, deadline)) {
                return false;
            }
        }
        return true;
    }
};

// A unit and all that may happen to it. The stream that runs continue_joiner() resumes a ULT that
// waits: this is the finisher's stream, or the ULT's own one if the ULT could not register.
template <class Word>
struct ending {
    using value = typename Word::value;

    struct alignas(16) joining_ult {
        model_var<int> context{0};
        int resumed = 0;
    };

    Word join;
    model_var<int> result{0};
    model_var<int> descriptor{0};  // what its runner uses
    model_var<int> handle{0};      // what its owner uses
    joining_ult ult;
    // In truth they live in the waiters' frames. Here they stay, so that a finisher that comes too
    // late reads no memory that is gone. One for each wait: a record that was used is not used
    // again.
    std::array<record, 3> records;
    unsigned records_used = 0;
    int frees = 0;

    explicit ending(run& now) {
        now.label(join, "join word");
        now.label(result, "result");
        now.label(descriptor, "descriptor");
        now.label(handle, "handle");
        now.label(ult.context, "joiner's context");
    }

    record& next_record() {
        record& next = records[records_used++];
        next.target = 1;
        return next;
    }
    value ults_address() { return reinterpret_cast<value>(&ult); }

    // core/switch/finish.hpp, complete() and wake_joiner()
    void finish() {
        result = result + 7;
        descriptor = 1;
        const value before = join.finish();
        if (Word::is_unwaited(before)) {
            return;
        }
        if (before == Word::detached) {
            free();
        } else if (Word::is_unit(before)) {
            check(before == ults_address(), "it is the joiner's address");
            continue_joiner();
        } else {
            reinterpret_cast<record*>(before & ~Word::record_tag)->wake();
        }
    }
    void free() {
        check(result == 7, "who frees the unit sees its results");
        descriptor = 2;
        handle = 2;
        ++frees;
    }
    void joined() {
        check(join.is_finished(), "a joined unit is finished");
        free();
    }
    // core/life/join.cpp, wait_as_unit() and register_joiner()
    void join_as_unit() {
        if (join.is_finished()) {
            free();
            return;
        }
        ult.context = 1;
        value found;
        if (!join.try_wait(ults_address(), &found)) {
            continue_joiner();
        }
    }
    void continue_joiner() {
        check(ult.context == 1, "the joiner's context is saved");
        ++ult.resumed;
        joined();
    }
    // core/life/join.cpp, wait_as_thread(). False: the wait was given up.
    bool join_as_thread(std::int64_t deadline) {
        record& me = next_record();
        value found;
        if (!join.try_wait(me.as_waiter(), &found)) {
            free();
            return true;
        }
        if (!me.sleep(deadline)) {
            if (join.withdraw(me.as_waiter())) {
                me.target = 2;
                return false;
            }
            me.sleep(-1);
        }
        me.target = 2;
        joined();
        return true;
    }
    // core/life/join.cpp, detach()
    void detach() {
        handle = 1;
        value found;
        if (!join.try_detach(&found)) {
            check(found == Word::finished, "nobody waits");
            free();
        }
    }
    void expect_freed_once() {
        check(frees == 1, "one of them frees the unit");
        check(ult.resumed <= 1, "a joiner is resumed once");
    }
};

}  // namespace lazult::model
