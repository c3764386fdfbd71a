// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "lazult/base/misuse.hpp"

namespace lazult::base {

// A singly linked queue through a member of its elements: intrusive_fifo<waiter, &waiter::next>.
// The member may belong to a base class of T. Not synchronised: the owner protects the queue by a
// lock, or uses it on one stream only.
template <class T, auto Next>
class intrusive_fifo {
public:
    intrusive_fifo() noexcept = default;
    intrusive_fifo(intrusive_fifo&& other) noexcept { append(other); }
    intrusive_fifo& operator=(intrusive_fifo&&) = delete;
    intrusive_fifo(const intrusive_fifo&) = delete;
    intrusive_fifo& operator=(const intrusive_fifo&) = delete;

    bool empty() const noexcept { return first_ == nullptr; }
    T* front() const noexcept { return first_; }
    T* back() const noexcept { return last_; }
    static T* next(const T* item) noexcept { return static_cast<T*>(item->*Next); }

    void push_back(T* item) noexcept {
        item->*Next = nullptr;
        if (last_ == nullptr) {
            first_ = item;
        } else {
            last_->*Next = item;
        }
        last_ = item;
    }

    void push_front(T* item) noexcept {
        item->*Next = first_;
        first_ = item;
        if (last_ == nullptr) {
            last_ = item;
        }
    }

    // Returns nullptr when the queue is empty.
    T* pop_front() noexcept {
        T* item = first_;
        if (item != nullptr) {
            unlink_after(nullptr, item);
        }
        return item;
    }

    // Takes linear time. Returns false when the item is not in the queue.
    bool remove(T* item) noexcept {
        T* before = nullptr;
        for (T* here = first_; here != nullptr; before = here, here = next(here)) {
            if (here == item) {
                unlink_after(before, here);
                return true;
            }
        }
        return false;
    }

    // Takes all elements of the other queue, in order, and leaves it empty.
    void append(intrusive_fifo& other) noexcept {
        if (&other == this || other.empty()) {
            return;
        }
        if (last_ == nullptr) {
            first_ = other.first_;
        } else {
            last_->*Next = other.first_;
        }
        last_ = other.last_;
        other.first_ = other.last_ = nullptr;
    }

private:
    void unlink_after(T* before, T* item) noexcept {
        T* after = next(item);
        if (before == nullptr) {
            first_ = after;
        } else {
            before->*Next = after;
        }
        if (last_ == item) {
            last_ = before;
        }
        item->*Next = nullptr;
    }

    T* first_ = nullptr;
    T* last_ = nullptr;
};

// The links of an intrusive_list element; the list's own sentinel is a list_node too. A copy of an
// element is not in the list.
struct list_node {
    list_node() noexcept = default;
    list_node(const list_node&) noexcept {}
    list_node& operator=(const list_node&) noexcept { return *this; }

    bool linked() const noexcept { return next != nullptr; }

    list_node* prev = nullptr;
    list_node* next = nullptr;
};

// A doubly linked list of elements that derive from list_node. Not synchronised. It can neither be
// moved nor copied, because its first and last elements point at the sentinel inside it.
template <class T>
class intrusive_list {
public:
    intrusive_list() noexcept { sentinel_.prev = sentinel_.next = &sentinel_; }
    intrusive_list(const intrusive_list&) = delete;
    intrusive_list& operator=(const intrusive_list&) = delete;

    bool empty() const noexcept { return sentinel_.next == &sentinel_; }
    T* front() const noexcept { return element(sentinel_.next); }
    T* back() const noexcept { return element(sentinel_.prev); }
    // Returns the element after `item`, or nullptr at the end.
    T* next(const T* item) const noexcept {
        return element(static_cast<const list_node*>(item)->next);
    }

    void push_back(T* item) noexcept { insert_before(&sentinel_, item); }
    void push_front(T* item) noexcept { insert_before(sentinel_.next, item); }

    T* pop_front() noexcept { return pop(front()); }
    T* pop_back() noexcept { return pop(back()); }

    void erase(T* item) noexcept {
        list_node* node = item;
        LAZULT_ASSERT(node->linked());
        node->prev->next = node->next;
        node->next->prev = node->prev;
        node->prev = node->next = nullptr;
    }

private:
    T* element(list_node* node) const noexcept {
        return node == &sentinel_ ? nullptr : static_cast<T*>(node);
    }

    T* pop(T* item) noexcept {
        if (item != nullptr) {
            erase(item);
        }
        return item;
    }

    static void insert_before(list_node* place, T* item) noexcept {
        list_node* node = item;
        LAZULT_ASSERT(!node->linked());
        node->prev = place->prev;
        node->next = place;
        place->prev->next = node;
        place->prev = node;
    }

    list_node sentinel_;
};

}  // namespace lazult::base
