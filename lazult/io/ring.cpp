// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/ring.hpp"

#include <cerrno>
#include <new>

#if LAZULT_HAVE_LIBURING
#include <liburing.h>
#endif

namespace lazult::io::inner {

#if LAZULT_HAVE_LIBURING

namespace {

constexpr unsigned entries = 256;

class kernel_ring final : public ring {
public:
    kernel_ring() noexcept {
        const base::errno_guard keeps_errno;
        // The kernel delivers ends when the stream enters it anyhow, and does not interrupt it.
        is_there_ = ::io_uring_queue_init(entries, &ring_, IORING_SETUP_COOP_TASKRUN) == 0 ||
                    ::io_uring_queue_init(entries, &ring_, 0) == 0;
        is_usable_ = is_there_ && keeps_all_ends() && can_be_entered();
    }
    ~kernel_ring() override {
        if (is_there_) {
            ::io_uring_queue_exit(&ring_);
        }
    }
    bool is_usable() const noexcept { return is_usable_; }
    int descriptor() const noexcept override { return ring_.ring_fd; }

    bool has_unsubmitted() noexcept override {
        const one_at_a_time here(*this);
        return ::io_uring_sq_ready(&ring_) != 0;
    }

    std::int64_t perform(core::work_unit* self, const file_operation& wanted) override {
        operation mine(self);
        if (!enter(mine, wanted)) {
            return -EBUSY;
        }
        sync::block(mine.record, [this](sync::waiter<>&) noexcept {
            // The unit that runs next has read the record, and no end is reaped before.
            const one_at_a_time here(*this);
            return true;
        });
        return mine.result;
    }

    int submit_and_reap() noexcept override {
        const one_at_a_time here(*this);
        const int given_back = submit();
        return given_back + reap_all();
    }

    int reap() noexcept override {
        const one_at_a_time here(*this);
        return reap_all();
    }

private:
    // On the stack of the unit that waits.
    struct operation {
        explicit operation(core::work_unit* self) noexcept
            : record(self, sync::wait_kind::file_operation, this) {}
        sync::waiter<> record;
        std::int64_t result = 0;
    };

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
    // their calls otherwise. Returns how many were made ready for that.
    int submit() noexcept {
        if (::io_uring_sq_ready(&ring_) == 0) {
            return 0;
        }
        const base::errno_guard keeps_errno;
        const int taken = ::io_uring_submit(&ring_);
        if (taken >= 0 || is_passing(-taken)) LAZULT_LIKELY {
            return 0;
        }
        is_usable_ = false;
        return give_back_all();
    }

    static bool is_passing(int error) noexcept {
        return error == EAGAIN || error == EBUSY || error == EINTR || error == ENOMEM;
    }

    // The kernel reads entries only while the stream enters the ring, so those that it has not
    // taken are the stream's.
    int give_back_all() noexcept {
        io_uring_sq& queue = ring_.sq;
        int ready = 0;
        const unsigned first = queue.sqe_tail - ::io_uring_sq_ready(&ring_);
        for (unsigned at = first; at != queue.sqe_tail; ++at) {
            const io_uring_sqe& entry = queue.sqes[at & *queue.kring_mask];
            end(*reinterpret_cast<operation*>(entry.user_data), -ECANCELED);
            ++ready;
        }
        queue.sqe_head = queue.sqe_tail = *queue.ktail = first;
        return ready;
    }

    // From here on the operation may be gone.
    static void end(operation& done, std::int64_t result) noexcept {
        done.result = result;
        sync::wake(&done.record, sync::urgency::quietly);
    }

    int reap_all() noexcept {
        const base::errno_guard keeps_errno;
        int reaped = 0;
        io_uring_cqe* found = nullptr;
        while (::io_uring_peek_cqe(&ring_, &found) == 0) {
            auto* const done = static_cast<operation*>(::io_uring_cqe_get_data(found));
            const std::int64_t result = found->res;
            ::io_uring_cqe_seen(&ring_, found);
            end(*done, result);
            ++reaped;
        }
        return reaped;
    }

    // For ThreadSanitizer, which takes the units of one OS thread for threads of their own.
    class one_at_a_time {
    public:
        explicit one_at_a_time(kernel_ring& ring) noexcept : ring_(ring) { probe::acquire(&ring_); }
        ~one_at_a_time() { probe::release(&ring_); }
        one_at_a_time(const one_at_a_time&) = delete;
        one_at_a_time& operator=(const one_at_a_time&) = delete;

    private:
        kernel_ring& ring_;
    };

    // Returns false if the ring is full, or not usable any more.
    bool enter(operation& mine, const file_operation& wanted) noexcept {
        const one_at_a_time here(*this);
        io_uring_sqe* const entry = free_entry();
        if (entry == nullptr) {
            return false;
        }
        prepare(*entry, wanted);
        ::io_uring_sqe_set_data(entry, &mine);
        return true;
    }

    io_uring_sqe* free_entry() noexcept {
        io_uring_sqe* const entry = is_usable_ ? ::io_uring_get_sqe(&ring_) : nullptr;
        if (entry != nullptr || !is_usable_) LAZULT_LIKELY {
            return entry;
        }
        submit();
        return is_usable_ ? ::io_uring_get_sqe(&ring_) : nullptr;
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

    io_uring ring_{};
    bool is_there_;
    bool is_usable_;
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
