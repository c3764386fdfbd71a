// SPDX-License-Identifier: BSD-3-Clause
// The checker itself: for each litmus test, a weak outcome that C++ allows is seen, and one that it
// forbids is not.
#include "tests/model/model.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace lazult {
namespace {

using std::memory_order;
using word = model::model_atomics::atomic<int>;

constexpr memory_order relaxed = std::memory_order_relaxed;
constexpr memory_order acquire = std::memory_order_acquire;
constexpr memory_order release = std::memory_order_release;
constexpr memory_order acq_rel = std::memory_order_acq_rel;
constexpr memory_order seq_cst = std::memory_order_seq_cst;

using outcomes = std::set<std::string>;

// All outcomes of a litmus test; more preemptions than any of them needs.
template <class Body>
outcomes outcomes_of(Body&& body) {
    outcomes seen;
    model::options limits;
    limits.preemptions = 8;
    const model::result found =
        model::explore(limits, [&](model::run& run) { seen.insert(body(run)); });
    EXPECT_FALSE(found.failed) << found.describe();
    EXPECT_TRUE(found.complete);
    return seen;
}

std::string text(std::initializer_list<int> values) {
    std::string all;
    for (const int each : values) {
        all += std::to_string(each);
    }
    return all;
}

outcomes store_buffering(memory_order store, memory_order load) {
    return outcomes_of([=](model::run& run) {
        word x, y;
        int a = -1, b = -1;
        run.thread("a", [&] {
            x.store(1, store);
            a = y.load(load);
        });
        run.thread("b", [&] {
            y.store(1, store);
            b = x.load(load);
        });
        run.join();
        return text({a, b});
    });
}

TEST(litmus, store_buffering) {
    EXPECT_EQ(store_buffering(release, acquire), (outcomes{"00", "01", "10", "11"}));
    EXPECT_EQ(store_buffering(relaxed, relaxed), (outcomes{"00", "01", "10", "11"}));
    EXPECT_EQ(store_buffering(seq_cst, acquire).count("00"), 1U);
    EXPECT_EQ(store_buffering(release, seq_cst).count("00"), 1U);
    EXPECT_EQ(store_buffering(seq_cst, seq_cst), (outcomes{"01", "10", "11"}));
}

outcomes store_buffering_with_exchange(memory_order order) {
    return outcomes_of([=](model::run& run) {
        word x, y;
        int a = -1, b = -1;
        run.thread("a", [&] {
            x.exchange(1, order);
            a = y.load(order == acq_rel ? acquire : order);
        });
        run.thread("b", [&] {
            y.exchange(1, order);
            b = x.load(order == acq_rel ? acquire : order);
        });
        run.join();
        return text({a, b});
    });
}

TEST(litmus, store_buffering_with_read_modify_writes) {
    EXPECT_EQ(store_buffering_with_exchange(acq_rel).count("00"), 1U);
    EXPECT_EQ(store_buffering_with_exchange(seq_cst).count("00"), 0U);
}

outcomes message_passing(memory_order store, memory_order load) {
    return outcomes_of([=](model::run& run) {
        word data, flag;
        int a = -1, b = -1;
        run.thread("writer", [&] {
            data.store(1, relaxed);
            flag.store(1, store);
        });
        run.thread("reader", [&] {
            a = flag.load(load);
            b = data.load(relaxed);
        });
        run.join();
        return text({a, b});
    });
}

TEST(litmus, message_passing) {
    EXPECT_EQ(message_passing(relaxed, relaxed), (outcomes{"00", "01", "10", "11"}));
    EXPECT_EQ(message_passing(release, relaxed).count("10"), 1U);
    EXPECT_EQ(message_passing(relaxed, acquire).count("10"), 1U);
    EXPECT_EQ(message_passing(release, acquire), (outcomes{"00", "01", "11"}));
    EXPECT_EQ(message_passing(seq_cst, seq_cst).count("10"), 0U);
}

// C++ allows "11" with relaxed accesses. Loads of this model never read the future; its memory.hpp
// says so.
TEST(litmus, load_buffering_is_excluded) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x, y;
        int a = -1, b = -1;
        run.thread("a", [&] {
            a = x.load(relaxed);
            y.store(1, relaxed);
        });
        run.thread("b", [&] {
            b = y.load(relaxed);
            x.store(1, relaxed);
        });
        run.join();
        return text({a, b});
    });
    EXPECT_EQ(seen, (outcomes{"00", "01", "10"}));
}

outcomes independent_reads(memory_order store, memory_order load) {
    return outcomes_of([=](model::run& run) {
        word x, y;
        int a = -1, b = -1, c = -1, d = -1;
        run.thread("writes x", [&] { x.store(1, store); });
        run.thread("writes y", [&] { y.store(1, store); });
        run.thread("reads xy", [&] {
            a = x.load(load);
            b = y.load(load);
        });
        run.thread("reads yx", [&] {
            c = y.load(load);
            d = x.load(load);
        });
        run.join();
        return text({a, b, c, d});
    });
}

TEST(litmus, independent_reads_of_independent_writes) {
    EXPECT_EQ(independent_reads(release, acquire).count("1010"), 1U);
    EXPECT_EQ(independent_reads(seq_cst, seq_cst).count("1010"), 0U);
    EXPECT_EQ(independent_reads(seq_cst, seq_cst).count("1011"), 1U);
}

