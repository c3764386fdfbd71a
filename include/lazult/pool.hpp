// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Pools: where ready units wait. Model: ABT_pool.
#pragma once

#include <lazult/error.hpp>
#include <lazult/export.hpp>
#include <lazult/runtime.hpp>
#include <lazult/thread.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace lazult {

/// The order in which a pool gives out its units, and which streams may take them.
enum class pool_kind : std::uint8_t {
    private_fifo,   ///< first in, first out, popped by one stream: no locked instruction there
    shared_fifo,    ///< for any number of streams
    priority,       ///< eight levels, 0 first
    work_stealing,  ///< last in, first out for its stream; first in, first out for thieves
    custom,         ///< a lazult::custom_pool: not for the constructor
};

/// What a new pool may be told.
struct pool_options {
    /// stay: a ULT of the pool that has begun stays on its stream, whichever thread wakes it. All
    /// streams of the pool take what has not begun. move: any of them may continue it. Not given:
    /// options::started decides, as it is when the pool is made. See docs/thread-locals.md.
    std::optional<started_kind> started = {};
};

/// A handle of a pool. It owns a pool that its constructor made, and not one that belongs to a
/// stream. The pool must outlive the units in it and the streams that take units from it. A stream
/// looks into the pool only if the stream's scheduler was given this pool: see execution_stream.
class LAZULT_API pool {
public:
    /// Makes a pool. Throws error: invalid_argument (custom), out_of_memory.
    explicit pool(pool_kind kind);
    /// By the name of a built-in kind: the enumerators' names, and those of kinds that this
    /// version has besides. Throws error: invalid_argument, out_of_memory.
    explicit pool(std::string_view kind);
    /// Do what the constructors above do, with these options. Throw the same.
    pool(pool_kind kind, const pool_options& options);
    pool(std::string_view kind, const pool_options& options);  ///< by the name of a kind
    /// Reports units that are still in the pool, because no stream can run them any more.
    virtual ~pool();
    /// The other handle is null afterwards, and may only be destroyed.
    pool(pool&& other) noexcept;
    pool& operator=(pool&&) = delete;

    /// Returns the number of units in it: a hint while other threads use the pool. Thread-safe.
    std::size_t size() const noexcept;
    /// Returns true if it has no units: a hint while other threads use the pool. Thread-safe.
    bool empty() const noexcept { return size() == 0; }
    /// Returns the name of its kind: "private_fifo", "shared_fifo", "biased_fifo" (a shared one
    /// with one owner), "priority", "work_stealing", "custom".
    std::string_view kind() const noexcept;

    /// Returns the library's object; nullptr after a move.
    void* native_handle() const noexcept { return implementation_; }

protected:
    /// A handle of a pool that the library made.
    pool(void* implementation, bool owned) noexcept
        : implementation_(implementation), owned_(owned) {}
    /// Gives this handle a pool to own.
    void adopt(void* implementation) noexcept;
    friend struct pool_access;

private:
    void* implementation_ = nullptr;
    bool owned_ = false;
};

/// A pool that the user implements. It decides which stream gets a unit, so there is no option to
/// make its ULTs stay. Streams call its functions concurrently, so these must
/// synchronise. They must not suspend, and must not wait until another stream takes or runs a unit:
/// a push that waits for room in a full pool may wait for ever.
class LAZULT_API custom_pool : public pool {
public:
    /// Throws error: out_of_memory.
    custom_pool();
    ~custom_pool() override;
    custom_pool(custom_pool&&) = delete;

    /// Adds a unit that became ready. A unit is in at most one pool, once.
    virtual void push(thread_id unit) noexcept = 0;
    /// Takes the next unit to run. Returns thread_id() if there is none.
    virtual thread_id pop() noexcept = 0;
    /// Takes this unit out, for yield_to and for joins that run their child. Returns false if the
    /// unit is not in this pool. The default returns false.
    virtual bool remove(thread_id unit) noexcept;
    /// Returns the number of units in the pool. Streams sleep while it is 0, so it must not be 0
    /// after a push has returned.
    virtual std::size_t count() const noexcept = 0;
};

namespace this_stream {

/// A pool of the stream on which the caller runs. Throws error: not_supported (the caller is an
/// outside OS thread, or the stream has no such pool).
LAZULT_API pool default_pool();  ///< the pool of units that are created without naming one
LAZULT_API pool private_pool();  ///< the pool of units that must stay on this stream

}  // namespace this_stream
}  // namespace lazult
