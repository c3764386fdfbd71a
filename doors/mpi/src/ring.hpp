// SPDX-License-Identifier: BSD-3-Clause
// A queue that grows: who takes from its front and puts back behind goes round in turn. One flow at a time.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace lazult::mpi {

template <class T>
class ring {
public:
    std::size_t size() const noexcept { return size_; }

    // Room for one more. False: out of memory, and nothing done.
    bool make_room() noexcept { return size_ < capacity_ || grow(); }

    // After make_room().
    void push_back(const T& value) noexcept {
        items_[(first_ + size_) & (capacity_ - 1)] = value;
        ++size_;
    }
    T pop_front() noexcept {
        const T value = items_[first_];
        first_ = (first_ + 1) & (capacity_ - 1);
        --size_;
        return value;
    }

private:
    bool grow() noexcept {
        const std::size_t wider = capacity_ == 0 ? 64 : capacity_ * 2;
        std::unique_ptr<T[]> fresh(new (std::nothrow) T[wider]);
        if (fresh == nullptr) {
            return false;
        }
        for (std::size_t i = 0; i < size_; ++i) {
            fresh[i] = items_[(first_ + i) & (capacity_ - 1)];
        }
        items_ = std::move(fresh);
        first_ = 0;
        capacity_ = wider;
        return true;
    }

    std::unique_ptr<T[]> items_;
    std::size_t capacity_ = 0;  // 0 or a power of two
    std::size_t first_ = 0;
    std::size_t size_ = 0;
};

}  // namespace lazult::mpi
