// SPDX-License-Identifier: BSD-3-Clause
// The queue of waits, oldest first. A wait that is over is taken out of the middle, which leaves a
// hole. Holes are closed when the array is full. One thread at a time uses the queue.
#pragma once

#include <cstddef>
#include <memory>
#include <new>

namespace lazult::mpi {

// T converts to bool, and is false if it is a hole. T{} is a hole.
template <class T>
class ordered_queue {
public:
    std::size_t size() const noexcept { return live_; }

    // Positions, in the order of age, from first() to before end(). All but the first may be holes.
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

    // Makes room for one more item, and may move all items. Returns false if there is no memory.
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
    // Needs a reserve_one() that returned true.
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
