// SPDX-License-Identifier: BSD-3-Clause
// Unbounded lock-free FIFO queue, many producers and many consumers. It allocates nothing once each
// element has a node.
//
// Source: Michael and Scott, "Simple, Fast, and Practical Non-Blocking and Blocking Concurrent
// Queue Algorithms" (PODC 1996). There a push allocates a node and a pop frees one. Here each
// element owns one node (its traits say where the pointer is). A push links the element's node into
// the queue. A pop leaves that node in the queue as the new dummy, and the element gets the old
// dummy. So nodes move between elements and queues.
//
// Traits of T, all static (derive from ds::slab_nodes<Atomics> for the second and the third):
//   mpmc_node<Atomics>*& node_of(T*)      where the element keeps the node that it owns. Null at
//                                         first; push() then takes a node. The node stays with the
//                                         element's memory when that is reused. give_node() it
//                                         before the memory is freed.
//   mpmc_node<Atomics>* take_node()       a node from memory that is never unmapped while the
//                                         process lives. A free node may read as 0; the tag of its
//                                         next use is higher: see ds/node_slab.hpp
//   void give_node(mpmc_node<Atomics>*)   gives such a node back
//
// field          | written by              | read by   | order
// head_          | poppers                 | all       | acquire (second load: relaxed) / CAS
//                |                         |           | release
// tail_          | pushers and helpers     | all       | acquire (second load: relaxed) / CAS
//                |                         |           | release
// node.next      | pusher that links there | all       | acquire / CAS release
//                | pusher that owns it     |           | release: see unlinked()
// node.value     | pusher that owns it     | poppers   | relaxed: link() publishes, head_'s CAS
//                |                         |           | validates
// node.position  | pusher that owns it     | pushers,  | relaxed, as value. The number of the node
//                |                         | size      | in the queue, from which size_estimate()
//                |                         |           | is computed without a shared counter
//
// ABA. head_, tail_ and next carry a 22-bit tag that every change of the word increments. A node
// keeps the tag of its next when it changes hands. A stale CAS succeeds wrongly only if, between
// one thread's load and its CAS, the word changed exactly a multiple of 4,194,304 times and holds
// the same node again. A stale load is harmless, because nodes are never unmapped.
#pragma once

#include "lazult/ds/node_slab.hpp"

#include <cstddef>
#include <cstdint>

namespace lazult::ds {

template <class T, class Traits, class Atomics = default_atomics>
class mpmc_queue {
public:
    using node = mpmc_node<Atomics>;

    // Throws what Traits::take_node() throws: the queue needs a dummy.
    mpmc_queue() : mpmc_queue(Traits::take_node()) {}
    // Precondition: no other thread uses the queue any more. Elements that are still in the queue
    // keep the nodes that they own.
    ~mpmc_queue() {
        // pairs with: pop(), CAS of head_
        Traits::give_node(at(head_.load(std::memory_order_acquire)));
    }

    // Any thread: adds the item at the end. Throws what Traits::take_node() throws if the element
    // owns no node yet; else never.
    void push(T* item) {
        node* const mine = prepared_node(item);
        for (;;) {
            // pairs with: advance_tail()
            const std::uint64_t tail = tail_.load(std::memory_order_acquire);
            // Acquire: if this node has left the queue, its new owner has stored this next, and the
            // second load of tail_ differs. pairs with: link(), and prepared_node()
            std::uint64_t next = at(tail)->next.load(std::memory_order_acquire);
            // pairs with: link() or prepared_node() of that node's pusher, through tail_
            const std::uint64_t position = at(tail)->position.load(std::memory_order_relaxed);
            // Relaxed: the acquire load of next comes before it. Pairs with: advance_tail()
            if (tail != tail_.load(std::memory_order_relaxed)) {
                Atomics::pause();
                continue;
            }
            if (at(next) != nullptr) {
                advance_tail(tail, at(next));
                continue;
            }
            mine->position.store(position + 1, std::memory_order_relaxed);  // published by link()
            if (link(*at(tail), next, mine)) {
                advance_tail(tail, mine);
                return;
            }
            Atomics::pause();
        }
    }

    // Any thread: takes the oldest item. Null means that the queue was empty at some moment.
    T* pop() {
        for (;;) {
            // pairs with: its CAS below
            std::uint64_t head = head_.load(std::memory_order_acquire);
            // pairs with: advance_tail()
            const std::uint64_t tail = tail_.load(std::memory_order_acquire);
            // pairs with: link(), and prepared_node()
            const std::uint64_t next = at(head)->next.load(std::memory_order_acquire);
            if (at(next) == nullptr) {
                // Relaxed: the acquire load of next comes before it. Pairs with: the CAS below
                if (head == head_.load(std::memory_order_relaxed)) {
                    return nullptr;
                }
                Atomics::pause();
                continue;
            }
            // head_ must not pass tail_, because push() would then link to a node that is gone
            if (at(tail) == at(head)) {
                advance_tail(tail, at(next));
                continue;
            }
            // Loaded before the CAS, because afterwards another popper may pass the node on.
            // Pairs with: prepared_node()
            void* const value = at(next)->value.load(std::memory_order_relaxed);
            // Release: the load of value comes before the node's reuse. No acquire, because the
            // loads above have acquired everything.
            // pairs with: the acquire loads of head_
            if (head_.compare_exchange_strong(head, tagged_address::after(head, at(next)),
                                              std::memory_order_release,
                                              std::memory_order_relaxed)) {
                T* const item = static_cast<T*>(value);
                Traits::node_of(item) = at(head);
                return item;
            }
            Atomics::pause();
        }
    }

