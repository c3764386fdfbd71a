// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Active messages with typed handlers, over <lazult_concert.h>. That header says what is
/// guaranteed and which threads may call which function.
///
///     concert::session world;
///     concert::handler<std::uint64_t, float> visit(
///         "visit", [&](int source, std::uint64_t vertex, float weight) { ... });
///     visit.send(3, vertex, 0.5F);
///     world.quiesce();
///
/// A call that fails throws lazult::error. Its text names the object, the cause and the cure.
///
/// Destructors of sessions and queues are collective. If one runs because an exception leaves its
/// block, this rank does not wait for the other ranks, although they may wait for it. No further
/// handler begins on this rank, and MPI's launcher ends the job.
#pragma once

#include <lazult_concert.h>
#include <lazult/export.hpp>
#include <lazult/thread.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace lazult::concert {

namespace detail {

// Throws the last failure of this thread as lazult::error.
[[noreturn]] LAZULT_API void throw_last_failure();
LAZULT_API void retire(int handler, const void* context) noexcept;
LAZULT_API void stop_delivery() noexcept;

inline void check(int result) {
    if (result != CONCERT_OK) [[unlikely]] {
        throw_last_failure();
    }
}

template <class T>
T take(const std::byte*& from) noexcept {
    std::array<std::byte, sizeof(T)> bytes;
    std::memcpy(bytes.data(), from, sizeof(T));
    from += sizeof(T);
    return std::bit_cast<T>(bytes);
}

// Says whether an exception is leaving the block that the object is in.
class exception_watch {
public:
    bool is_unwinding() const noexcept { return std::uncaught_exceptions() != before_; }

private:
    int before_ = std::uncaught_exceptions();
};

// A registered function. No message may name it any more when it is destroyed: a message that comes
// later ends the process with an error.
template <class Function>
class registration {
public:
    registration(const char* name, concert_handler receive, Function run)
        : run_(std::make_unique<Function>(std::move(run))) {
        check(concert_register(name, receive, run_.get(), &id_));
    }
    registration(registration&& other) noexcept
        : run_(std::move(other.run_)), id_(std::exchange(other.id_, -1)) {}
    registration& operator=(registration&&) = delete;
    ~registration() {
        if (id_ < 0) {
            return;
        }
        if (exceptions_.is_unwinding()) {
            stop_delivery();
        }
        retire(id_, run_.get());
    }

    int id() const noexcept { return id_; }

private:
    std::unique_ptr<Function> run_;
    int id_ = -1;
    exception_watch exceptions_;
};

}  // namespace detail

/// Returns what concert_default_options() sets. Throws error if a variable is malformed.
inline concert_options default_options() {
    concert_options options;
    detail::check(concert_default_options(&options));
    return options;
}

/// While a session exists, messages can be sent. Constructor and destructor are collective.
class session {
public:
    session() { detail::check(concert_init()); }
    /// Call quiesce() first: an exception that leaves a handler during the destructor cannot be
    /// caught.
    ~session() {
        if (exceptions_.is_unwinding()) {
            detail::stop_delivery();
        } else {
            concert_finalize();
        }
    }
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    /// This rank's number.
    int rank() const noexcept { return concert_rank(); }
    /// How many ranks there are.
    int size() const noexcept { return concert_size(); }
    /// Collective. May suspend.
    void quiesce() { detail::check(concert_quiesce()); }

private:
    detail::exception_watch exceptions_;
};

/// A queue with options of its own. Constructor and destructor are collective.
class queue {
public:
    /// `options` must be equal on all ranks.
    explicit queue(const concert_options& options) {
        detail::check(concert_queue_create(&options, &queue_));
    }
    ~queue() {
        if (exceptions_.is_unwinding()) {
            detail::stop_delivery();
        } else {
            concert_queue_free(queue_);
        }
    }
    queue(const queue&) = delete;
    queue& operator=(const queue&) = delete;

    /// The queue for functions of lazult_concert.h.
    concert_queue* native_handle() const noexcept { return queue_; }
    /// Runs up to `max` messages of this queue, as extract() does for all queues.
    std::size_t extract(std::size_t max = static_cast<std::size_t>(-1)) {
        return concert_queue_extract(queue_, max);
    }
    /// Returns what this rank has sent and received on this queue.
    concert_counters counters() const {
        concert_counters result;
        detail::check(concert_count(queue_, &result));
        return result;
    }

private:
    concert_queue* queue_ = nullptr;
    detail::exception_watch exceptions_;
};

