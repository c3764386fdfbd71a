// SPDX-License-Identifier: BSD-3-Clause
// An io_uring, in which a stream's units leave file operations. The stream hands them to the kernel
// together, when it looks into its port, and finds there which have ended.
//
// The ring is used by one thread: the port's stream, or the service thread that keeps the port. A
// unit of that stream fills an entry when it has left, or is about to. So without spare streams no
// lock is needed. The kernel ends an operation in the thread that has handed it over. When that
// thread has ended, some get errors, and some reads leave the file's position where it was. So a
// stream waits in end_all() before it ends.
//
// With LAZULT_SPARE or LAZULT_QUANTUM the ring is lent: spare streams look into the rings of caught
// streams. Then no stream hands operations over, because it may be caught before they end, and in
// state D the kernel cannot end them. A service thread of the ring does that, and it never ends.
// Units leave their operations in a queue; a look of the stream, or of a spare stream, calls the
// service thread. So that thread alone uses the ring's entries, and the ends have a lock. The
// holder waits for the lock; a spare stream only tries to take it. Units are made ready after the
// lock is released, because users' pools may be called for that.
//
// field       written by                  read by             order
// is_lent_    let_others_in()             all that use the    relaxed: written before a stream has
//                                         ring                the port
// is_usable_  the thread that hands       units, that thread  relaxed: that thread gives back what
//             operations over                                 comes later, too
// is_served_  let_others_in()             the same            the lock of all ports
// left_       units, service thread       the same; looks     its lock's
// entries of  lent: service thread;       the same            one thread's
// ring_       else the holder
// ends of     lent: the lock's holders;   the same            the lock's; without one, one thread's
// ring_       else the holder
// waiting_    the holder, if not lent     the same            one thread's
// under_way_  the holder, if not lent     the same            one thread's
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
    off_t offset = -1;              // -1: the file's position
    bool waits_for_others = false;  // for ever, perhaps, as a read of a terminal does
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
    // Returns its result, or -errno. -EBUSY, -ECANCELED, -EINTR: nothing was done, because the ring
    // is full, the kernel takes no more, or the stream has ended.
    virtual std::int64_t perform(core::work_unit* self, const file_operation& wanted) = 0;
    // Hands new operations to the kernel, or has that done. Returns how many units were made ready.
    virtual int submit_and_reap() noexcept = 0;
    virtual int reap() noexcept = 0;
    // For any other thread: what submit_and_reap() does, unless the ring is in use.
    virtual int try_submit_and_reap() noexcept = 0;
    // Whether other threads do that from now on. Called while only the caller has the ring. Without
    // a service thread, which the system may refuse, they do not.
    virtual void let_others_in(bool wanted) noexcept = 0;
    // The holder, before its OS thread may end: waits until all operations have ended that it has
    // handed over. It cancels those that wait for others, as perform() says; after a second it
    // cancels all, and after another one it leaves those that do not end.
    virtual void end_all() noexcept = 0;
    // Whether the kernel did not take all that the holder handed to it.
    virtual bool has_unsubmitted() noexcept = 0;
    // Readable while operations have ended and were not reaped.
    virtual int descriptor() const noexcept = 0;
};

}  // namespace lazult::io::inner
