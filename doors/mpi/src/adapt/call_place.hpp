// SPDX-License-Identifier: BSD-3-Clause
// Which MPI call a ULT waits in, and for which message: for traces and debuggers. The bindings give
// it to the templates that wait. It is read when a ULT suspends, and costs nothing before.
#pragma once

#include "library/mpi_api.hpp"

#include "lazult/sync/sync.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

namespace lazult::mpi {

// The name of a call, as an argument of a template.
template <std::size_t bytes>
struct call_name {
    char text[bytes];

    consteval call_name(const char (&from)[bytes]) noexcept {  // NOLINT: "MPI_Send" converts
        std::copy_n(from, bytes, text);
    }
};

// What a call waits for besides, and the two numbers of its note. MPI_ANY_SOURCE and MPI_ANY_TAG
// are negative.
struct no_message {
    static constexpr const char* form = "";
    int first = 0;
    int second = 0;
};
struct message_from {
    static constexpr const char* form = " from rank %, tag %";
    int peer;
    int tag;
};
struct message_to {
    static constexpr const char* form = " to rank %, tag %";
    int peer;
    int tag;
};
struct some_requests {
    static constexpr const char* form = ", requests: %";
    int count;
    int unused = 0;
};

template <call_name name, class Message>
inline constexpr sync::wait_words words_for{name.text, Message::form};

struct call_place {
    const sync::wait_words* words;
    MPI_Comm comm;  // null: not known
    int first;
    int second;

    template <call_name name, class Message>
    static call_place of(MPI_Comm comm, const Message& message) noexcept {
        const auto [first, second] = message;
        return {&words_for<name, Message>, comm, first, second};
    }
};

// A function that starts a call's request may know more of its message. If it is called with this
// in place of the request's address, it returns where the message goes, and starts nothing.
struct place_asked {};
template <class Request>
inline constexpr bool asks_place = std::is_same_v<Request, place_asked>;

// Where the call waits that start(&request) has begun.
template <call_name name, class Start>
call_place place_of(MPI_Comm comm, const Start& start) noexcept {
    if constexpr (requires { start(place_asked{}); }) {
        return call_place::of<name>(comm, start(place_asked{}));
    } else {
        return call_place::of<name>(comm, no_message{});
    }
}

}  // namespace lazult::mpi
