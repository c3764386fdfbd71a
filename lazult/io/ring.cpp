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
    }
    ~kernel_ring() override {
        if (is_there_) {
            ::io_uring_queue_exit(&ring_);
        }
    }
    bool is_there() const noexcept { return is_there_; }
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
        sync::block(mine.record, [](sync::waiter<>&) noexcept { return true; });
        return mine.result;
    }

    int submit_and_reap() noexcept override {
        const one_at_a_time here(*this);
        if (::io_uring_sq_ready(&ring_) != 0) {
            const base::errno_guard keeps_errno;
            ::io_uring_submit(&ring_);  // what it does not take now it takes next time
        }
        return reap_all();
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

    int reap_all() noexcept {
        const base::errno_guard keeps_errno;
        int reaped = 0;
        io_uring_cqe* end = nullptr;
        while (::io_uring_peek_cqe(&ring_, &end) == 0) {
            auto* const done = static_cast<operation*>(::io_uring_cqe_get_data(end));
            done->result = end->res;
            ::io_uring_cqe_seen(&ring_, end);
            sync::wake(&done->record, sync::urgency::quietly);
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

    // Returns false if the ring is full.
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
        io_uring_sqe* entry = ::io_uring_get_sqe(&ring_);
        if (entry == nullptr) {
            const base::errno_guard keeps_errno;
            ::io_uring_submit(&ring_);
            entry = ::io_uring_get_sqe(&ring_);
        }
        return entry;
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
};

}  // namespace

std::unique_ptr<ring> ring::make() noexcept {
    std::unique_ptr<kernel_ring> fresh(new (std::nothrow) kernel_ring);
    return fresh != nullptr && fresh->is_there() ? std::move(fresh) : nullptr;
}

#else

std::unique_ptr<ring> ring::make() noexcept { return nullptr; }

#endif

const char* file_backend() noexcept { return ring::is_possible() ? "io_uring" : "helper threads"; }

bool ring::is_possible() noexcept {
    static const bool can_make = make() != nullptr;
    return can_make && base::current_settings().io != base::io_kind::threads;
}

}  // namespace lazult::io::inner
