// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/ring.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#if LAZULT_HAVE_LIBURING
#include <liburing.h>
#endif

namespace lazult::io::inner {

#if LAZULT_HAVE_LIBURING

namespace {

constexpr unsigned entries = 256;

// On the stack of the unit that waits.
struct operation {
    operation(core::work_unit* self, const file_operation& what) noexcept
        : record(self, sync::wait_kind::file_operation, this), wanted(what) {}
    sync::waiter<> record;
    const file_operation& wanted;
    std::int64_t result = -EBUSY;
    operation* next = nullptr;  // in an operation_queue, or a waiting_operations
    operation* previous = nullptr;
};

// Operations that wait for the ring's service thread, in their order. The lock is held for some
// instructions, and never while a thread enters the kernel.
class operation_queue {
public:
    void push(operation& last) noexcept {
        const std::lock_guard hold(lock_);
        *end_ = &last;
        end_ = &last.next;
    }

    // Ends the service thread's wait, if there is something for it.
    void call() noexcept {
        {
            const std::lock_guard hold(lock_);
            if (first_ == nullptr) LAZULT_LIKELY {
                return;
            }
        }
        came_.notify_one();
    }

    // The service thread: waits for some, and takes all.
    operation* take_all() noexcept {
        std::unique_lock hold(lock_);
        came_.wait(hold, [this]() noexcept { return first_ != nullptr; });
        end_ = &first_;
        return std::exchange(first_, nullptr);
    }

private:
    std::mutex lock_;
    std::condition_variable came_;
    operation* first_ = nullptr;
    operation** end_ = &first_;
};

// Operations that wait for others, perhaps for ever.
class waiting_operations {
public:
    operation* first() const noexcept { return first_; }
    void add(operation& fresh) noexcept {
        fresh.next = first_;
        if (first_ != nullptr) {
            first_->previous = &fresh;
        }
        first_ = &fresh;
    }
    void remove(operation& done) noexcept {
        (done.previous != nullptr ? done.previous->next : first_) = done.next;
        if (done.next != nullptr) {
            done.next->previous = done.previous;
        }
    }

private:
    operation* first_ = nullptr;
};

// Operations that have ended. Their units wait until wake().
class ended_operations {
public:
    void add(operation& done, std::int64_t result) noexcept {
        done.result = result;
        records_.add(&done.record);
        ++count_;
    }
    int wake(sync::urgency how) const noexcept {
        sync::wake_all(records_.first(), how);
        return count_;
    }

private:
    sync::record_chain<ds::default_atomics> records_;
    int count_ = 0;
};

class kernel_ring final : public ring {
public:
    kernel_ring() noexcept {
        const base::errno_guard keeps_errno;
        // The kernel delivers ends when the stream enters it anyhow, and does not interrupt it.
        is_there_ = ::io_uring_queue_init(entries, &ring_, IORING_SETUP_COOP_TASKRUN) == 0 ||
                    ::io_uring_queue_init(entries, &ring_, 0) == 0;
        is_usable_.store(is_there_ && keeps_all_ends() && can_be_entered(),
                         std::memory_order_relaxed);
    }
    ~kernel_ring() override {
        if (is_there_) {
            ::io_uring_queue_exit(&ring_);
        }
    }
    bool is_usable() const noexcept { return is_usable_.load(std::memory_order_relaxed); }
    int descriptor() const noexcept override { return ring_.ring_fd; }

    bool has_unsubmitted() noexcept override {
        if (is_lent()) {
            return false;  // its service thread tries again by itself
        }
        const one_at_a_time here(*this);
        return ::io_uring_sq_ready(&ring_) != 0;
    }

    std::int64_t perform(core::work_unit* self, const file_operation& wanted) override {
        operation mine(self, wanted);
        if (is_usable()) LAZULT_LIKELY {
            sync::block(mine.record,
                        [this, &mine](sync::waiter<>&) noexcept { return enter(mine); });
        }
        return mine.result;
    }

    int submit_and_reap() noexcept override {
        ended_operations ended;
        hand_over(ended);
        reap_as_holder(ended);
        return ended.wake(sync::urgency::quietly);
    }