TEST(litmus, coherence_of_reads) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x;
        int a = -1, b = -1;
        run.thread("writer", [&] {
            x.store(1, relaxed);
            x.store(2, relaxed);
        });
        run.thread("reader", [&] {
            a = x.load(relaxed);
            b = x.load(relaxed);
        });
        run.join();
        return text({a, b});
    });
    EXPECT_EQ(seen, (outcomes{"00", "01", "02", "11", "12", "22"}));
}

TEST(litmus, coherence_of_write_and_read) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x;
        int a = -1;
        run.thread("writer", [&] { x.store(1, relaxed); });
        run.thread("both", [&] {
            x.store(2, relaxed);
            a = x.load(relaxed);
        });
        run.join();
        return text({a, x.load(relaxed)});
    });
    // never 12: that would read the older one after its own
    EXPECT_EQ(seen, (outcomes{"22", "21", "11"}));
}

TEST(litmus, read_modify_writes_are_atomic) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x;
        run.thread("a", [&] { x.fetch_add(1, relaxed); });
        run.thread("b", [&] { x.fetch_add(1, relaxed); });
        run.join();
        return text({x.load(relaxed)});
    });
    EXPECT_EQ(seen, outcomes{"2"});
}

// `through_store`: another thread's plain store, not a read-modify-write, stands between release
// and acquire.
outcomes release_sequence(bool through_store) {
    return outcomes_of([=](model::run& run) {
        word data, flag;
        int a = -1, b = -1;
        run.thread("writer", [&] {
            data.store(1, relaxed);
            flag.store(1, release);
        });
        run.thread("middle", [&] {
            int one = 1;
            if (through_store) {
                if (flag.load(relaxed) == 1) flag.store(2, relaxed);
            } else {
                flag.compare_exchange_strong(one, 2, relaxed, relaxed);
            }
        });
        run.thread("reader", [&] {
            a = flag.load(acquire);
            b = data.load(relaxed);
        });
        run.join();
        return text({a, b});
    });
}

TEST(litmus, release_sequences) {
    EXPECT_EQ(release_sequence(false).count("20"), 0U);
    EXPECT_EQ(release_sequence(false).count("21"), 1U);
    EXPECT_EQ(release_sequence(true).count("20"), 1U);
}

// C++20: a plain store of the releasing thread itself ends its release sequence too.
TEST(litmus, own_store_ends_the_release_sequence) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word data, flag;
        int a = -1, b = -1;
        run.thread("writer", [&] {
            data.store(1, relaxed);
            flag.store(1, release);
            flag.store(2, relaxed);
        });
        run.thread("reader", [&] {
            a = flag.load(acquire);
            b = data.load(relaxed);
        });
        run.join();
        return text({a, b});
    });
    EXPECT_EQ(seen.count("20"), 1U);
    EXPECT_EQ(seen.count("10"), 0U);
}

// Note: C++ allows x = y = 1 here with relaxed stores. The model appends each store to the
// modification order when it runs, and does not see that; with seq_cst it is forbidden anyway.
TEST(litmus, two_plus_two_writes) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x, y;
        run.thread("a", [&] {
            x.store(1, relaxed);
            y.store(2, relaxed);
        });
        run.thread("b", [&] {
            y.store(1, relaxed);
            x.store(2, relaxed);
        });
        run.join();
        return text({x.load(relaxed), y.load(relaxed)});
    });
    EXPECT_EQ(seen, (outcomes{"12", "21", "22"}));
}

TEST(litmus, causality_is_transitive) {
    const outcomes seen = outcomes_of([](model::run& run) {
        word x, y, z;
        int a = -1, b = -1, c = -1;
        run.thread("first", [&] {
            x.store(1, relaxed);
            y.store(1, release);
        });
        run.thread("second", [&] {
            a = y.load(acquire);
            z.store(a, release);
        });
        run.thread("third", [&] {
            b = z.load(acquire);
            c = x.load(relaxed);
        });
        run.join();
        return text({b, c});
    });
    EXPECT_EQ(seen.count("10"), 0U);
    EXPECT_EQ(seen.count("11"), 1U);
    EXPECT_EQ(seen.count("00"), 1U);
}

outcomes asymmetric(bool light, bool heavy) {
    return outcomes_of([=](model::run& run) {
        word x, y;
        int a = -1, b = -1;
        run.thread("fast", [&] {
            x.store(1, relaxed);
            if (light) model::model_atomics::light_barrier();
            a = y.load(relaxed);
        });
        run.thread("slow", [&] {
            y.store(1, relaxed);
            if (heavy)
                model::model_atomics::heavy_barrier();
            else
                model::model_atomics::light_barrier();
            b = x.load(relaxed);
        });
        run.join();
        return text({a, b});
    });
}

TEST(litmus, asymmetric_barrier) {
    EXPECT_EQ(asymmetric(true, true), (outcomes{"01", "10", "11"}));
    EXPECT_EQ(asymmetric(false, true).count("00"), 1U);
    EXPECT_EQ(asymmetric(true, false).count("00"), 1U);
}

TEST(litmus, barriers_do_not_order_data) {
    const model::result found = model::explore({}, [](model::run& run) {
        model::model_var<int> data{0};
        word flag;
        run.thread("writer", [&] {
            data = 1;
            flag.store(1, relaxed);
            model::model_atomics::heavy_barrier();
        });
        run.thread("reader", [&] {
            model::model_atomics::heavy_barrier();
            if (flag.load(relaxed) == 1) model::check(data == 1, "data");
        });
        run.join();
    });
    EXPECT_TRUE(found.failed);
    EXPECT_NE(found.failure.find("data race"), std::string::npos) << found.describe();
}

}  // namespace
}  // namespace lazult