    // Any thread. Shows the elements, oldest first, and takes none out. An element that is pushed
    // or popped meanwhile may be shown or not; none is shown twice. This is safe because nodes are
    // never unmapped, and all nodes behind head_ are in the queue as long as head_ stays the same.
    // If head_ has moved, the walk goes on behind the new head. It skips nodes that were
    // shown, which it knows by their positions.
    template <class Visit>
    void for_each(Visit&& visit) const {
        // pairs with: pop(), CAS of head_
        std::uint64_t head = head_.load(std::memory_order_acquire);
        std::uint64_t shown = position_of(*at(head));
        // pairs with: pop(), CAS of head_
        for (std::uint64_t now = head_.load(std::memory_order_acquire); now != head;
             now = head_.load(std::memory_order_acquire)) {
            head = now;
            shown = position_of(*at(head));
        }
        // The walk ends at the present tail. Later elements were pushed after the call, and
        // showing them might never end. pairs with: advance_tail()
        const std::uint64_t end = position_of(*at(tail_.load(std::memory_order_acquire))) + 1;
        for (const node* last = at(head);;) {
            // pairs with: link(), and prepared_node()
            const node* const each = at(last->next.load(std::memory_order_acquire));
            const std::uint64_t position = each == nullptr ? shown : position_of(*each);
            // published by link()
            void* const value =
                each == nullptr ? nullptr : each->value.load(std::memory_order_relaxed);
            // Acquire: if a popper has passed on a node that was read above, this load sees another
            // head. pairs with: pop()
            if (const std::uint64_t now = head_.load(std::memory_order_acquire); now != head) {
                head = now;
                last = at(head);
                continue;
            }
            if (each == nullptr || static_cast<std::int64_t>(position - end) > 0) {
                return;
            }
            last = each;
            if (static_cast<std::int64_t>(position - shown) > 0) {
                shown = position;
                visit(static_cast<T*>(value));
            }
        }
    }

    // Any thread. False means that there was an element at some moment of the call; true, that
    // there was none at some moment of the call.
    bool empty_estimate() const {
        for (;;) {
            const std::uint64_t head =
                head_.load(std::memory_order_acquire);  // pairs with: pop(), CAS of head_
            // pairs with: link(), and prepared_node()
            const std::uint64_t next = at(head)->next.load(std::memory_order_acquire);
            // Relaxed: the acquire load of next comes before it. Pairs with: pop(), CAS of head_
            if (head == head_.load(std::memory_order_relaxed)) {
                return at(next) == nullptr;
            }
            Atomics::pause();
        }
    }

    // Any thread. Exact while no other thread uses the queue.
    std::size_t size_estimate() const {
        // pairs with: pop(), CAS of head_
        const std::uint64_t head = head_.load(std::memory_order_acquire);
        // pairs with: advance_tail()
        const std::uint64_t tail = tail_.load(std::memory_order_acquire);
        // pairs with: push(); an estimate: either node may be elsewhere by now
        const std::uint64_t first = at(head)->position.load(std::memory_order_relaxed);
        const std::uint64_t last = at(tail)->position.load(std::memory_order_relaxed);
        const auto difference = static_cast<std::int64_t>(last - first);
        return difference > 0 ? static_cast<std::size_t>(difference) : 0;
    }

private:
    template <class U>
    using atomic = typename Atomics::template atomic<U>;

    explicit mpmc_queue(node* dummy)
        : head_(tagged_address::pack(unlinked(dummy), 0)), tail_(tagged_address::pack(dummy, 0)) {}

    static node* at(std::uint64_t packed) { return tagged_address::address<node>(packed); }

    static std::uint64_t position_of(const node& of) {
        // pairs with: push(), published by link()
        return of.position.load(std::memory_order_relaxed);
    }

    // Makes the node's next null, for a node that will be the last. Release: a slow thread may take
    // the node for the tail of the queue that it left. If that thread reads this null, its second
    // load of tail_ or head_ must show that the queue has moved on.
    // pairs with: the acquire loads of next
    static node* unlinked(node* fresh) {
        const std::uint64_t old =
            fresh->next.load(std::memory_order_relaxed);  // pairs with: link(), for its tag
        fresh->next.store(tagged_address::after(old, nullptr), std::memory_order_release);
        return fresh;
    }

    static node* prepared_node(T* item) {
        node*& owned = Traits::node_of(item);
        if (owned == nullptr) LAZULT_UNLIKELY {
            owned = Traits::take_node();
        }
        owned->value.store(item, std::memory_order_relaxed);  // published by link()
        return unlinked(owned);
    }

    // Links `fresh` behind `last` if `last` still has the next that the caller saw.
    // pairs with: the acquire loads of next
    static bool link(node& last, std::uint64_t next, node* fresh) {
        return last.next.compare_exchange_strong(next, tagged_address::after(next, fresh),
                                                 std::memory_order_release,
                                                 std::memory_order_relaxed);
    }

    // Moves tail_ to `last`. A failure means that another thread has moved it.
    // pairs with: the acquire loads of tail_
    void advance_tail(std::uint64_t tail, node* last) {
        tail_.compare_exchange_strong(tail, tagged_address::after(tail, last),
                                      std::memory_order_release, std::memory_order_relaxed);
    }

    alignas(base::cache_line) atomic<std::uint64_t> head_;
    alignas(base::cache_line) atomic<std::uint64_t> tail_;
};

}  // namespace lazult::ds