    int reap() noexcept override {
        ended_operations ended;
        reap_as_holder(ended);
        return ended.wake(sync::urgency::quietly);
    }

    int try_submit_and_reap() noexcept override {
        if (!is_lent()) {
            return 0;
        }
        left_.call();
        ended_operations ended;
        if (const std::unique_lock here(lock_, std::try_to_lock); here.owns_lock()) {
            reap_all(ended);
        }
        return ended.wake(sync::urgency::none);
    }

    void let_others_in(bool wanted) noexcept override {
        // relaxed: published with the stream's port
        // The service thread may still be on its way out of the ring's entries, so a ring that has
        // one goes on with it.
        is_lent_.store(is_served_ || (wanted && has_server()), std::memory_order_relaxed);
    }

    void end_all() noexcept override {
        if (is_lent()) {
            return;  // its service thread hands them over, and never ends
        }
        ended_operations given_back;
        give_back_all(given_back);
        given_back.wake(sync::urgency::none);
        cancel_waiting();
        if (!await_ends()) LAZULT_UNLIKELY {
            cancel_everything();
            await_ends();
        }
    }

private:
    // A kernel before 5.5 drops the ends of operations that nobody reaps in time.
    bool keeps_all_ends() const noexcept { return (ring_.features & IORING_FEAT_NODROP) != 0; }

    // Some sandboxes allow to make rings, and forbid to enter them.
    bool can_be_entered() noexcept {
        ::io_uring_prep_nop(::io_uring_get_sqe(&ring_));
        io_uring_cqe* end = nullptr;
        if (::io_uring_submit_and_wait(&ring_, 1) != 1 || ::io_uring_peek_cqe(&ring_, &end) != 0) {
            return false;
        }
        ::io_uring_cqe_seen(&ring_, end);
        return true;
    }

    void hand_over(ended_operations& given_back) noexcept {
        if (is_lent()) LAZULT_UNLIKELY {
            left_.call();
        } else {
            const one_at_a_time here(*this);
            under_way_ += submit(given_back);
        }
    }

    // What the kernel does not take now it takes next time. If it takes no more at all, units make
    // their calls otherwise. Returns how many it has taken.
    int submit(ended_operations& given_back) noexcept {
        if (::io_uring_sq_ready(&ring_) == 0) {
            return 0;
        }
        const base::errno_guard keeps_errno;
        const int taken = ::io_uring_submit(&ring_);
        if (taken < 0 && !is_passing(-taken)) LAZULT_UNLIKELY {
            is_usable_.store(false, std::memory_order_relaxed);  // see the table
            give_back_all(given_back);
        }
        return std::max(taken, 0);
    }

    static bool is_passing(int error) noexcept {
        return error == EAGAIN || error == EBUSY || error == EINTR || error == ENOMEM;
    }

    // The kernel reads entries only while a thread enters the ring, so those that it has not taken
    // are the caller's.
    void give_back_all(ended_operations& ended) noexcept {
        io_uring_sq& queue = ring_.sq;
        const unsigned first = queue.sqe_tail - ::io_uring_sq_ready(&ring_);
        for (unsigned at = first; at != queue.sqe_tail; ++at) {
            const io_uring_sqe& entry = queue.sqes[at & *queue.kring_mask];
            end(reinterpret_cast<operation*>(entry.user_data), -ECANCELED, ended);
        }
        queue.sqe_head = queue.sqe_tail = *queue.ktail = first;
    }

    void reap_as_holder(ended_operations& ended) noexcept {
        const one_at_a_time here(*this);
        const int reaped = reap_all(ended);
        if (!is_lent()) LAZULT_LIKELY {
            under_way_ -= reaped;
        }
    }

    int reap_all(ended_operations& ended) noexcept {
        const base::errno_guard keeps_errno;
        int reaped = 0;
        io_uring_cqe* found = nullptr;
        for (; ::io_uring_peek_cqe(&ring_, &found) == 0; ++reaped) {
            probe::acquire(&left_);  // pairs with: submit_all()
            auto* const done = static_cast<operation*>(::io_uring_cqe_get_data(found));
            const std::int64_t result = found->res;
            ::io_uring_cqe_seen(&ring_, found);
            end(done, result, ended);
        }
        return reaped;
    }

