// SPDX-License-Identifier: BSD-3-Clause
// Messages between strands: each names a function, which runs inside the strand that it is for.
#include "contexts/simulated_rank.hpp"
#include "contexts/strand.hpp"
#include "contexts/transport.hpp"

#include "lazult/base/base.hpp"
#include "lazult/core/core.hpp"

#include <lazult/error.hpp>

#include <lazult_concert/remote_error.hpp>

#include <atomic>
#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace lazult::concert {
namespace {

using detail::arrival;
using detail::departure;
using detail::here;
using detail::message_code;
using detail::message_head;

// Only a session's begin and end write it.
constinit ds::default_atomics::atomic<transport*> transport_in_use{nullptr};

// A copy of a message that cannot run now: its strand is busy, the stack is short, or all calls
// begin in contexts. The bytes stand behind it.
struct posted_message : news {
    message_code code = nullptr;
    message_head head;
    std::size_t bytes = 0;

    static posted_message* make(message_code code, const arrival& from) {
        const std::size_t bytes = from.rest.left();
        void* const memory = ::operator new(sizeof(posted_message) + bytes);
        auto* const p = ::new (memory) posted_message();
        p->take = run;
        p->code = code;
        p->head = from.head;
        p->bytes = bytes;
        unpacker copied = from.rest;
        copied.get(p + 1, bytes);
        return p;
    }

private:
    static void run(news* n, strand&) {
        auto* const p = static_cast<posted_message*>(n);
        arrival from{p->head, unpacker(reinterpret_cast<const std::byte*>(p + 1), p->bytes)};
        p->code(from);
        p->~posted_message();
        ::operator delete(p);
    }
};

// The strand that a message is for. If the receiver is to choose, messages go to one after the
// other of its streams' strands.
strand& strand_of(const message_head& head) noexcept {
    const std::uint32_t number = (head.home >> 16) & 0xff;
    if (number != detail::any_strand) {
        return strand_number(number % most_strands);
    }
    static constinit ds::default_atomics::atomic<std::uint32_t> turn{0};
    const std::size_t in_use = strands_in_use();
    // relaxed: any order will do
    return strand_number(turn.fetch_add(1, std::memory_order_relaxed) % in_use);
}

// Not inlined: `here` is thread-local, and the caller may be a ULT that has moved.
LAZULT_NOINLINE bool try_to_run_in(strand& s, message_code code, arrival& from) noexcept {
    const core::worker* const w = core::this_worker_or_null();
    const core::no_suspension kept(w == nullptr ? nullptr : w->current);
    const detail::position before = here;
    if (!s.try_enter()) {
        return false;
    }
    if (detail::stack_position() < here.least_stack) LAZULT_UNLIKELY {
        s.leave();  // this thread's stack is too short for a method
        stand_at(before);
        return false;
    }
    code(from);
    s.leave();
    stand_at(before);
    return true;
}

// Throws std::bad_alloc if a copy is needed and there is no memory.
void deliver(message_code code, arrival& from) {
    if ((from.head.home >> 16) == detail::no_strand) {
        code(from);
        return;
    }
    strand& to = strand_of(from.head);
    const bool is_alone = !detail::is_inside();
    const bool may_nest = !all_calls_in_contexts() && (is_alone || !detail::leaves_stack());
    if (!may_nest || !try_to_run_in(to, code, from)) {
        to.post(posted_message::make(code, from));
    }
}

arrival arrival_of(departure& what) noexcept {
    const std::byte* const all = what.bytes.data();
    return {what.head,
            unpacker(all + sizeof(message_head), what.bytes.size() - sizeof(message_head))};
}

// The words of any exception.
std::string text_of(const std::exception_ptr& thrown) {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception that is no std::exception";
    }
}

errc code_of(const std::exception_ptr& thrown) noexcept {
    try {
        std::rethrow_exception(thrown);
    } catch (const std::system_error& e) {
        return e.code().category() == error_category() ? static_cast<errc>(e.code().value())
                                                       : errc{};
    } catch (const remote_error& e) {
        return e.code();
    } catch (const std::bad_alloc&) {
        return errc::out_of_memory;
    } catch (...) {
        return errc{};
    }
}

// Of an exception's text. The rest is left out, because a longer message could not be sent.
constexpr std::size_t longest_text = 2048;

