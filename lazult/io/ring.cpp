// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/ring.hpp"

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>
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
    operation* next = nullptr;  // in a waiting_operations
    operation* previous = nullptr;
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
        {
            const one_at_a_time here(*this);
            submit(ended);
            reap_all(ended);
        }
        return wake(ended, sync::urgency::quietly);
    }

    int reap() noexcept override {
        ended_operations ended;
        {
            const one_at_a_time here(*this);
            reap_all(ended);
        }
        return wake(ended, sync::urgency::quietly);
    }

    int try_submit_and_reap() noexcept override {
        if (!is_lent() || !lock_.try_lock()) {
            return 0;
        }
        ended_operations ended;
        {
            const std::lock_guard here(lock_, std::adopt_lock);
            submit(ended);
            reap_all(ended);
        }
        return wake(ended, sync::urgency::none);
    }

    void let_others_in(bool wanted) noexcept override {
        is_lent_.store(wanted, std::memory_order_relaxed);  // published with the stream's port
    }

    // Also where spare streams look here: they may have handed operations over, too, and end.
    void end_all() noexcept override {
        ended_operations ended;
        const one_at_a_time here(*this);
        give_back_all(ended);
        cancel_waiting();
        while (under_way_ != 0 && wait_for_an_end()) {
            reap_all(ended);
        }
        wake(ended, sync::urgency::none);
    }

private:
    // Operations that have ended. Their units wait until wake().
    struct ended_operations {
        sync::record_chain<ds::default_atomics> records;
        int count = 0;

        void add(operation& done, std::int64_t result) noexcept {
            done.result = result;
            records.add(&done.record);
            ++count;
        }
    };
    static int wake(const ended_operations& ended, sync::urgency how) noexcept {
        sync::wake_all(ended.records.first(), how);
        return ended.count;
    }

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

    // What the kernel does not take now it takes next time. If it takes no more at all, units make
    // their calls otherwise.
    void submit(ended_operations& ended) noexcept {
        if (::io_uring_sq_ready(&ring_) == 0) {
            return;
        }
        const base::errno_guard keeps_errno;
        const int taken = ::io_uring_submit(&ring_);
        under_way_ += std::max(taken, 0);
        if (taken < 0 && !is_passing(-taken)) LAZULT_UNLIKELY {
            is_usable_.store(false, std::memory_order_relaxed);  // the lock decides
            give_back_all(ended);
        }
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

    void reap_all(ended_operations& ended) noexcept {
        const base::errno_guard keeps_errno;
        io_uring_cqe* found = nullptr;
        while (::io_uring_peek_cqe(&ring_, &found) == 0) {
            auto* const done = static_cast<operation*>(::io_uring_cqe_get_data(found));
            const std::int64_t result = found->res;
            ::io_uring_cqe_seen(&ring_, found);
            end(done, result, ended);
            --under_way_;
        }
    }

    // nullptr: a cancellation, for which no unit waits.
    void end(operation* done, std::int64_t result, ended_operations& ended) noexcept {
        if (done == nullptr) LAZULT_UNLIKELY {
            return;
        }
        if (done->wanted.waits_for_others) LAZULT_UNLIKELY {
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

    bool wait_for_an_end() noexcept {
        const base::errno_guard keeps_errno;
        const int taken = ::io_uring_submit_and_wait(&ring_, 1);
        under_way_ += std::max(taken, 0);
        return taken >= 0 || is_passing(-taken);
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
        ended_operations given_back;
        const bool has_entered = fill_entry(mine, given_back);
        wake(given_back, sync::urgency::quietly);
        return has_entered;
    }

    // When the lock is released, the operation may be gone: another thread hands it to the kernel,
    // and reaps its end.
    bool fill_entry(operation& mine, ended_operations& given_back) noexcept {
        const one_at_a_time here(*this);
        io_uring_sqe* const entry = free_entry(given_back);
        if (entry == nullptr) LAZULT_UNLIKELY {
            return false;
        }
        prepare(*entry, mine.wanted);
        ::io_uring_sqe_set_data(entry, &mine);
        if (mine.wanted.waits_for_others) LAZULT_UNLIKELY {
            waiting_.add(mine);
        }
        return true;
    }

    io_uring_sqe* free_entry(ended_operations& given_back) noexcept {
        io_uring_sqe* const entry = is_usable() ? ::io_uring_get_sqe(&ring_) : nullptr;
        if (entry != nullptr || !is_usable()) LAZULT_LIKELY {
            return entry;
        }
        submit(given_back);
        return is_usable() ? ::io_uring_get_sqe(&ring_) : nullptr;
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

    std::mutex lock_;
    ds::default_atomics::atomic<bool> is_lent_{false};
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
