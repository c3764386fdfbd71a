// SPDX-License-Identifier: BSD-3-Clause
// What is known of a file descriptor, and the units that wait until it is ready.
//
// A port watches the descriptor edge-triggered: it hears when the descriptor becomes ready, not
// that it still is. A unit tries its call first, and waits if the call would block. It must not
// miss an edge that comes between the two. So each edge counts: a unit reads the count before it
// tries, and does not begin to wait if the count has changed since.
//
// The state in a queue's word:
//   bits                     set by                         cleared by
//   spent                    a unit that found the          an edge
//                            descriptor exhausted
//   doubtful                 an edge that says more than    the next life
//                            "ready": the other side has
//                            closed, an error, urgent data
//   edges (the other bits)   an edge adds one               (goes round)
// A unit that meets `spent` waits without a try, unless the state is doubtful. Each edge, and each
// unit that leaves the descriptor ready, wakes one waiter, which passes the wake-up on if the
// descriptor is still ready after its call. So of a thousand units that accept connections, one
// wakes for one connection.
//
// field        written by                  read by             order
// queues       units, the port's poll      the same            wait_queue's
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
#include "lazult/sync/sync.hpp"

namespace lazult::io::inner {

class port;

class alignas(base::cache_line) descriptor {
public:
    using queue = sync::wait_queue<>;
    using word = queue::word;
    static constexpr word spent = queue::one;
    static constexpr word doubtful = queue::one << 1;
    static constexpr word one_edge = queue::one << 2;

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

    // The port heard of an edge. Returns how many units were made ready.
    int hear(direction way, bool is_doubtful) noexcept;
    // Notes that a call, before which the word was `seen`, has left nothing.
    void exhaust(direction way, word seen) noexcept;
    // A call has left the descriptor as ready as it was: wakes the next waiter.
    void pass_on(direction way) noexcept {
        if ((towards(way).peek() & queue::waited_for) != 0) LAZULT_UNLIKELY {
            wake_one(way);
        }
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
                *each = ((*each | cleared) - cleared) + one_edge;
            }
        }

    private:
        descriptor& d_;
        word in_;
        word out_;
    };

    static bool is_exhausted(word state) noexcept { return (state & (spent | doubtful)) == spent; }
    static bool has_edge_since(word state, word seen) noexcept {
        return state / one_edge != seen / one_edge;
    }

private:
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
    // Counts an edge in both directions, in which the bits `cleared` are cleared, and wakes all.
    template <class Change>
    void wake_everybody(word cleared, Change change) noexcept;
    int wake_one(direction way) noexcept;

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

// In a forked child.
void forget_parents_waits() noexcept;

}  // namespace lazult::io::inner
