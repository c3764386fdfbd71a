// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/waits.hpp"

#include <cerrno>
#include <new>
#include <utility>

#include "lazult/io/port.hpp"
#include "lazult/io/thread_wait.hpp"

namespace lazult::io::inner {
namespace {

using queue = descriptor::queue;
using word = descriptor::word;

// A wait in the port that watches the descriptor, for as long as the object lives. The first unit
// that waits has its own stream's port watch it.
class counted_wait {
public:
    counted_wait() noexcept = default;
    ~counted_wait() { end(); }
    counted_wait(const counted_wait&) = delete;
    counted_wait& operator=(const counted_wait&) = delete;

    // Returns 0 or -errno. -EBADF: the descriptor was closed since that life.
    std::int64_t begin(descriptor& d, int fd, std::uint32_t life) noexcept {
        end();
        while (d.life() == life) {
            port* const by = d.watcher();
            port* const mine = port::mine();
            const bool stays = by != nullptr && (by == mine || mine == nullptr || !d.is_unwaited());
            if (stays && by->begin_wait()) LAZULT_LIKELY {
                where_ = by;
                return 0;
            }
            if (mine == nullptr) {
                return -EMFILE;
            }
            if (const int bad = take_over(d, fd, life, by, *mine); bad != 0) {
                return bad;
            }
        }
        return -EBADF;
    }
    // Whether it has begun, and the port still watches the descriptor.
    bool holds_for(const descriptor& d) const noexcept {
        return where_ != nullptr && d.watcher() == where_;
    }
    port& where() const noexcept { return *where_; }

private:
    // Has `mine` watch the descriptor, so that its edges come to the stream where its units run.
    // Does nothing if another thread was faster, or if it is not that life any more. The former
    // port goes on if units wait there, because they have been counted there.
    static int take_over(descriptor& d, int fd, std::uint32_t life, port* former,
                         port& mine) noexcept {
        descriptor::both_held hold(d);
        if (d.watcher() != former || d.life() != life) {
            return 0;
        }
        if (const int bad = d.is_owned() ? mine.watch(d, fd, false) : 0; bad != 0) {
            return bad;
        }
        hold.set_watcher(&mine);
        if (former != nullptr && former != &mine && hold.is_unwaited()) {
            former->unwatch(fd);
        }
        return 0;
    }

    void end() noexcept {
        if (where_ != nullptr) {
            std::exchange(where_, nullptr)->end_wait();
        }
    }

    port* where_ = nullptr;
};

// What stands in the way of a wait, found under the queue's spin bit: an edge since the try,
// another watcher, or the end of that life, so that the unit tries again; or an error. A descriptor
// of the program's own may be another one by now, so it is watched anew. Then an edge comes if it
// is ready.
struct obstacle {
    bool has_edge = false;
    int error = 0;

    bool is_there(descriptor& d, int fd, std::uint32_t life, word now, word seen,
                  port& where) noexcept {
        has_edge = queue::has_edge_since(now, seen) || d.watcher() != &where || d.life() != life;
        if (!has_edge && !d.is_owned()) {
            error = where.watch(d, fd, true);
        }
        return has_edge || error != 0;
    }
};

}  // namespace

std::int64_t error_of(base::status end_of_wait) noexcept {
    switch (end_of_wait) {
        case base::status::ok: return 0;
        case base::status::timed_out: return -ETIMEDOUT;
        case base::status::canceled: return -ECANCELED;
        case base::status::cannot_suspend: return -EDEADLK;
        default: return -ENOMEM;
    }
}

std::int64_t await_edge(descriptor& d, const wanted_edge& edge, core::work_unit* self,
                        const sync::wait_limit& until) {
    counted_wait counted;
    if (const std::int64_t bad = counted.begin(d, edge.fd, edge.life); bad != 0) {
        return bad;
    }
    sync::waiter<> me(self, sync::wait_kind::descriptor, &d.towards(edge.way));
    obstacle met;
    const auto attempt = [&](word& now, sync::waiter<>*&) noexcept {
        if (met.is_there(d, edge.fd, edge.life, now, edge.seen, counted.where())) {
            return true;
        }
        now = queue::exhausted(now);
        return false;
    };
    const base::status s =
        d.towards(edge.way).wait(me, true, until, attempt, sync::urgency::beside);
    if (met.error != 0) {
        return met.error;
    }
    return d.life() != edge.life ? -EBADF : error_of(s);
}

namespace {

constexpr short in_events = POLLIN | POLLPRI | POLLRDNORM | POLLRDBAND | POLLRDHUP;
constexpr short out_events = POLLOUT | POLLWRNORM | POLLWRBAND;

// One of the descriptors of a poll, in one direction.
struct polled {
    polled(core::work_unit* self, descriptor* of, direction towards) noexcept
        : record(self, sync::wait_kind::descriptor, &of->towards(towards)) {}

