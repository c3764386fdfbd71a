// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/port.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <new>
#include <span>

#include "lazult/sched/sched.hpp"

namespace lazult::io::inner {
namespace {

// The data of events of the port's own descriptors; else it is the address of a `descriptor`, which
// never moves.
constexpr std::uint64_t the_bell = 1;
constexpr std::uint64_t the_ring = 2;

descriptor* descriptor_of(const epoll_event& event) noexcept {
    const bool is_own = event.data.u64 <= the_ring;
    return is_own ? nullptr : static_cast<descriptor*>(event.data.ptr);
}

constexpr std::uint32_t watched = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLPRI | EPOLLET;

// All ports of the process, by the list's lock. The number of ports is that of streams at one time.
//
// field    written by             read by               order
// first    make, forget (lock)    take_free (lock);     release / acquire for readers without the
//                                 are_any_awaited       lock: ports are never freed
struct port_list {
    std::mutex lock;
    ds::default_atomics::atomic<port*> first{nullptr};
};
constinit port_list ports;

int wait_ms(int epoll, std::span<epoll_event> into, std::int64_t timeout_ns) noexcept {
    constexpr std::int64_t ms = 1'000'000;
    const std::int64_t rounded = timeout_ns < 0 ? -1 : (timeout_ns + ms - 1) / ms;
    return ::epoll_wait(epoll, into.data(), static_cast<int>(into.size()),
                        static_cast<int>(std::min<std::int64_t>(rounded, 1'000'000'000)));
}

// Negative: no timeout. Returns the number of events; 0 also if a signal came.
int wait_ns(int epoll, std::span<epoll_event> into, std::int64_t timeout_ns) noexcept {
    if (timeout_ns <= 0) {
        return std::max(wait_ms(epoll, into, timeout_ns), 0);
    }
    constexpr std::int64_t second = 1'000'000'000;
    const timespec limit{static_cast<time_t>(timeout_ns / second),
                         static_cast<long>(timeout_ns % second)};
    const int found =
        ::epoll_pwait2(epoll, into.data(), static_cast<int>(into.size()), &limit, nullptr);
    if (found < 0 && base::errno_guard::current() != EINTR) LAZULT_UNLIKELY {
        return std::max(wait_ms(epoll, into, timeout_ns), 0);  // a kernel before 5.11, or a filter
    }
    return std::max(found, 0);
}

bool add_own(int epoll, int fd, std::uint32_t events, std::uint64_t data) noexcept {
    epoll_event wanted{};
    wanted.events = events;
    wanted.data.u64 = data;
    return ::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &wanted) == 0;
}

[[gnu::constructor]] void hold_ports_lock() {
    base::hold_across_fork(base::fork_lock::ports, ports.lock, []() noexcept {
        port::forget_parents();
        forget_parents_waits();
    });
}

}  // namespace

port::port() noexcept
    : epoll_(::epoll_create1(EPOLL_CLOEXEC)), bell_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    if (is_usable() && !add_own(epoll_, bell_, EPOLLIN | EPOLLET, the_bell)) {
        ::close(bell_);
        bell_ = -1;
    }
}

port* port::mine() noexcept {
    core::worker& w = core::running_worker();
    // The stream's own. Acquire for ThreadSanitizer, which takes each unit for a thread.
    // pairs with: the store below
    if (core::kernel_port* const own = w.port.load(std::memory_order_acquire); own != nullptr)
        LAZULT_LIKELY {
        return static_cast<port*>(own);
    }
    if (w.here == nullptr) {
        return nullptr;
    }
    const base::errno_guard keeps_errno;
    port* const p = take_or_make();
    if (p != nullptr) {
        core::add_waker(are_any_awaited);
        // pairs with: the load above; lending_list::awaited_port_of()
        w.port.store(p, std::memory_order_release);
    }
    return p;
}

port* port::take_free() noexcept {
    for (port* p = ports.first.load(std::memory_order_relaxed); p != nullptr; p = p->next_) {
        state seen = state::free;
        // acquire: what the last thread did in the ring. pairs with: the store in becomes_free()
        if (p->is_usable() &&
            p->state_.compare_exchange_strong(seen, state::attached, std::memory_order_acquire,
                                              std::memory_order_relaxed)) {
            return p;
        }
    }
    return nullptr;
}

port* port::take_or_make() noexcept {
    const std::lock_guard hold(ports.lock);
    port* const p = take_free();
    port* const mine = p != nullptr ? p : make();
    if (mine != nullptr && mine->ring_ != nullptr) {
        mine->ring_->let_others_in(sched::streams_may_lend());
    }
    return mine;
}

port* port::make() noexcept {
    std::unique_ptr<port, void (*)(port*)> fresh(new (std::nothrow) port,
                                                 [](port* p) { delete p; });
    if (fresh == nullptr || !fresh->is_usable()) {
        if (fresh != nullptr) {
            ::close(fresh->epoll_);
            ::close(fresh->bell_);
        }
        return nullptr;
    }
    fresh->ring_ = ring::make();
    if (fresh->ring_ != nullptr &&
        !add_own(fresh->epoll_, fresh->ring_->descriptor(), EPOLLIN, the_ring)) {
        fresh->ring_.reset();
    }
    fresh->state_.store(state::attached, std::memory_order_relaxed);
    fresh->next_ = ports.first.load(std::memory_order_relaxed);
    probe::release(fresh.get());  // pairs with: the functions of a port
    // pairs with: are_any_awaited()
    ports.first.store(fresh.get(), std::memory_order_release);
    return fresh.release();
}

int port::watch(descriptor& d, int fd, bool is_watched_already) noexcept {
    probe::acquire(this);  // pairs with: make()
    const base::errno_guard keeps_errno;
    epoll_event wanted{};
    wanted.events = watched;
    wanted.data.ptr = &d;
    const int first = is_watched_already ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (::epoll_ctl(epoll_, first, fd, &wanted) == 0) LAZULT_LIKELY {
        return 0;
    }
    // The descriptor was closed meanwhile, and is a new one; or a duplicate is watched.
    const int error = base::errno_guard::current();
    if (error == ENOENT || error == EEXIST) {
        const int second = is_watched_already ? EPOLL_CTL_ADD : EPOLL_CTL_MOD;
        return ::epoll_ctl(epoll_, second, fd, &wanted) == 0 ? 0 : -base::errno_guard::current();
    }
    return -error;
}

void port::unwatch(int fd) noexcept {
    probe::acquire(this);  // pairs with: make()
    const base::errno_guard keeps_errno;
    epoll_event unused{};
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, &unused);
}

bool port::begin_wait() noexcept {
    const bool was_awaited = expect(+1);
    // pairs with: leave(), which stores `free` and then looks whether units wait
    if (state_.load(std::memory_order_seq_cst) == state::free) LAZULT_UNLIKELY {
        end_wait();
        return false;
    }
    if (!was_awaited && this != mine()) {
        const unsigned sleeper = slot();
        if (sleeper != sched::lot::no_slot) {
            sched::sleepers().wake(sleeper);
        }
    }
    return true;
}

void port::end_wait() noexcept {
    expect(-1);
    // pairs with: becomes_free(), CAS; its thread then looks whether units wait
    if (state_.load(std::memory_order_seq_cst) == state::kept) LAZULT_UNLIKELY {
        interrupt();
    }
}

// Returns how many units were made ready.
int port::collect(std::int64_t timeout_ns, bool& in_time) noexcept {
    probe::acquire(this);  // pairs with: make()
    const base::errno_guard keeps_errno;
    epoll_event events[most_events];
    const int found = wait_ns(epoll_, events, timeout_ns);
    in_time = found > 0;
    for (int i = 0; i < found; ++i) {
        __builtin_prefetch(events[i].data.ptr, 1);  // of thousands, each has left the caches
    }
    int ready = 0;
    for (int i = 0; i < found; ++i) {
        if (descriptor* const d = descriptor_of(events[i]); d != nullptr) LAZULT_LIKELY {
            ready += hear(*d, events[i].events, sync::urgency::quietly);
        } else if (events[i].data.u64 == the_ring) {
            ready += ring_->reap();
        }
    }
    return ready;
}

int port::hear(descriptor& d, std::uint32_t events, sync::urgency how) noexcept {
    int ready = 0;
    const auto tell = [&](direction way, bool is_doubtful) noexcept {
        ready += d.towards(way).hear(is_doubtful, how);
    };
    const bool is_broken = (events & (EPOLLERR | EPOLLHUP)) != 0;
    if (is_broken || (events & (EPOLLIN | EPOLLRDHUP | EPOLLPRI)) != 0) {
        tell(direction::in, is_broken || (events & (EPOLLRDHUP | EPOLLPRI)) != 0);
    }
    if (is_broken || (events & EPOLLOUT) != 0) {
        tell(direction::out, is_broken);
    }
    return ready;
}

int port::poll() noexcept {
    probe::acquire(this);  // pairs with: make()
    bool in_time = false;
    const int reaped = ring_ != nullptr ? ring_->submit_and_reap() : 0;
    const int ready = reaped + collect(0, in_time);
    tell_others(ready);
    return ready;
}

// Events of descriptors come once, and to one thread, which makes their units ready. So does the
// bell, so the holder gets another one: it may sleep here again. The ring is looked at anyhow, with
// or without its event, which comes until its ends have been reaped.
int port::poll_for_holder() noexcept {
    probe::acquire(this);  // pairs with: make()
    const base::errno_guard keeps_errno;
    epoll_event events[most_events];
    int ready = ring_ != nullptr ? ring_->try_submit_and_reap() : 0;
    const int found = wait_ns(epoll_, events, 0);
    for (int i = 0; i < found; ++i) {
        if (descriptor* const d = descriptor_of(events[i]); d != nullptr) {
            ready += hear(*d, events[i].events, sync::urgency::none);
        } else if (events[i].data.u64 == the_bell) {
            interrupt();
        }
    }
    return ready;
}

// Units were made ready quietly.
void port::tell_others(int ready) noexcept {
    core::worker* const w = core::this_worker_or_null();
    // relaxed: only whether it is this one
    if (ready > 0 && w != nullptr && w->port.load(std::memory_order_relaxed) == this) {
        sched::announce_quiet_work(*w);
    }
}

bool port::sleep(std::int64_t deadline_ns) noexcept {
    probe::acquire(this);  // pairs with: make()
    if (ring_ != nullptr) {
        const int reaped = ring_->submit_and_reap();
        tell_others(reaped);
        if (reaped != 0) {
            return true;
        }
        if (ring_->has_unsubmitted()) LAZULT_UNLIKELY {  // the kernel is short of memory
            const std::int64_t soon = os::now_ns() + 1'000'000;
            deadline_ns = deadline_ns < 0 ? soon : std::min(deadline_ns, soon);
        }
    }
    const std::int64_t left =
        deadline_ns < 0 ? -1 : std::max<std::int64_t>(deadline_ns - os::now_ns(), 0);
    bool in_time = false;
    tell_others(collect(left, in_time));
    return in_time || deadline_ns < 0 || os::now_ns() < deadline_ns;
}

void port::interrupt() noexcept {
    probe::acquire(this);  // pairs with: make()
    const base::errno_guard keeps_errno;
    const std::uint64_t one = 1;
    while (::write(bell_, &one, sizeof one) < 0 && base::errno_guard::current() == EINTR) {
    }
}

void port::leave() noexcept {
    sleeps_at(sched::lot::no_slot);
    if (ring_ != nullptr) {
        ring_->end_all();
    }
    if (!becomes_free()) {
        keep();
    }
}

// Returns false if units wait here: then the caller has the port, as `kept`. If it returns true, a
// new stream may have taken the port already.
bool port::becomes_free() noexcept {
    // pairs with: begin_wait(), which calls expect(+1) and then looks at the state
    state_.store(state::free, std::memory_order_seq_cst);
    state seen = state::free;
    return !is_awaited_by_late_ones() ||
           // pairs with: end_wait(), load of state_
           !state_.compare_exchange_strong(seen, state::kept, std::memory_order_seq_cst,
                                           std::memory_order_relaxed);
}

void port::keep() noexcept {
    std::thread server;
    if (os::try_start_service_thread(server, "lazult port", [this] { serve_until_unawaited(); })) {
        server.detach();
        return;
    }
    base::fatal_misuse("stream",
                       "it ended while units wait for descriptors that it watched, and "
                       "there is no OS thread to watch them",
                       "join these units before the stream, or raise the limit on threads");
}

void port::serve_until_unawaited() noexcept {
    do {
        while (is_awaited_by_late_ones()) {
            sleep(-1);
        }
    } while (!becomes_free());
}

bool port::are_any_awaited() noexcept {
    // pairs with: make()
    for (port* p = ports.first.load(std::memory_order_acquire); p != nullptr; p = p->next_) {
        if (p->is_awaited()) {
            return true;
        }
    }
    return false;
}

void port::forget_parents() noexcept {
    // relaxed: the child has one thread
    core::for_each_worker(
        [](core::worker& w, void*) { w.port.store(nullptr, std::memory_order_relaxed); }, nullptr);
    for (port* p = ports.first.exchange(nullptr, std::memory_order_relaxed); p != nullptr;
         p = p->next_) {
        ::close(p->epoll_);
        ::close(p->bell_);
        // its memory is not mapped in the child, so it is left as it is
        if (const ring* const left = p->ring_.release(); left != nullptr) {
            ::close(left->descriptor());
        }
    }
}

}  // namespace lazult::io::inner
