// SPDX-License-Identifier: BSD-3-Clause
// An io_uring, in which a stream's units leave file operations. The stream hands them to the kernel
// together, when it looks into its port, and finds there which have ended.
//
// The ring is used by one thread: the port's stream, or the service thread that keeps the port. A
// unit fills an entry while it runs on that stream, and then suspends. So no lock is needed, and an
// operation cannot end before its unit has left.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstdint>
#include <memory>
#include <span>

#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {

// A call as a ring makes it. Fields that the action does not use stay as they are.
struct file_operation {
    enum class action : std::uint8_t { read, write, sync, sync_data };
    int fd = -1;
    action what = action::read;
    std::span<const iovec> pieces;
    off_t offset = -1;  // -1: the file's position
};

// How streams make calls on files now: "io_uring" or "helper threads".
const char* file_backend() noexcept;

class ring {
public:
    // Returns nullptr if the kernel or a filter forbids rings, or if the library was built without
    // liburing.
    static std::unique_ptr<ring> make() noexcept;
    // Whether streams use rings. Asks the kernel.
    static bool is_possible() noexcept;
    virtual ~ring() = default;

    // Suspends the calling unit, which runs on the ring's stream, until the operation has ended.
    // Returns its result, or -errno. -EBUSY, -ECANCELED: nothing was done, because the ring is full
    // or the kernel takes no more.
    virtual std::int64_t perform(core::work_unit* self, const file_operation& wanted) = 0;
    // Hands new operations to the kernel. Returns how many units were made ready.
    virtual int submit_and_reap() noexcept = 0;
    virtual int reap() noexcept = 0;
    // Whether the kernel did not take all that was handed to it.
    virtual bool has_unsubmitted() noexcept = 0;
    // Readable while operations have ended and were not reaped.
    virtual int descriptor() const noexcept = 0;
};

}  // namespace lazult::io::inner