    // nullptr: a cancellation, for which no unit waits.
    void end(operation* done, std::int64_t result, ended_operations& ended) noexcept {
        if (done == nullptr) LAZULT_UNLIKELY {
            return;
        }
        if (done->wanted.waits_for_others && !is_lent()) LAZULT_UNLIKELY {
            waiting_.remove(*done);
        }
        ended.add(*done, result);
    }

    // Other operations go to their end: the kernel may have cancelled one that has moved some
    // bytes, and then forgets to move the file's position.
    void cancel_waiting() noexcept {
        const base::errno_guard keeps_errno;
        for (operation* each = waiting_.first(); each != nullptr; each = each->next) {
            if (::io_uring_sq_space_left(&ring_) == 0) LAZULT_UNLIKELY {
                under_way_ += std::max(::io_uring_submit(&ring_), 0);
            }
            if (io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_); entry != nullptr) {
                ::io_uring_prep_cancel(entry, each, 0);
                ::io_uring_sqe_set_data(entry, nullptr);
            }
        }
    }

    // For files that may never answer. A kernel before 5.19 does not know this form.
    void cancel_everything() noexcept {
        if (io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_); entry != nullptr) {
            ::io_uring_prep_cancel(entry, nullptr,
                                   IORING_ASYNC_CANCEL_ANY | IORING_ASYNC_CANCEL_ALL);
            ::io_uring_sqe_set_data(entry, nullptr);
        }
    }

    // The holder of a ring that is not lent. Returns whether all operations have ended in time. An
    // operation may wait for a unit that waits for another one, so each is woken at once.
    bool await_ends() noexcept {
        const std::int64_t until = os::now_ns() + longest_wait_ns;
        while (under_way_ != 0 && os::now_ns() < until && wait_for_an_end(until)) {
            ended_operations ended;
            reap_as_holder(ended);
            ended.wake(sync::urgency::none);
        }
        return under_way_ == 0;
    }

    // Returns false if the kernel takes no more. A kernel before 5.11 has no limits.
    bool wait_for_an_end(std::int64_t until_ns) noexcept {
        const base::errno_guard keeps_errno;
        const int taken = ::io_uring_submit(&ring_);
        under_way_ += std::max(taken, 0);
        if (taken < 0 && !is_passing(-taken)) {
            return false;
        }
        io_uring_cqe* found = nullptr;
        if ((ring_.features & IORING_FEAT_EXT_ARG) == 0) {
            ::io_uring_wait_cqe(&ring_, &found);
            return true;
        }
        constexpr std::int64_t second = 1'000'000'000;
        const std::int64_t left_ns = std::max<std::int64_t>(until_ns - os::now_ns(), 0);
        __kernel_timespec left{left_ns / second, left_ns % second};
        ::io_uring_wait_cqe_timeout(&ring_, &found, &left);
        return true;
    }

    bool is_lent() const noexcept {
        return is_lent_.load(std::memory_order_relaxed);  // see let_others_in()
    }

    // The holder's. Without spare streams it only tells ThreadSanitizer, which takes the units of
    // one OS thread for threads of their own.
    class one_at_a_time {
    public:
        explicit one_at_a_time(kernel_ring& ring) noexcept : ring_(ring), locks_(ring.is_lent()) {
            if (locks_) LAZULT_UNLIKELY {
                ring_.lock_.lock();
            } else {
                probe::acquire(&ring_);
            }
        }
        ~one_at_a_time() {
            if (locks_) LAZULT_UNLIKELY {
                ring_.lock_.unlock();
            } else {
                probe::release(&ring_);
            }
        }
        one_at_a_time(const one_at_a_time&) = delete;
        one_at_a_time& operator=(const one_at_a_time&) = delete;

    private:
        kernel_ring& ring_;
        const bool locks_;
    };

    // Called for a unit that leaves, perhaps after it has left its stack. Returns false if the ring
    // is full, or not usable any more.
    bool enter(operation& mine) noexcept {
        if (!is_usable()) LAZULT_UNLIKELY {
            return false;
        }
        if (is_lent()) LAZULT_UNLIKELY {
            left_.push(mine);  // the operation may be gone now
            return true;
        }
        ended_operations given_back;
        const bool has_entered = fill_entry(mine, given_back);
        given_back.wake(sync::urgency::quietly);
        return has_entered;
    }

