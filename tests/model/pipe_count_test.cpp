// SPDX-License-Identifier: BSD-3-Clause
// Model runs of the queue of a pipe's readers: a unit's write wakes a reader without the port, and
// no reader is lost where others write or read beside the units.
#include "lazult/io/edge_queue.hpp"
#include "tests/model/sync_callers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace lazult {
namespace {

using queue = io::inner::edge_queue<model::model_atomics>;
using word = queue::word;

// A pipe as the kernel has it.
class kernel_pipe {
public:
    static constexpr unsigned closed = 1U << 16;

    void write(unsigned bytes) { bytes_.fetch_add(bytes, std::memory_order_acq_rel); }
    void close() { bytes_.fetch_or(closed, std::memory_order_acq_rel); }
    // Returns how many bytes there were, at most so many. 0: none; `closed`: the end.
    unsigned read(unsigned most) {
        unsigned seen = look();
        while ((seen & ~closed) != 0) {
            const unsigned got = std::min(most, seen & ~closed);
            if (bytes_.compare_exchange_strong(seen, seen - got, std::memory_order_acq_rel,
                                               std::memory_order_acquire)) {
                return got;
            }
        }
        return seen;
    }
    unsigned look() const { return bytes_.load(std::memory_order_acquire); }

private:
    model::model_atomics::atomic<unsigned> bytes_;
};

struct piped {
    kernel_pipe pipe;
    queue readers;

    // As a unit does: see perform.cpp and waits.cpp.
    unsigned read(unsigned most) {
        for (;;) {
            const word seen = readers.peek();
            if (!queue::is_exhausted(seen)) {
                if (const unsigned got = pipe.read(most); got != 0) {
                    if (got != kernel_pipe::closed) {
                        readers.took(got);
                    }
                    readers.pass_on();
                    return got;
                }
            }
            wait(seen);
        }
    }
    void read_all(unsigned bytes, unsigned at_once) {
        for (unsigned got = 0; got < bytes;) {
            got += read(at_once);
        }
    }
    void write(unsigned bytes) {
        pipe.write(bytes);
        readers.hear_of_bytes(bytes);
    }
    // The port hears of all writes until now, if they have left something. It does so at any
    // moment after them.
    void listen() {
        if (const unsigned there = pipe.look(); there != 0) {
            readers.hear((there & kernel_pipe::closed) != 0, sync::urgency::quietly);
        }
    }

private:
    void wait(word seen) {
        sync::waiter<model::model_atomics> me(nullptr, sync::wait_kind::descriptor, &readers);
        readers.wait(me, true, sync::no_deadline, [seen](word& now, auto*&) {
            if (queue::has_edge_since(now, seen)) {
                return true;
            }
            now = queue::exhausted(now);
            return false;
        });
    }
};

// No port listens.
void a_writer_wakes_its_reader(model::run& run) {
    piped p;
    run.thread("reads", [&] { p.read_all(2, 1); });
    run.thread("writes", [&] {
        p.write(1);
        p.write(1);
    });
    run.join();
}

void two_writers_wake_a_reader(model::run& run) {
    piped p;
    run.thread("reads", [&] { p.read_all(2, 2); });
    run.thread("writes", [&] { p.write(1); });
    run.thread("writes too", [&] { p.write(1); });
    run.join();
}

// The first passes the wake-up on.
void one_write_wakes_two_readers(model::run& run) {
    piped p;
    run.thread("reads", [&] { p.read(1); });
    run.thread("reads too", [&] { p.read(1); });
    run.thread("writes", [&] { p.write(2); });
    run.join();
}

void from_outside(model::run& run) {
    piped p;
    run.thread("reads", [&] { p.read_all(2, 1); });
    run.thread("writes", [&] { p.write(1); });
    run.thread("writes from outside", [&] {
        p.pipe.write(1);
        p.listen();
    });
    run.join();
}

// When the byte from outside comes, the state may be exact.
void from_outside_at_last(model::run& run) {
    piped p;
    run.thread("reads", [&] { p.read_all(3, 2); });
    run.thread("writes", [&] {
        p.write(2);
        p.pipe.write(1);
        p.listen();
    });
    run.join();
}

void taken_from_outside(model::run& run) {
    piped p;
    run.thread("reads", [&] {
        while (p.read(2) != kernel_pipe::closed) {
        }
    });
    run.thread("writes", [&] {
        p.write(2);
        p.pipe.read(1);
        p.pipe.write(1);
        p.pipe.close();
        p.listen();
    });
    run.join();
}

const std::vector<model::scenario> without_a_port = {
    {"a_writer_wakes_its_reader", a_writer_wakes_its_reader, 2},
    {"two_writers_wake_a_reader", two_writers_wake_a_reader, 1},
    {"one_write_wakes_two_readers", one_write_wakes_two_readers, 0},
};

const std::vector<model::scenario> with_a_port = {
    {"from_outside", from_outside, 0},
    {"from_outside_at_last", from_outside_at_last},
    {"taken_from_outside", taken_from_outside, 2},
};

TEST(pipe_count_model, writers_wake_readers) { model::expect_sound(without_a_port); }
TEST(pipe_count_model, no_reader_is_lost) { model::expect_sound(with_a_port); }

// A port's edge must end the count: it may stand for bytes that nobody has counted.
TEST(pipe_count_model, a_count_that_outlives_an_edge_loses_a_reader) {
    const model::result found = model::explore({}, [](model::run& run) {
        piped p;
        run.thread("reads", [&] { p.read_all(2, 1); });
        run.thread("writes", [&] {
            p.pipe.write(1);
            p.write(1);
            p.readers.hear_of_bytes(0);
        });
        run.join();
    });
    EXPECT_TRUE(found.failed);
}

}  // namespace
}  // namespace lazult
