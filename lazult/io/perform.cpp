// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/perform.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

#include "lazult/io/helpers.hpp"
#include "lazult/io/ownership.hpp"
#include "lazult/io/port.hpp"
#include "lazult/io/ring.hpp"
#include "lazult/io/thread_wait.hpp"
#include "lazult/io/waits.hpp"

namespace lazult::io::inner {
namespace {

using word = descriptor::word;

// What a call returns that ends with an error: the bytes that it has moved before, if any.
std::int64_t ended(const call& wanted, std::int64_t error) noexcept {
    return wanted.partial() > 0 ? wanted.partial() : error;
}

std::int64_t try_once(call& wanted, kind what) noexcept {
    for (;;) {
        const std::int64_t result = wanted.attempt(what);
        if (result != -EINTR) LAZULT_LIKELY {
            return result;
        }
    }
}

bool is_made(std::int64_t result) noexcept {
    return result != would_wait && result != cannot_try && result != try_later;
}

// Sleeps between two tries of a call, longer each time. Works in units and in OS threads.
class pause {
public:
    // Returns 0, or why the call must end.
    std::int64_t wait(const sync::wait_limit& until) {
        sync::wait_limit nap = until;
        nap.deadline_ns = sync::deadline_after(ns_);
        ns_ = std::min(2 * ns_, longest_ns);
        const bool is_last = until.deadline_ns >= 0 && until.deadline_ns <= nap.deadline_ns;
        if (is_last) {
            nap.deadline_ns = until.deadline_ns;
        }
        const base::status s = sync::sleep_until(nap);
        return s == base::status::ok && is_last ? -ETIMEDOUT : error_of(s);
    }

private:
    static constexpr std::int64_t longest_ns = 10'000'000;
    std::int64_t ns_ = 100'000;
};

std::int64_t block(call& wanted) noexcept {
    for (;;) {
        const std::int64_t result = wanted.block();
        if (result != -EINTR) {
            return result;
        }
    }
}

// For a caller that does not try again.
std::int64_t block_once(call& wanted) noexcept {
    const std::int64_t result = block(wanted);
    return result == would_wait ? ended(wanted, result) : result;
}

// Returns what make() returns on a helper thread.
template <class Make>
std::int64_t made_apart(Make make) {
    struct job {
        Make make;
        std::int64_t result;
    } mine{make, 0};
    const auto run = [](void* j) {
        auto* const of = static_cast<job*>(j);
        of->result = of->make();
    };
    call_apart(run, &mine);
    return mine.result;
}

std::int64_t perform_apart(call& wanted) {
    return made_apart([&wanted] { return block_once(wanted); });
}

// Returns cannot_try if there is no ring, if it does not know such calls, or if it did not make the
// call: it is full, or the stream that it belongs to has ended meanwhile.
std::int64_t perform_in_ring(call& wanted, core::work_unit* self, bool waits_for_others = false) {
    file_operation form;
    form.fd = wanted.fd;
    form.waits_for_others = waits_for_others;
    port* const mine = port::mine();
    if (mine == nullptr || mine->own_ring() == nullptr || !wanted.fits_ring(form)) {
        return cannot_try;
    }
    mine->expect(+1);
    const std::int64_t result = mine->own_ring()->perform(self, form);
    mine->end_wait();
    const bool was_made = result != -EBUSY && result != -ECANCELED && result != -EINTR &&
                          result != would_wait && result != -EOPNOTSUPP;
    return was_made ? result : cannot_try;
}

std::int64_t perform_on_file(call& wanted, kind what, core::work_unit* self) {
    std::int64_t result = what == kind::direct ? cannot_try : try_once(wanted, what);
    if (!is_made(result)) {
        result = perform_in_ring(wanted, self);
    }
    return is_made(result) ? result : perform_apart(wanted);
}

// Gives a descriptor's token back.
class turn_taken {
public:
    explicit turn_taken(sync::semaphore& turn) noexcept : turn_(turn) {}
    ~turn_taken() { turn_.release(); }
    turn_taken(const turn_taken&) = delete;
    turn_taken& operator=(const turn_taken&) = delete;

private:
    sync::semaphore& turn_;
};

// A call on a descriptor that a port can watch.
class watched_call {
public:
    watched_call(call& wanted, descriptor& d, kind what, core::work_unit* self,
                 const sync::wait_limit& until) noexcept
        : wanted_(wanted), d_(d), what_(what), self_(self), until_(until), life_(d.life()) {}

