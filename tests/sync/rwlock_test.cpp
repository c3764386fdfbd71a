// SPDX-License-Identifier: BSD-3-Clause
#include "tests/sync/harness.hpp"

#include <atomic>
#include <mutex>
#include <shared_mutex>

namespace lazult::testing {
namespace {

using base::status;
using sync::rwlock;

TEST(rwlock, writers_are_alone) {
    on_one_and_two_streams([] {
        rwlock l;
        std::array<long, 4> data{};
        std::atomic<int> inside{0};
        crowd callers;
        const auto write = [&](int) {
            for (int i = 0; i < 100; ++i) {
                const std::unique_lock hold(l);
                EXPECT_EQ(inside.load(), 0);
                for (long& each : data) {
                    ++each;
                    core::yield();
                }
            }
        };
        const auto read = [&](int) {
            for (int i = 0; i < 100; ++i) {
                const std::shared_lock hold(l);
                inside.fetch_add(1);
                core::yield();
                for (const long each : data) {
                    EXPECT_EQ(each, data[0]);
                }
                inside.fetch_sub(1);
            }
        };
        callers.threads(1, write);
        callers.threads(1, read);
        callers.ults(3, write);
        callers.ults(6, read);
        callers.join();
        EXPECT_EQ(data[0], 400);
        EXPECT_FALSE(l.is_locked());
        EXPECT_EQ(l.readers(), 0U);
    });
}

// None of them leaves before all are there.
TEST(rwlock, readers_of_all_kinds_are_inside_at_once) {
    on_one_and_two_streams([] {
        constexpr int count = 5;
        rwlock l;
        std::atomic<int> came{0};
        crowd callers;
        const auto read = [&](int) {
            const std::shared_lock hold(l);
            came.fetch_add(1);
            EXPECT_TRUE(wait_for([&] { return came.load() == count; }));
        };
        callers.threads(1, read);
        callers.ults(count - 1, read);
        callers.join();
        EXPECT_EQ(l.readers(), 0U);
    });
}

TEST(rwlock, tries) {
    rwlock l;
    EXPECT_TRUE(l.try_lock_shared());
    EXPECT_TRUE(l.try_lock_shared());
    EXPECT_FALSE(l.try_lock());
    EXPECT_EQ(l.readers(), 2U);
    l.unlock_shared();
    l.unlock_shared();
    EXPECT_TRUE(l.try_lock());
    EXPECT_FALSE(l.try_lock_shared());
    l.unlock();
}

// Readers that come and go all the time, always with one of them inside, do not keep a writer out.
TEST(rwlock, a_writer_does_not_starve) {
    on_one_and_two_streams([] {
        rwlock l;
        std::atomic<bool> written{false};
        std::atomic<int> rounds{0};
        crowd callers;
        callers.ults(6, [&](int) {
            while (!written.load()) {
                const std::shared_lock hold(l);
                rounds.fetch_add(1);
                core::yield();
            }
        });
        core::yield();
        int before = 0;
        int after = 0;
        {
            before = rounds.load();
            const std::unique_lock hold(l);
            after = rounds.load();
        }
        written = true;
        callers.join();
        if (sched::stream_count() == 1) {
            EXPECT_LE(after - before, 6);  // those that were inside, and no more
        }
    });
}

TEST(rwlock, readers_do_not_starve) {
    on_one_and_two_streams([] {
        rwlock l;
        std::atomic<bool> read{false};
        crowd callers;
        callers.ults(6, [&](int) {
            while (!read.load()) {
                const std::unique_lock hold(l);
                core::yield();
            }
        });
        core::yield();
        {
            const std::shared_lock hold(l);
        }
        read = true;
        callers.join();
    });
}

TEST(rwlock, deadlines) {
    on_one_and_two_streams([] {
        rwlock l;
        l.lock();
        crowd callers;
        std::atomic<int> timed_out{0};
        callers.ults(6, [&](int i) {
            const status outcome =
                i % 2 == 0 ? l.lock_until(in_ms(5)) : l.lock_shared_until(in_ms(5));
            timed_out += outcome == status::timed_out ? 1 : 0;
        });
        sync::sleep_for(10 * millisecond);
        EXPECT_TRUE(wait_for([&] { return timed_out.load() == 6; }));
        callers.join();
        l.unlock();
        EXPECT_EQ(l.lock_shared_until(in_ms(1000)), status::ok);
        l.unlock_shared();
    });
}

// The kind for C callers: they lock again for reading what they have locked.
TEST(rwlock, readers_first_lets_a_reader_in_again_before_a_writer_that_waits) {
    on_one_and_two_streams([] {
        sync::readers_first_rwlock l;
        std::atomic<bool> written{false};
        l.lock_shared();
        crowd callers;
        callers.ults(1, [&](int) {
            const std::unique_lock hold(l);
            written = true;
        });
        sync::sleep_for(5 * millisecond);
        EXPECT_EQ(l.lock_shared_until(in_ms(1000)), status::ok);
        EXPECT_TRUE(l.try_lock_shared());
        EXPECT_EQ(l.readers(), 3U);
        EXPECT_FALSE(written.load());
        for (int i = 0; i < 3; ++i) {
            l.unlock_shared();
        }
        callers.join();
        EXPECT_TRUE(written.load());
        EXPECT_TRUE(l.try_lock());
        EXPECT_EQ(l.lock_shared_until(in_ms(2)), status::timed_out);
        l.unlock();
    });
}

// A writer that gives up lets those readers in that waited behind it.
TEST(rwlock, readers_go_on_when_the_writer_gives_up) {
    on_one_and_two_streams([] {
        rwlock l;
        l.lock_shared();
        std::atomic<bool> got_in{false};
        std::atomic<bool> writer_waits{false};
        crowd callers;
        callers.ult([&] {
            writer_waits = true;
            EXPECT_EQ(l.lock_until(in_ms(20)), status::timed_out);
        });
        EXPECT_TRUE(wait_for([&] {
            if (!writer_waits.load() || !l.try_lock_shared()) {
                return writer_waits.load();
            }
            l.unlock_shared();
            return false;
        }));
        callers.ult([&] {
            l.lock_shared();
            got_in = true;
            l.unlock_shared();
        });
        EXPECT_TRUE(wait_for([&] { return got_in.load(); }));
        l.unlock_shared();
        callers.join();
    });
}

TEST(rwlock, deadlines_race_with_hand_overs) {
    on_one_and_two_streams([] {
        rwlock l;
        std::atomic<int> readers{0};
        int writes = 0;
        std::atomic<int> written{0};
        crowd callers;
        const auto body = [&](int who) {
            for (int i = 0; i < 150; ++i) {
                const std::int64_t limit = sync::deadline_after((who * 7 + i) % 40 * 1000);
                if ((who + i) % 3 == 0) {
                    if (l.lock_until(limit) == status::ok) {
                        EXPECT_EQ(readers.load(), 0);
                        ++writes;
                        core::yield();
                        written.fetch_add(1);
                        l.unlock();
                    }
                } else if (l.lock_shared_until(limit) == status::ok) {
                    readers.fetch_add(1);
                    core::yield();
                    readers.fetch_sub(1);
                    l.unlock_shared();
                }
            }
        };
        callers.threads(1, body);
        callers.ults(8, body);
        callers.join();
        EXPECT_EQ(writes, written.load());
        EXPECT_TRUE(l.try_lock());
        l.unlock();
    });
}

}  // namespace
}  // namespace lazult::testing