/// Runs up to `max` messages of all queues. Returns how many ran. An exception that leaves a
/// handler also leaves extract(); its message counts as delivered.
inline std::size_t extract(std::size_t max = static_cast<std::size_t>(-1)) {
    return concert_extract(max);
}
/// Sends the messages that wait for others to the same rank.
inline void flush() { detail::check(concert_flush()); }

/// Begins work for which quiescence waits: see concert_quiesce(). spawn() calls hold() and
/// release() for a ULT.
inline void hold() { detail::check(concert_hold()); }
/// Ends the work of one hold(). Throws error, and changes nothing, if this rank holds nothing.
inline void release() { detail::check(concert_release()); }

/// A function that messages call; every rank has one. Construction is collective, destruction is
/// not. All messages for the function must have run before destruction (call quiesce()). A message
/// that comes later ends the process with an error.
template <class... A>
    requires(
        (std::is_trivially_copyable_v<A> && !std::is_pointer_v<A> && !std::is_reference_v<A>) &&
        ...)
class handler {
public:
    /// The function that a message calls; `source` is the sender's rank.
    using function = std::function<void(int source, A... arguments)>;

    /// Collective: the same names in the same order on all ranks.
    handler(const char* name, function run) : mine_(name, receive, std::move(run)) {}

    /// Its number, the same on all ranks.
    int id() const noexcept { return mine_.id(); }

    /// Sends a message that calls the function at that rank. May suspend: see concert_send4().
    void send(int rank, const A&... arguments) const {
        const auto packed = pack(arguments...);
        detail::check(concert_send(rank, id(), packed.data(), bytes));
    }
    /// As the other send(), on a queue.
    void send(queue& via, int rank, const A&... arguments) const {
        const auto packed = pack(arguments...);
        detail::check(concert_queue_send(via.native_handle(), rank, id(), packed.data(), bytes));
    }

private:
    static constexpr std::size_t bytes = (std::size_t{0} + ... + sizeof(A));

    static std::array<std::byte, bytes == 0 ? 1 : bytes> pack(const A&... arguments) noexcept {
        std::array<std::byte, bytes == 0 ? 1 : bytes> packed{};
        [[maybe_unused]] std::byte* to = packed.data();
        ((std::memcpy(to, &arguments, sizeof(A)), to += sizeof(A)), ...);
        return packed;
    }
    static void receive(int source, const void* buffer, std::size_t, void* context) {
        [[maybe_unused]] const std::byte* from = static_cast<const std::byte*>(buffer);
        // Braces evaluate the arguments from left to right.
        std::apply(*static_cast<function*>(context),
                   std::tuple<int, A...>{source, detail::take<A>(from)...});
    }

    detail::registration<function> mine_;
};

/// Like handler, for messages of any length: an array of T, aligned to eight bytes.
template <class T>
    requires(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && alignof(T) <= 8)
class span_handler {
public:
    /// The function that a message calls; `source` is the sender's rank.
    using function = std::function<void(int source, std::span<const T> items)>;

    /// Collective: the same names in the same order on all ranks.
    span_handler(const char* name, function run) : mine_(name, receive, std::move(run)) {}

    /// Its number, the same on all ranks.
    int id() const noexcept { return mine_.id(); }

    /// Sends a message that calls the function at that rank. May suspend: see concert_send4().
    void send(int rank, std::span<const T> items) const {
        detail::check(concert_send(rank, id(), items.data(), items.size_bytes()));
    }
    /// As the other send(), on a queue.
    void send(queue& via, int rank, std::span<const T> items) const {
        detail::check(
            concert_queue_send(via.native_handle(), rank, id(), items.data(), items.size_bytes()));
    }

private:
    static void receive(int source, const void* buffer, std::size_t bytes, void* context) {
        (*static_cast<function*>(context))(
            source, std::span<const T>(static_cast<const T*>(buffer), bytes / sizeof(T)));
    }

    detail::registration<function> mine_;
};

/// Runs the function in a new ULT, for which quiescence waits. It must be called in a handler, in
/// another such ULT, or before quiesce(). The ULT is detached. Throws error: out_of_memory.
template <class F>
void spawn(F&& function) {
    struct held {
        held() { detail::check(concert_hold()); }
        held(held&& other) noexcept : counts(std::exchange(other.counts, false)) {}
        ~held() {
            if (counts) {
                concert_release();
            }
        }
        bool counts = true;
    };
    thread([hold = held(), run = std::forward<F>(function)]() mutable { run(); }).detach();
}

}  // namespace lazult::concert
