// SPDX-License-Identifier: BSD-3-Clause
// The waits, oldest first. A wait that is over is taken out where it stands. It leaves a hole,
// which is closed later. One thread at a time uses the queue.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace lazult::mpi {

// T converts to false when it is a hole, and T{} is one.
template <class T>
class ordered_queue {
public:
    std::size_t size() const noexcept { return live_; }

    // Positions, in order: those from first() on, up to end(). Any may be a hole but the first.
    std::size_t first() const noexcept { return first_; }
    std::size_t end() const noexcept { return end_; }
    const T& at(std::size_t position) const noexcept { return items_[position]; }

    void take_out(std::size_t position) noexcept {
        items_[position] = T{};
        --live_;
        while (first_ != end_ && !items_[first_]) {
            ++first_;
        }
    }

    // Memory for one more. False: there is none, and nothing is done. Positions change.
    bool reserve_one() noexcept {
        if (end_ < capacity_) {
            return true;
        }
        if (live_ * 2 > capacity_ || capacity_ == 0) {
            return grow();
        }
        close_holes(items_.get());
        return true;
    }
    // After reserve_one().
    void push_back(const T& value) noexcept {
        items_[end_++] = value;
        ++live_;
    }

private:
    static constexpr std::size_t smallest = 64;

    bool grow() noexcept {
        const std::size_t wider = capacity_ == 0 ? smallest : capacity_ * 2;
        std::unique_ptr<T[]> fresh(new (std::nothrow) T[wider]);
        if (fresh == nullptr) {
            return false;
        }
        close_holes(fresh.get());
        items_ = std::move(fresh);
        capacity_ = wider;
        return true;
    }

    void close_holes(T* to) noexcept {
        std::size_t next = 0;
        for (std::size_t i = first_; i < end_; ++i) {
            if (items_[i]) {
                to[next++] = items_[i];
            }
        }
        first_ = 0;
        end_ = next;
    }

    std::unique_ptr<T[]> items_;
    std::size_t capacity_ = 0;
    std::size_t first_ = 0;
    std::size_t end_ = 0;
    std::size_t live_ = 0;
};

}  // namespace lazult::mpi