    std::int64_t perform() {
        for (std::int64_t end = 0;;) {
            const word seen = queue().peek();
            // When its time is over or a stop was requested, the call is tried even so: there may
            // be an edge that the port has not heard of.
            const bool is_hopeless = end == 0 && d_.is_owned() &&
                                     descriptor::queue::is_exhausted(seen) &&
                                     wanted_.waits_for_bytes();
            std::int64_t result = would_wait;
            if (!is_hopeless) LAZULT_LIKELY {
                result = try_once(wanted_, what_);
                if (is_made(result)) LAZULT_LIKELY {
                    return finish(result, seen);
                }
                if (result == cannot_try) {
                    return perform_in_turn(seen);
                }
                note_wait();
            }
            if (end != 0) {
                return ended(wanted_, end);
            }
            end = result == try_later ? pause_.wait(until_) : await(seen);
            if (d_.life() != life_) {
                end = -EBADF;
            }
            if (end != 0 && end != -ETIMEDOUT && end != -ECANCELED) {
                return ended(wanted_, end);
            }
        }
    }

private:
    std::int64_t await(word seen) {
        return await_edge(d_, {wanted_.fd, wanted_.towards, seen, life_}, self_, until_);
    }

    std::int64_t finish(std::int64_t result, word seen) noexcept {
        if (d_.is_owned() && wanted_.has_drained(what_, result)) {
            queue().exhaust(seen);
        } else {
            note_moved(result);
            queue().pass_on();
        }
        return result;
    }

    // The call has moved so many bytes until now.
    void note_moved(std::int64_t bytes) noexcept {
        if (bytes <= noted_ || !is_own_pipe()) {
            return;
        }
        const auto more = static_cast<std::uint64_t>(bytes - std::exchange(noted_, bytes));
        if (wanted_.towards == direction::in) {
            // What was full has room again page by page, so not each read makes room.
            if (queue().took(more) || more >= PIPE_BUF) {
                tell_writer();
            }
        } else if (descriptor* const reader = other_end_of(wanted_.fd); reader != nullptr) {
            reader->towards(direction::in).hear_of_bytes(more);
        }
    }
    // The call must wait.
    void note_wait() noexcept {
        if (wanted_.towards == direction::out) {
            note_moved(wanted_.partial());
        } else if (is_own_pipe()) {
            tell_writer();
        }
    }
    // The port may tell it, too, but later.
    void tell_writer() noexcept {
        descriptor* const writer = other_end_of(wanted_.fd);
        if (writer != nullptr && writer->towards(direction::out).is_waited_for()) {
            writer->towards(direction::out).hear(false, sync::urgency::beside);
        }
    }

    bool is_own_pipe() const noexcept { return what_ == kind::pipe && d_.is_owned(); }
    descriptor::queue& queue() noexcept { return d_.towards(wanted_.towards); }

    // For a call that cannot be tried while others make such calls. One unit at a time makes them,
    // when the descriptor is ready. Of those that cannot be tried even so, another process may be
    // faster: they are made where they may block.
    std::int64_t perform_in_turn(word seen) {
        if (const base::status s = d_.turn().acquire_until(until_); s != base::status::ok) {
            return error_of(s);
        }
        const turn_taken mine(d_.turn());
        for (;;) {
            if (d_.life() != life_) {
                return -EBADF;
            }
            const std::int64_t result = wanted_.attempt_alone();
            if (is_made(result)) {
                return finish(result, seen);
            }
            if (const std::int64_t bad =
                    await_ready_in(life_, wanted_.fd, wanted_.towards, self_, until_);
                bad != 0) {
                return bad;
            }
            if (result == cannot_try && d_.life() == life_) {
                const std::int64_t in_ring = perform_in_ring(wanted_, self_, true);
                return finish(is_made(in_ring) ? in_ring : perform_apart(wanted_), seen);
            }
        }
    }