    bool fill_entry(operation& mine, ended_operations& given_back) noexcept {
        const one_at_a_time here(*this);
        if (::io_uring_sq_space_left(&ring_) == 0) LAZULT_UNLIKELY {
            under_way_ += submit(given_back);
        }
        if (!is_usable() || !add_entry(mine)) LAZULT_UNLIKELY {
            return false;
        }
        if (mine.wanted.waits_for_others) LAZULT_UNLIKELY {
            waiting_.add(mine);
        }
        return true;
    }

    bool add_entry(operation& mine) noexcept {
        io_uring_sqe* const entry = ::io_uring_get_sqe(&ring_);
        if (entry == nullptr) LAZULT_UNLIKELY {
            return false;
        }
        prepare(*entry, mine.wanted);
        ::io_uring_sqe_set_data(entry, &mine);
        return true;
    }

    // Whether the ring has its service thread. Called while only the caller has the ring.
    bool has_server() noexcept {
        if (!is_served_) {
            std::thread server;
            is_served_ = os::try_start_service_thread(server, "lazult ring", [this] { serve(); });
            if (is_served_) {
                server.detach();
            }
        }
        return is_served_;
    }

    // While the ring is not lent, nothing is left here.
    void serve() noexcept {
        for (;;) {
            for (operation* next = left_.take_all(); next != nullptr;) {
                serve(*std::exchange(next, next->next));
            }
            submit_all();
        }
    }

    void serve(operation& next) noexcept {
        if (::io_uring_sq_space_left(&ring_) == 0) {
            submit_all();
        }
        if (!is_usable() || !add_entry(next)) LAZULT_UNLIKELY {
            ended_operations given_back;
            given_back.add(next, -ECANCELED);
            given_back.wake(sync::urgency::none);
        }
    }

    void submit_all() noexcept {
        probe::release(&left_);  // pairs with: reap_all()
        ended_operations given_back;
        submit(given_back);
        while (::io_uring_sq_ready(&ring_) != 0) LAZULT_UNLIKELY {  // the kernel is short of memory
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            submit(given_back);
        }
        given_back.wake(sync::urgency::none);
    }

    static void prepare(io_uring_sqe& entry, const file_operation& wanted) noexcept {
        const auto offset = static_cast<std::uint64_t>(wanted.offset);
        const auto count = static_cast<unsigned>(wanted.pieces.size());
        using enum file_operation::action;
        switch (wanted.what) {
            case read:
                ::io_uring_prep_readv(&entry, wanted.fd, wanted.pieces.data(), count, offset);
                break;
            case write:
                ::io_uring_prep_writev(&entry, wanted.fd, wanted.pieces.data(), count, offset);
                break;
            case sync: ::io_uring_prep_fsync(&entry, wanted.fd, 0); break;
            case sync_data: ::io_uring_prep_fsync(&entry, wanted.fd, IORING_FSYNC_DATASYNC); break;
        }
    }

    static constexpr std::int64_t longest_wait_ns = 1'000'000'000;

    std::mutex lock_;
    ds::default_atomics::atomic<bool> is_lent_{false};
    bool is_served_ = false;
    operation_queue left_;
    io_uring ring_{};
    waiting_operations waiting_;
    int under_way_ = 0;
    bool is_there_;
    ds::default_atomics::atomic<bool> is_usable_{false};
};

}  // namespace

std::unique_ptr<ring> ring::make() noexcept {
    std::unique_ptr<kernel_ring> fresh(new (std::nothrow) kernel_ring);
    return fresh != nullptr && fresh->is_usable() ? std::move(fresh) : nullptr;
}

#else

std::unique_ptr<ring> ring::make() noexcept { return nullptr; }

#endif

const char* file_backend() noexcept { return ring::is_possible() ? "io_uring" : "helper threads"; }

// Not remembered: a sandbox may come, and descriptors that are short now may be free later.
bool ring::is_possible() noexcept {
    return base::current_settings().io != base::io_kind::threads && make() != nullptr;
}

}  // namespace lazult::io::inner