    sync::waiter<> record;
    counted_wait counted;
    descriptor* d = nullptr;
    int fd = -1;
    direction way = direction::in;
    word seen = 0;
    std::uint32_t life = 0;
};

// A poll of several descriptors by a unit.
class joint_wait {
public:
    joint_wait(std::span<pollfd> descriptors, core::work_unit* self) noexcept
        : descriptors_(descriptors), self_(self) {}
    ~joint_wait() {
        for (std::size_t i = 0; i < used_; ++i) {
            at(i).~polled();
        }
    }
    joint_wait(const joint_wait&) = delete;
    joint_wait& operator=(const joint_wait&) = delete;

    std::int64_t wait(const sync::wait_limit& until) {
        return prepare() ? wait_prepared(until) : -ENOMEM;
    }
    // For one descriptor in one direction.
    std::int64_t wait_in(std::uint32_t life, const sync::wait_limit& until) {
        if (!prepare()) {
            return -ENOMEM;
        }
        at(0).life = life;
        return wait_prepared(until);
    }

private:
    std::int64_t wait_prepared(const sync::wait_limit& until) {
        for (;;) {
            for (std::size_t i = 0; i < used_; ++i) {
                at(i).seen = at(i).d->towards(at(i).way).peek();
            }
            if (const std::int64_t ready = look(); ready != 0) {
                return leave_with(ready);
            }
            const std::int64_t bad = sleep(until);
            if (was_closed()) {
                return leave_with(-EBADF);
            }
            if (bad != 0) {
                return leave_with(bad == -ETIMEDOUT ? look() : bad);
            }
        }
    }

    polled& at(std::size_t i) noexcept {
        return *std::launder(reinterpret_cast<polled*>(place_of(i)));
    }
    std::byte* place_of(std::size_t i) noexcept { return first_ + i * sizeof(polled); }

    bool prepare() noexcept {
        if (2 * descriptors_.size() > few) {
            first_ = many_.allocate(self_, 2 * descriptors_.size() * sizeof(polled));
            if (first_ == nullptr) {
                return false;
            }
        }
        for (const pollfd& each : descriptors_) {
            add(each, direction::in, in_events);
            add(each, direction::out, out_events);
        }
        if (first_ != few_) {
            many_.show(used_ * sizeof(polled));
        }
        return true;
    }

    // A descriptor without events is waited for in `in`, because errors come there.
    void add(const pollfd& wanted, direction way, short events) noexcept {
        const bool is_for_errors = way == direction::in && (wanted.events & out_events) == 0;
        if ((wanted.events & events) == 0 && !is_for_errors) {
            return;
        }
        descriptor* const d = find_descriptor(wanted.fd);
        if (d == nullptr) {
            return;
        }
        polled& fresh = *new (place_of(used_)) polled(self_, d, way);
        ++used_;
        fresh.d = d;
        fresh.fd = wanted.fd;
        fresh.way = way;
        fresh.life = d->life();
    }

    // A signal ends even a poll that does not wait.
    std::int64_t look() noexcept {
        const base::errno_guard keeps_errno;
        for (;;) {
            const int ready = ::poll(descriptors_.data(), descriptors_.size(), 0);
            if (ready >= 0) {
                return ready;
            }
            if (const int error = base::errno_guard::current(); error != EINTR) {
                return -error;
            }
        }
    }

    // Wake-ups of descriptors that this unit leaves as ready as they are go to the next waiters.
    std::int64_t leave_with(std::int64_t result) noexcept {
        for (std::size_t i = 0; i < used_; ++i) {
            at(i).d->towards(at(i).way).pass_on();
        }
        return result;
    }