    call& wanted_;
    descriptor& d_;
    kind what_;
    core::work_unit* self_;
    const sync::wait_limit& until_;
    std::uint32_t life_;
    std::int64_t noted_ = 0;
    pause pause_;
};

// For a caller that can neither suspend nor block its thread.
std::int64_t perform_without_wait(call& wanted) {
    kind what{};
    if (const int bad = classify(wanted.fd, what); bad != 0) {
        return bad;
    }
    std::int64_t result = what == kind::direct ? cannot_try : try_once(wanted, what);
    descriptor* const d = find_descriptor(wanted.fd);
    if (result == cannot_try && d != nullptr && d->turn().try_acquire()) {
        const turn_taken mine(d->turn());
        result = wanted.attempt_alone();
    }
    return is_made(result) ? result : ended(wanted, -EDEADLK);
}

// A call of an OS thread that is no stream, in its descriptor's turn.
std::int64_t perform_in_turn_as_thread(call& wanted, const sync::wait_limit& until) {
    descriptor* const d = find_descriptor(wanted.fd);
    if (d == nullptr) {
        return block_once(wanted);
    }
    if (const base::status s = d->turn().acquire_until(until); s != base::status::ok) {
        return error_of(s);
    }
    const turn_taken mine(d->turn());
    for (;;) {
        const std::int64_t result = wanted.attempt_alone();
        if (is_made(result)) {
            return result;
        }
        if (const std::int64_t bad = wait_as_thread(wanted.fd, wanted.towards, until); bad != 0) {
            return ended(wanted, bad);
        }
        if (result == cannot_try) {
            return block_once(wanted);
        }
    }
}

// For an OS thread that is no stream, if the call has limits, or the descriptor is in nonblocking
// mode, perhaps for the moment of another caller.
std::int64_t perform_as_thread(call& wanted, const sync::wait_limit& until) {
    kind what{};
    if (const int bad = classify(wanted.fd, what); bad != 0) {
        return bad;
    }
    if (what == kind::file || what == kind::direct) {
        return block(wanted);
    }
    for (pause next;;) {
        const std::int64_t result = try_once(wanted, what);
        if (is_made(result)) {
            return result;
        }
        if (result == cannot_try) {
            return perform_in_turn_as_thread(wanted, until);
        }
        const std::int64_t bad = result == try_later
                                     ? next.wait(until)
                                     : wait_as_thread(wanted.fd, wanted.towards, until);
        if (bad != 0) {
            return ended(wanted, bad);
        }
    }
}

// For an OS thread that is no stream.
std::int64_t block_until(call& wanted, const sync::wait_limit& until) {
    if (!until.has_sources()) {
        const std::int64_t result = block(wanted);
        if (result != would_wait) {
            return result;
        }
    }
    return perform_as_thread(wanted, until);
}

// Makes a unit's call if the table has no entry for its descriptor: the number is too high, or
// memory is exhausted. A cancellation does not end the call.
std::int64_t perform_without_record(call& wanted, const sync::wait_limit& until) {
    return made_apart([&] { return block_until(wanted, until); });
}

std::int64_t perform_as_unit(call& wanted, core::work_unit* self, const sync::wait_limit& until) {
    descriptor* const d = find_descriptor(wanted.fd);
    if (d == nullptr) LAZULT_UNLIKELY {
        return wanted.fd < 0 ? -EBADF : perform_without_record(wanted, until);
    }
    kind what{};
    if (d->is_owned()) LAZULT_LIKELY {
        what = d->what();
    } else if (const int bad = classify(wanted.fd, what); bad != 0) {
        return bad;
    }
    if (what == kind::file || what == kind::direct) {
        return perform_on_file(wanted, what, self);
    }
    return watched_call(wanted, *d, what, self, until).perform();
}

}  // namespace

std::int64_t perform(call& wanted, const sync::wait_limit& until) {
    const sync::caller me = sync::this_caller<>();
    if (me.unit != nullptr) LAZULT_LIKELY {
        return perform_as_unit(wanted, me.unit, until);
    }
    return me.may_wait ? block_until(wanted, until) : perform_without_wait(wanted);
}

}  // namespace lazult::io::inner
