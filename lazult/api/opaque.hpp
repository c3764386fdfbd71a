// SPDX-License-Identifier: BSD-3-Clause
// Access to the sync/ object in the bytes of a public object, and waits with stop tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <stop_token>

#include "lazult/api/refusal.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::api {

// Returns the sync/ object in the bytes of a public object. A new sync/ object consists of zeros,
// so public objects need no constructor in the library, and may be static.
template <class T, std::size_t size>
LAZULT_ALWAYS_INLINE T& opaque(std::byte (&state)[size]) noexcept {
    static_assert(sizeof(T) <= size && alignof(T) <= 8);
    return *std::launder(reinterpret_cast<T*>(state));
}

inline bool may_wait() noexcept { return sync::this_caller<>().may_wait; }

// Returns true for ok, and false if the time is over or a stop was requested. Throws error for
// other statuses. Unwinds the running unit if it was cancelled.
inline bool in_time(base::status s, std::string_view object) {
    if (s == base::status::ok) LAZULT_LIKELY {
        return true;
    }
    if (s == base::status::canceled) {
        unwind_if_canceled();
        return false;
    }
    if (s == base::status::timed_out) {
        return false;
    }
    refuse(s, object);
}

// Ends a wait of sync/ when a stop is requested by a token.
class token_watch final : public sync::stop_watch {
public:
    explicit token_watch(const std::stop_token& token) noexcept : token_(token) {}
    void begin(void* wait, end_function end) noexcept override {
        callback_.emplace(token_, request{wait, end});
    }
    // Returns when the callback does not run any more and will not run again.
    void watch_ended() noexcept override { callback_.reset(); }

private:
    struct request {
        void* wait;
        end_function end;
        void operator()() const noexcept { end(wait); }
    };

    const std::stop_token& token_;
    std::optional<std::stop_callback<request>> callback_;
};

// Calls wait(limit). Cancellation ends that wait, and so does the stop token, if there is one.
template <class Wait>
LAZULT_ALWAYS_INLINE base::status wait_cancelable(std::int64_t deadline,
                                                  const std::stop_token* stop, Wait wait) {
    if (stop == nullptr) LAZULT_LIKELY {
        return wait_to_its_end(
            [&] { return wait(sync::wait_limit(deadline, core::cancelable::yes)); });
    }
    for (;;) {
        token_watch watch(*stop);
        const base::status s = wait(sync::wait_limit(deadline, core::cancelable::yes, &watch));
        if (s == base::status::ok || stop->stop_requested() || !was_ended_by_mistake(s)) {
            return s;
        }
    }
}

}  // namespace lazult::api