void send_error(const detail::continuation_words& to, const std::exception_ptr& thrown,
                message_code receive, std::size_t longest = longest_text) {
    departure m;
    m.head.to = to;
    m.head.home = static_cast<std::uint32_t>(to.where & 0xffffff);
    m.head.is_error = 1;
    transfer<errc>::put(m.bytes, code_of(thrown));
    transfer<std::string>::put(m.bytes, text_of(thrown).substr(0, longest));
    detail::send_message(m, receive);
}

// Leaves out the text if the queue's longest message cannot hold it.
void send_some_error(const detail::continuation_words& to, const std::exception_ptr& thrown,
                     message_code receive) {
    try {
        send_error(to, thrown, receive);
    } catch (const error& e) {
        if (e.code() != errc::invalid_argument) {
            throw;
        }
        send_error(to, thrown, receive, 0);
    }
}

}  // namespace

transport* transport::current() noexcept {
    if (const simulated_identity* const me = simulated_here(); me != nullptr) LAZULT_UNLIKELY {
        return me->ranks;
    }
    return transport_in_use.load(std::memory_order_acquire);  // pairs with: use()
}
void transport::use(transport* t) noexcept {
    transport_in_use.store(t, std::memory_order_release);  // pairs with: current()
}

void take_message(std::uint32_t source, const std::byte* data, std::size_t bytes) noexcept {
    unpacker all(data, bytes);
    arrival from{transfer<message_head>::get(all), all};
    from.head.source = source;
    const auto code =
        reinterpret_cast<message_code>(const_cast<void*>(detail::code_of_name(from.head.code)));
    try {
        deliver(code, from);
    } catch (const std::bad_alloc&) {
        base::fatal_misuse("message for a method", "there is no memory to keep it",
                           "keep fewer calls under way");
    }
}

// A result that cannot be sent becomes an exception, which is shorter.
void send_result(const detail::continuation_words& to, detail::parcel& what) noexcept {
    if (what.of->pack == nullptr) {
        base::fatal_misuse("continuation",
                           "its thread is on another rank, and the result cannot travel",
                           "specialise lazult::concert::transfer for the result's type");
    }
    try {
        if (what.error == nullptr) {
            try {
                departure m;
                m.head.to = to;
                m.head.home = static_cast<std::uint32_t>(to.where & 0xffffff);
                what.of->pack(m.bytes, what.value);
                detail::send_message(m, what.of->receive);
                return;
            } catch (...) {
                send_some_error(to, std::current_exception(), what.of->receive);
                return;
            }
        }
        send_some_error(to, *what.error, what.of->receive);
    } catch (const error& e) {
        if (e.code() == errc::shutting_down) {
            return;  // nobody waits: MPI's launcher ends the ranks of a session that was stopped
        }
        base::fatal_misuse("result for another rank", e.what(),
                           "see lazult::concert::continuation");
    } catch (const std::exception& e) {
        base::fatal_misuse("result for another rank", e.what(),
                           "see lazult::concert::continuation");
    }
}

namespace detail {

void send_message(departure& what, message_code code) {
    const std::uint32_t rank = what.head.home & 0xffff;
    if (rank == own_rank() || rank == own_rank_unknown) {
        arrival here_again = arrival_of(what);
        here_again.head.source = rank;
        deliver(code, here_again);
        return;
    }
    transport* const ranks = transport::current();
    if (ranks == nullptr) {
        throw error(errc::not_supported, "concert::call",
                    "it is for another rank, and there is no session",
                    "call methods of other ranks while a session exists");
    }
    what.head.code = name_of_code(reinterpret_cast<const void*>(code));
    what.bytes.replace_front(&what.head, sizeof what.head);
    ranks->send(rank, what.bytes.data(), what.bytes.size());
}

std::exception_ptr exception_in(arrival& from) noexcept {
    try {
        const auto code = transfer<errc>::get(from.rest);
        const auto text = transfer<std::string>::get(from.rest);
        return std::make_exception_ptr(
            remote_error(static_cast<int>(from.head.source), code, text));
    } catch (...) {
        return std::current_exception();
    }
}

void refuse_short_message() noexcept {
    base::fatal_misuse("message for a method", "it is shorter than the method says",
                       "run the same program on all ranks; let transfer<T>::get() read what put() "
                       "writes");
}

}  // namespace detail
}  // namespace lazult::concert
