// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pools: where ready units wait. Model: ABT_pool.
#pragma once

#include <lazult/error.hpp>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lazult {

/// Which unit comes next, and which streams may take it.
enum class pool_kind : std::uint8_t {
    private_fifo,   ///< first in, first out, popped by one stream: no locked instruction there
    shared_fifo,    ///< for any number of streams
    priority,       ///< eight levels, 0 first
    work_stealing,  ///< last in, first out for its stream; first in, first out for thieves
    custom,         ///< a lazult::custom_pool: not for the constructor
};

/// A handle. It owns the pool that it made, and not one that a stream made for itself. The pool
/// must outlive the units in it and the streams that pop there. A stream looks into it only if a
/// scheduler of the stream was given this pool: see execution_stream.
class LAZULT_API pool {
public:
    /// Throws error: invalid_argument, out_of_memory.
    explicit pool(pool_kind kind);
    /// Reports units that are still in it: nobody could run them any more.
    virtual ~pool();
    /// The other one is null afterwards, and may only be destroyed.
    pool(pool&& other) noexcept;
    pool& operator=(pool&&) = delete;

    /// Thread-safe. A hint while others use the pool.
    std::size_t size() const noexcept;
    /// Thread-safe. A hint while others use the pool.
    bool empty() const noexcept { return size() == 0; }
    /// "private_fifo", "shared_fifo", "biased_fifo" (a shared one with one owner), "priority",
    /// "work_stealing", "custom".
    std::string_view kind() const noexcept;

    /// What the library calls it by; nullptr after a move.
    void* native_handle() const noexcept { return implementation_; }

protected:
    /// A handle of what the library made.
    pool(void* implementation, bool owned) noexcept
        : implementation_(implementation), owned_(owned) {}
    /// Gives this handle a pool to own.
    void adopt(void* implementation) noexcept;
    friend struct pool_access;

private:
    void* implementation_ = nullptr;
    bool owned_ = false;
};

/// A pool of the user's own. The functions are called by any stream, at once: they must
/// synchronise, and not suspend. They must not wait until another stream has taken or run a unit: a
/// push that waits for room in a full pool may wait for ever.
class LAZULT_API custom_pool : public pool {
public:
    /// Throws error: out_of_memory.
    custom_pool();
    ~custom_pool() override;
    custom_pool(custom_pool&&) = delete;

    /// A unit became ready. Each unit is in one pool at most, once.
    virtual void push(thread_id unit) noexcept = 0;
    /// The next unit to run, or an id of nothing: thread_id().
    virtual thread_id pop() noexcept = 0;
    /// Takes this very unit out: for yield_to, and for joins that run their child. False when it is
    /// not here.
    virtual bool remove(thread_id unit) noexcept;
    /// How many units wait. Streams sleep while it is 0, so it may not be 0 when a push has
    /// returned.
    virtual std::size_t count() const noexcept = 0;
};

namespace this_stream {

/// Of the stream that the caller runs on. Throw error: not_supported (on an outside OS thread, or
/// there is none).
LAZULT_API pool default_pool();  ///< of units that were created without a pool
LAZULT_API pool private_pool();  ///< of units that must stay on this stream

}  // namespace this_stream
}  // namespace lazult
