// SPDX-License-Identifier: BSD-3-Clause
// The Argobots door, as programs written to abt.h use it: ULTs and tasklets in pools of several
// kinds, what they wait for, streams that come and go, and calls of <abtx.h> that wait in the
// kernel.
#include <abtx.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include "tools/soak/load.hpp"

namespace {

using lazult::soak::generator;
using lazult::soak::load;

load* all = nullptr;

void check(int outcome, const char* what) {
    all->expect(static_cast<std::uint64_t>(outcome), ABT_SUCCESS, what);
}

struct site {
    std::vector<ABT_pool> pools;
    ABT_pool any(generator& random) const {
        return pools[random.below(static_cast<unsigned>(pools.size()))];
    }
};

void maybe_yield(generator& random) {
    if (random.below(4) == 0) {
        ABT_thread_yield();
    }
}

// A unit's argument, in the creator's own memory.
struct job {
    std::uint64_t seed = 0;
    std::atomic<std::uint64_t>* sum = nullptr;
    void* shared = nullptr;
    std::uint64_t number = 0;
};

struct crew {
    std::vector<job> jobs;
    std::vector<ABT_thread> units;

    crew(const site& where, generator& random, unsigned count, void (*body)(void*),
         std::atomic<std::uint64_t>* sum, void* shared = nullptr)
        : jobs(count), units(count, ABT_THREAD_NULL) {
        for (unsigned i = 0; i < count; ++i) {
            jobs[i] = {random.next(), sum, shared, i};
            check(ABT_thread_create(where.any(random), body, &jobs[i], ABT_THREAD_ATTR_NULL,
                                    &units[i]),
                  "ABT_thread_create");
        }
    }
    void end(generator& random) {
        if (random.below(2) == 0) {
            check(ABT_thread_join_many(static_cast<int>(units.size()), units.data()),
                  "ABT_thread_join_many");
        }
        for (ABT_thread& unit : units) {
            check(ABT_thread_free(&unit), "ABT_thread_free");
        }
    }
};

void units(const site& where, generator& random) {
    std::atomic<std::uint64_t> sum{0};
    const unsigned count = 20 + random.below(300);
    crew crew(
        where, random, count,
        [](void* argument) {
            auto* mine = static_cast<job*>(argument);
            generator own(mine->seed);
            maybe_yield(own);
            mine->sum->fetch_add(mine->number);
        },
        &sum);
    std::vector<ABT_task> tasks(count);
    std::vector<job> jobs(count);
    for (unsigned i = 0; i < count; ++i) {
        jobs[i] = {0, &sum, nullptr, i};
        check(ABT_task_create(
                  where.any(random),
                  [](void* argument) {
                      auto* mine = static_cast<job*>(argument);
                      mine->sum->fetch_add(mine->number);
                  },
                  &jobs[i], &tasks[i]),
              "ABT_task_create");
    }
    for (ABT_task& each : tasks) {
        check(ABT_task_free(&each), "ABT_task_free");
    }
    crew.end(random);
    all->expect(sum.load(), std::uint64_t{count} * (count - 1), "sum of ULTs and tasklets");
    all->count(2 * count);
}

struct guarded {
    ABT_mutex mutex = ABT_MUTEX_NULL;
    ABT_cond turn = ABT_COND_NULL;
    ABT_barrier barrier = ABT_BARRIER_NULL;
    ABT_eventual eventual = ABT_EVENTUAL_NULL;
    std::uint64_t counter = 0;
    std::uint64_t next = 0;
};

void locks(const site& where, generator& random) {
    guarded shared;
    std::atomic<std::uint64_t> sum{0};
    const unsigned count = 2 + random.below(10);
    check(ABT_mutex_create(&shared.mutex), "ABT_mutex_create");
    check(ABT_cond_create(&shared.turn), "ABT_cond_create");
    check(ABT_barrier_create(count, &shared.barrier), "ABT_barrier_create");
    check(ABT_eventual_create(sizeof(std::uint64_t), &shared.eventual), "ABT_eventual_create");
    crew crew(
        where, random, count,
        [](void* argument) {
            auto* mine = static_cast<job*>(argument);
            auto* s = static_cast<guarded*>(mine->shared);
            generator own(mine->seed);
            for (int i = 0; i < 50; ++i) {
                ABT_mutex_lock(s->mutex);
                ++s->counter;
                maybe_yield(own);
                ABT_mutex_unlock(s->mutex);
            }
            ABT_barrier_wait(s->barrier);
            ABT_mutex_lock(s->mutex);
            while (s->next != mine->number) {
                ABT_cond_wait(s->turn, s->mutex);
            }
            ++s->next;
            ABT_cond_broadcast(s->turn);
            ABT_mutex_unlock(s->mutex);
            std::uint64_t* value = nullptr;
            ABT_eventual_wait(s->eventual, reinterpret_cast<void**>(&value));
            mine->sum->fetch_add(*value);
        },
        &sum, &shared);
    std::uint64_t seven = 7;
    check(ABT_eventual_set(shared.eventual, &seven, sizeof seven), "ABT_eventual_set");
    crew.end(random);
    all->expect(shared.counter, std::uint64_t{50} * count, "turns under an ABT_mutex");
    all->expect(shared.next, count, "units that came in turn");
    all->expect(sum.load(), std::uint64_t{7} * count, "values of an eventual");
    ABT_eventual_free(&shared.eventual);
    ABT_barrier_free(&shared.barrier);
    ABT_cond_free(&shared.turn);
    ABT_mutex_free(&shared.mutex);
    all->count(std::uint64_t{50} * count);
}

// Each unit goes round the pools, and is run again when it has ended.
void migrations(const site& where, generator& random) {
    std::atomic<std::uint64_t> sum{0};
    site places = where;
    const unsigned count = 5 + random.below(40);
    const auto body = [](void* argument) {
        auto* mine = static_cast<job*>(argument);
        const auto* s = static_cast<const site*>(mine->shared);
        generator own(mine->seed);
        for (int i = 0; i < 4; ++i) {
            ABT_self_set_associated_pool(s->any(own));
            ABT_thread_yield();
        }
        mine->sum->fetch_add(1);
    };
    crew crew(where, random, count, body, &sum, &places);
    for (unsigned i = 0; i < count; ++i) {
        check(ABT_thread_join(crew.units[i]), "ABT_thread_join");
        check(ABT_thread_revive(where.any(random), body, &crew.jobs[i], &crew.units[i]),
              "ABT_thread_revive");
    }
    crew.end(random);
    all->expect(sum.load(), std::uint64_t{2} * count, "units that went round the pools");
    all->count(std::uint64_t{2} * count);
}

void streams(const site& where, generator& random) {
    if (!load::may_make_os_threads(random)) {
        return;
    }
    constexpr std::array kinds{ABT_SCHED_BASIC, ABT_SCHED_PRIO, ABT_SCHED_BASIC_WAIT};
    ABT_pool own = ABT_POOL_NULL;
    check(ABT_pool_create_basic(ABT_POOL_FIFO, ABT_POOL_ACCESS_MPMC, ABT_FALSE, &own),
          "ABT_pool_create_basic");
    ABT_xstream stream = ABT_XSTREAM_NULL;
    check(ABT_xstream_create_basic(kinds[random.below(kinds.size())], 1, &own,
                                   ABT_SCHED_CONFIG_NULL, &stream),
          "ABT_xstream_create_basic");
    std::atomic<std::uint64_t> sum{0};
    const site here{{own}};
    const unsigned count = 10 + random.below(100);
    crew crew(
        here, random, count,
        [](void* argument) {
            ABT_thread_yield();
            static_cast<job*>(argument)->sum->fetch_add(1);
        },
        &sum);
    crew.end(random);
    check(ABT_xstream_join(stream), "ABT_xstream_join");
    check(ABT_xstream_free(&stream), "ABT_xstream_free");
    check(ABT_pool_free(&own), "ABT_pool_free");
    all->expect(sum.load(), count, "units of a stream that comes and goes");
    all->count(count);
    static_cast<void>(where);
}

// --- what waits in the kernel

// One call in three has a limit, which may end it.
const timespec* any_limit(generator& random, timespec& memory) {
    if (random.below(3) != 0) {
        return nullptr;
    }
    constexpr long second = 1'000'000'000;
    clock_gettime(CLOCK_REALTIME, &memory);
    memory.tv_nsec += random.below(300'000);
    memory.tv_sec += memory.tv_nsec / second;
    memory.tv_nsec %= second;
    return &memory;
}

// Moves all bytes in parts of any size. move(done, some, limit, result) is one of the calls.
template <class Move>
void move_all(generator& random, std::size_t bytes, const char* what, Move move) {
    for (std::size_t done = 0; done < bytes;) {
        const std::size_t some = std::min<std::size_t>(bytes - done, 1 + random.below(20'000));
        timespec memory{};
        ssize_t moved = 0;
        const int outcome = move(done, some, any_limit(random, memory), &moved);
        if (outcome == ABT_ERR_COND_TIMEDOUT) {
            all->expect(static_cast<std::uint64_t>(-moved), ETIMEDOUT, what);
            continue;
        }
        check(outcome, what);
        all->expect(moved > 0, true, what);
        done += static_cast<std::size_t>(moved);
    }
}

struct flow {
    int ends[2] = {-1, -1};
    std::string sent;
};

void write_flow(generator& random, const flow& to) {
    move_all(random, to.sent.size(), "ABTX_io_write",
             [&](std::size_t done, std::size_t some, const timespec* until, ssize_t* moved) {
                 return ABTX_io_write(to.ends[1], to.sent.data() + done, some, until, moved);
             });
}
bool reads_the_same(generator& random, const flow& from) {
    std::string got(from.sent.size(), '\0');
    move_all(random, got.size(), "ABTX_io_read",
             [&](std::size_t done, std::size_t some, const timespec* until, ssize_t* moved) {
                 return ABTX_io_read(from.ends[0], got.data() + done, some, until, moved);
             });
    return got == from.sent;
}

std::vector<flow> make_flows(generator& random, unsigned count) {
    std::vector<flow> made(count);
    for (flow& each : made) {
        all->expect(::pipe2(each.ends, O_CLOEXEC) == 0, true, "pipe2");
        each.sent.resize(1 + random.below(300'000));
        for (char& byte : each.sent) {
            byte = static_cast<char>(random.below(256));
        }
        for (const int end : each.ends) {
            int result = 0;
            check(ABTX_io_adopt(end, &result), "ABTX_io_adopt");
        }
    }
    return made;
}

// Even units write, odd ones read.
void pipes(const site& where, generator& random) {
    const unsigned count = 1 + random.below(6);
    std::vector<flow> flows = make_flows(random, count);
    std::atomic<std::uint64_t> right{0};
    crew crew(
        where, random, 2 * count,
        [](void* argument) {
            auto* mine = static_cast<job*>(argument);
            generator own(mine->seed);
            const flow& ours = static_cast<const flow*>(mine->shared)[mine->number / 2];
            if (mine->number % 2 == 0) {
                write_flow(own, ours);
            } else {
                mine->sum->fetch_add(reads_the_same(own, ours) ? 1 : 0);
            }
        },
        &right, flows.data());
    crew.end(random);
    for (const flow& each : flows) {
        for (const int end : each.ends) {
            int result = 0;
            check(ABTX_io_close(end, &result), "ABTX_io_close");
        }
    }
    all->expect(right.load(), count - (all->spoils_io() ? 1 : 0), "pipes that gave what they got");
    all->count(count);
}

// Moves blocks of its number to a file without a name, and back.
void move_blocks(generator& own, int file, std::uint64_t number) {
    constexpr std::size_t words = 512;
    constexpr std::uint64_t each = 8;
    for (std::uint64_t i = 0; i < each; ++i) {
        const std::uint64_t mark = own.next();
        std::array<std::uint64_t, words> block{};
        block.fill(mark);
        const auto at = static_cast<off_t>((number * each + i) * sizeof block);
        ssize_t moved = 0;
        check(ABTX_io_pwrite(file, block.data(), sizeof block, at, nullptr, &moved),
              "ABTX_io_pwrite");
        all->expect(static_cast<std::uint64_t>(moved), sizeof block, "bytes written");
        block.fill(0);
        check(ABTX_io_pread(file, block.data(), sizeof block, at, nullptr, &moved),
              "ABTX_io_pread");
        all->expect(static_cast<std::uint64_t>(moved), sizeof block, "bytes read");
        all->expect(static_cast<std::uint64_t>(std::count(block.begin(), block.end(), mark)), words,
                    "words of a block that are what was written");
    }
}

void files(const site& where, generator& random) {
    const unsigned count = 1 + random.below(16);
    const char* const folder = std::getenv("TMPDIR");
    int file = -1;
    check(ABTX_io_open(folder != nullptr ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600,
                       &file),
          "ABTX_io_open");
    std::atomic<std::uint64_t> sum{0};
    crew crew(
        where, random, count,
        [](void* argument) {
            auto* mine = static_cast<job*>(argument);
            generator own(mine->seed);
            move_blocks(own, *static_cast<const int*>(mine->shared), mine->number);
            mine->sum->fetch_add(1);
        },
        &sum, &file);
    crew.end(random);
    int result = 0;
    if (random.below(8) == 0) {
        check(ABTX_io_fdatasync(file, &result), "ABTX_io_fdatasync");
    }
    check(ABTX_io_close(file, &result), "ABTX_io_close");
    all->expect(sum.load(), count, "units that moved blocks");
    all->count(count);
}

}  // namespace

int main(int argc, char** argv) {
    load mine("argobots", argc, argv);
    all = &mine;
    // So few helpers are all started soon, and then the number of OS threads is flat.
    ::setenv("LAZULT_IO_HELPERS", "3", 1);
    check(ABT_init(argc, argv), "ABT_init");
    site where;
    std::array<ABT_xstream, 2> xstreams{};
    for (ABT_xstream& each : xstreams) {
        check(ABT_xstream_create(ABT_SCHED_NULL, &each), "ABT_xstream_create");
        where.pools.emplace_back();
        check(ABT_xstream_get_main_pools(each, 1, &where.pools.back()),
              "ABT_xstream_get_main_pools");
    }
    constexpr std::array cases{units, locks, migrations, streams, pipes, files};
    while (mine.next_round()) {
        generator random(mine.seed());
        if (mine.is_first_round()) {
            pipes(where, random);
            files(where, random);
        }
        for (int i = 0; i < 8; ++i) {
            cases[random.below(cases.size())](where, random);
        }
    }
    for (ABT_xstream& each : xstreams) {
        check(ABT_xstream_join(each), "ABT_xstream_join");
        check(ABT_xstream_free(&each), "ABT_xstream_free");
    }
    check(ABT_finalize(), "ABT_finalize");
}
