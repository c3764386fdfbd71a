// SPDX-License-Identifier: BSD-3-Clause
// A stream's port: an epoll descriptor, in which descriptors are watched edge-triggered, and an
// eventfd, by which other threads end the stream's sleep.
//
// The life of a port. Ports are never freed, because a late waker may still interrupt one.
//   free      -> attached   by a stream's first wait in the kernel
//   attached  -> free       by the stream's end, if nobody waits here
//   attached  -> kept       by the stream's end, if units wait here: a service thread polls it
//   kept      -> free       by that thread, when nobody waits here any more
//   kept      -> attached   never; a new stream takes a free port, or makes one
// A unit that begins to wait in a port calls expect(+1), and then looks at the state. A thread that
// leaves a port stores `free`, and then looks whether units wait. So one of them sees the other:
// the unit has its descriptor watched by another port, or the thread keeps the port.
//
// field     written by                       read by            order
// state_    its stream, its service thread   units              seq_cst, with waits_: see above
// epoll_..  the constructor                  anybody            published with the port
#pragma once

#include <cstdint>
#include <memory>
#include <thread>

#include "lazult/io/descriptor.hpp"
#include "lazult/io/ring.hpp"

namespace lazult::io::inner {

class port final : public core::kernel_port {
public:
    // The port of the calling stream, or of the OS thread where a door's own scheduler runs, which
    // must look there, too. Returns nullptr if the system has no descriptors or memory left, and on
    // other threads.
    static port* mine() noexcept;

    // Watches a descriptor, from now on or anew: if it is ready now, that counts as an edge.
    // Returns 0, or -errno; -EPERM: it is of a kind that cannot be watched.
    int watch(descriptor& d, int fd, bool is_watched_already) noexcept;
    void unwatch(int fd) noexcept;

    // A unit begins to wait here. Returns false if the port has no stream: then it does not wait.
    bool begin_wait() noexcept;
    void end_wait() noexcept;

    // The stream's ring, for its own units; nullptr if there is none, or LAZULT_IO forbids it.
    ring* own_ring() noexcept {
        return base::current_settings().io == base::io_kind::threads ? nullptr : ring_.get();
    }

    int poll() noexcept override;
    int poll_for_holder() noexcept override;
    bool sleep(std::int64_t deadline_ns) noexcept override;
    void interrupt() noexcept override;
    void leave() noexcept override;

    // Whether units wait in any port.
    static bool are_any_awaited() noexcept;
    // In a forked child: the parent's ports are not the child's.
    static void forget_parents() noexcept;

private:
    enum class state : std::uint8_t { free, attached, kept };
    static constexpr int most_events = 32;

    port() noexcept;
    static port* take_or_make() noexcept;
    static port* take_free() noexcept;
    static port* make() noexcept;
    bool is_usable() const noexcept { return epoll_ >= 0 && bell_ >= 0; }
    int collect(std::int64_t timeout_ns, bool& in_time) noexcept;
    static int hear(descriptor& d, std::uint32_t events, sync::urgency how) noexcept;
    void tell_others(int ready) noexcept;
    bool becomes_free() noexcept;
    void keep() noexcept;
    void serve_until_unawaited() noexcept;

    int epoll_ = -1;
    int bell_ = -1;
    std::unique_ptr<ring> ring_;
    ds::default_atomics::atomic<state> state_{state::free};
    port* next_ = nullptr;  // in the list of all ports
};

}  // namespace lazult::io::inner