    std::int64_t sleep(const sync::wait_limit& until) {
        sync::claimed_wait<> wait(self_);
        std::int64_t bad = 0;
        std::size_t listed = 0;
        bool has_edge = false;
        for (; listed < used_ && bad == 0 && !has_edge; ++listed) {
            bad = list(at(listed), wait, listed, has_edge);
        }
        if (bad != 0 || has_edge) {
            wait.claim().claim(sync::claim_word<>::withdrawn);
        }
        const std::uint32_t winner =
            bad != 0 || has_edge ? wait.claim().winner() : wait.sleep(until);
        for (std::size_t i = 0; i < listed; ++i) {
            take_back(at(i), winner);
        }
        if (bad != 0 || has_edge) {
            return bad;
        }
        switch (winner) {
            case sync::claim_word<>::timed_out: return -ETIMEDOUT;
            case sync::claim_word<>::withdrawn: return -ECANCELED;
            default: return 0;
        }
    }

    std::int64_t list(polled& p, sync::claimed_wait<>& wait, std::size_t number,
                      bool& has_edge) noexcept {
        p.record.signal.store(0, std::memory_order_relaxed);
        p.record.index = sync::claim_word<>::first_index + static_cast<std::uint32_t>(number);
        wait.covers(p.record);
        if (!p.counted.holds_for(*p.d)) {
            if (const std::int64_t bad = p.counted.begin(*p.d, p.fd, p.life); bad != 0) {
                return bad == -EPERM ? 0 : bad;  // poll() has said that it is not ready
            }
        }
        obstacle met;
        auto attempt = [&](word& now, sync::waiter<>*&) noexcept {
            return met.is_there(*p.d, p.fd, p.life, now, p.seen, p.counted.where());
        };
        p.d->towards(p.way).list_unless(p.record, attempt, sync::urgency::beside);
        has_edge = met.has_edge;
        return met.error == -EPERM ? 0 : met.error;
    }

    static void take_back(polled& p, std::uint32_t winner) noexcept {
        if (winner == p.record.index) {
            sync::await_release(p.record);
        } else {
            p.d->towards(p.way).withdraw(p.record);
        }
    }

    bool was_closed() noexcept {
        for (std::size_t i = 0; i < used_; ++i) {
            if (at(i).d->life() != at(i).life) {
                return true;
            }
        }
        return false;
    }

    std::span<pollfd> descriptors_;
    core::work_unit* self_;
    // A poll of two descriptors takes no memory.
    static constexpr std::size_t few = 4;
    static_assert(alignof(polled) == alignof(sync::record_block));
    alignas(polled) std::byte few_[few * sizeof(polled)];
    sync::record_block many_;
    std::byte* first_ = few_;
    std::size_t used_ = 0;
};

}  // namespace

std::int64_t poll(std::span<pollfd> descriptors, const sync::wait_limit& until) {
    const sync::caller me = sync::this_caller<>();
    if (me.unit != nullptr) LAZULT_LIKELY {
        return joint_wait(descriptors, me.unit).wait(until);
    }
    if (me.may_wait) {
        return poll_as_thread(descriptors, until);
    }
    const std::int64_t ready = poll_as_thread(descriptors, {0});
    return ready == 0 && until.deadline_ns != 0 ? -EDEADLK : ready;
}

namespace {

pollfd wish_for(int fd, direction way) noexcept {
    return {fd, static_cast<short>(way == direction::in ? POLLIN : POLLOUT), 0};
}

// What the poll of one descriptor means for a call that waits for it.
std::int64_t error_of_poll(std::int64_t ready, const pollfd& one) noexcept {
    if (ready <= 0) {
        return ready == 0 ? -ETIMEDOUT : ready;
    }
    return (one.revents & POLLNVAL) != 0 ? -EBADF : 0;
}

}  // namespace

std::int64_t await_ready(int fd, direction way, const sync::wait_limit& until) {
    if (fd < 0) {
        return -EBADF;  // poll(2) would ignore it
    }
    pollfd one = wish_for(fd, way);
    const std::int64_t ready = poll({&one, 1}, until);
    return error_of_poll(ready, one);
}

std::int64_t await_ready_in(std::uint32_t life, int fd, direction way, core::work_unit* self,
                            const sync::wait_limit& until) {
    pollfd one = wish_for(fd, way);
    const std::int64_t ready = joint_wait({&one, 1}, self).wait_in(life, until);
    return error_of_poll(ready, one);
}

}  // namespace lazult::io::inner
