// SPDX-License-Identifier: BSD-3-Clause
// What is known of a file descriptor, and the units that wait until it is ready.
//
// field        written by                  read by             order
// queues       units, the port's poll      the same            wait_queue's, see edge_queue
// turn_        units                       the same            the semaphore's
// life_        adopt, close, release       units               release / acquire: a unit that waits
//                                                              while the descriptor is closed finds
//                                                              the number changed, and does not use
//                                                              the descriptor that has come in its
//                                                              place
// about_       adopt, close, release;      units               the same; the counts of moments:
//              units that accept or                            acq_rel
//              connect
// port_        a unit that begins to wait  units               release / acquire: the port
// The last three change while both queues' spin bits are held, so a unit that lists its record
// under one of the bits has looked at all three.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lazult/io/call.hpp"
#include "lazult/io/edge_queue.hpp"

namespace lazult::io::inner {

class port;

class alignas(base::cache_line) descriptor {
public:
    using queue = edge_queue<>;
    using word = queue::word;

    // Its token is held by the unit that makes a call that cannot be tried.
    sync::semaphore& turn() noexcept { return turn_; }
    queue& towards(direction way) noexcept { return way == direction::in ? in_ : out_; }

    std::uint32_t life() const noexcept {
        return life_.load(std::memory_order_acquire);  // pairs with: begin_life()
    }
    // Whether it belongs to lazult::io, so that its kind and registration stay true.
    bool is_owned() const noexcept { return (about() & owned) != 0; }
    // Of an owned one.
    kind what() const noexcept { return static_cast<kind>(about() & 0xff); }

    // accept and connect set O_NONBLOCK for the moment of their system call, if the program has not
    // set it. These count such moments, so that a reader of the mode can tell one from the other.
    // A call of fcntl that sees the mode of a moment also sees that it has begun, because both
    // calls take the kernel's lock of that descriptor.
    void begin_moment() noexcept {
        about_.fetch_add(one_moment + one_begun, std::memory_order_acq_rel);  // pairs with: about()
    }
    void end_moment() noexcept {
        about_.fetch_sub(one_moment, std::memory_order_acq_rel);  // pairs with: about()
    }
    // Calls read_mode(), and returns whether there was a moment meanwhile.
    template <class Read>
    bool has_moment_during(Read read_mode) noexcept {
        const std::uint32_t before = about();
        read_mode();
        const std::uint32_t after = about();
        return (before & any_moment) != 0 || before / one_moment != after / one_moment;
    }

    // Each of these begins a new life, and wakes all waiters: their descriptor is gone.
    void adopt(kind what) noexcept { begin_life(owned | static_cast<std::uint32_t>(what)); }
    void disown() noexcept { begin_life(0); }

    port* watcher() const noexcept {
        return port_.load(std::memory_order_acquire);  // pairs with: both_held::set_watcher()
    }

    bool is_unwaited() noexcept;
    // Wakes all waiters, which try their calls again.
    void have_all_try_again() noexcept;
    // In a forked child: nobody waits here, and no port watches.
    void forget_parent() noexcept;

    // Both spin bits, always in the same order.
    class both_held {
    public:
        explicit both_held(descriptor& d) noexcept
            : d_(d), in_(d.in_.hold()), out_(d.out_.hold()) {}
        ~both_held() {
            d_.out_.let_go(out_);
            d_.in_.let_go(in_);
        }
        both_held(const both_held&) = delete;
        both_held& operator=(const both_held&) = delete;

        bool is_unwaited() const noexcept { return d_.in_.empty() && d_.out_.empty(); }
        void set_watcher(port* by) noexcept {
            d_.port_.store(by, std::memory_order_release);  // pairs with: watcher()
        }
        void count_edges(word cleared) noexcept {
            for (word* each : {&in_, &out_}) {
                *each = queue::after_edge(*each) & ~cleared;
            }
        }

    private:
        descriptor& d_;
        word in_;
        word out_;
    };

private:
    friend struct descriptor_layout;
    static constexpr std::uint32_t owned = 0x100;
    // Two counts of eight bits: moments that there are now, and those that have begun, which goes
    // round. They outlive the descriptor's life.
    static constexpr std::uint32_t one_moment = 1U << 16;
    static constexpr std::uint32_t any_moment = 0xffU << 16;
    static constexpr std::uint32_t one_begun = 1U << 24;

    std::uint32_t about() const noexcept {
        // pairs with: begin_life(), begin_moment(), end_moment()
        return about_.load(std::memory_order_acquire);
    }
    void begin_life(std::uint32_t about) noexcept;
    // Counts an edge in both directions, clears the bits `cleared` there, too, and wakes all.
    template <class Change>
    void wake_everybody(word cleared, Change change) noexcept;

    sync::semaphore turn_{1};
    queue in_;
    queue out_;
    ds::default_atomics::atomic<port*> port_{nullptr};
    ds::default_atomics::atomic<std::uint32_t> life_{0};
    ds::default_atomics::atomic<std::uint32_t> about_{0};
};
static_assert(sizeof(descriptor) == base::cache_line);

// All descriptors of the process, by number. Returns nullptr for numbers above the table's end, and
// if there is no memory. Never moves.
descriptor* find_descriptor(int fd) noexcept;
// The descriptor to which a queue belongs, and which of its queues it is. fd is -1 if there is
// none.
struct place {
    int fd = -1;
    direction way = direction::in;
};
place find_queue(const void* queue) noexcept;

// The two ends of a pipe are linked, so that a unit that uses one wakes units that wait for the
// other. A link that points to a later life by mistake would do no harm: units there would try in
// vain.
void link_ends(int one, int other) noexcept;
void unlink_end(int fd) noexcept;
// nullptr: the descriptor has no such link, or the other end's life is over.
descriptor* other_end_of(int fd) noexcept;

// In a forked child.
void forget_parents_waits() noexcept;

}  // namespace lazult::io::inner
