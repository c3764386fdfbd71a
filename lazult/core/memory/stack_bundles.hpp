// SPDX-License-Identifier: BSD-3-Clause
// Free stacks in bundles. The first stack of a bundle holds the addresses of the others in its own
// memory, where frames will stand. So a whole bundle is put here, or taken, with a look at one
// stack. In a list, each step would wait for a page of another stack. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "lazult/core/memory/stack.hpp"

namespace lazult::core {

class stack_bundles {
public:
    static constexpr std::size_t most_in_one = 32;

    std::size_t count() const noexcept { return count_; }

    // Puts one bundle of one to most_in_one stacks, all of one class.
    void put(std::span<stack* const> all) noexcept {
        stack* const head = all.front();
        cleanse(head);
        head->next = first_;
        contents& c = contents_of(*head);
        probe::valgrind_allow(&c, sizeof(c));
        c.count = 0;
        for (stack* const s : all.subspan(1)) {
            c.others[c.count++] = s;
        }
        first_ = head;
        count_ += all.size();
    }

    // Returns a stack of the newest bundle; nullptr if there is none.
    stack* take() noexcept {
        if (first_ == nullptr) {
            return nullptr;
        }
        --count_;
        contents& c = contents_of(*first_);
        if (c.count != 0) {
            return c.others[--c.count];
        }
        stack* const head = first_;
        first_ = head->next;
        return head;
    }

    // Takes stacks, as many as there are and `into` takes. Returns how many.
    std::size_t take(std::span<stack*> into) noexcept {
        std::size_t taken = 0;
        while (taken != into.size() && first_ != nullptr) {
            into[taken++] = take();
        }
        return taken;
    }

private:
    struct contents {
        std::size_t count;
        std::array<stack*, most_in_one - 1> others;
    };
    static contents& contents_of(stack& head) noexcept {
        return *reinterpret_cast<contents*>(head.top() - sizeof(contents));
    }

    stack* first_ = nullptr;
    std::size_t count_ = 0;
};

}  // namespace lazult::core
