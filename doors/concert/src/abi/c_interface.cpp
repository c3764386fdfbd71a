// SPDX-License-Identifier: BSD-3-Clause
// The C functions: what they are given is checked here, and no exception of ours leaves them.
#include "contexts/simulated_rank.hpp"
#include "contexts/transport.hpp"
#include "remote/calls_of_session.hpp"
#include "support/failure.hpp"
#include "world/world.hpp"

#include <lazult_concert.hpp>
#include <lazult_concert_methods.hpp>

#include <new>
#include <string>

using namespace lazult::concert;

namespace {

LAZULT_COLD int not_begun(const char* call) {
    return fail(CONCERT_ERR_STATE, call, "messages are not in use", "call concert_init() before");
}

LAZULT_COLD int no_memory(const char* call) {
    return fail(CONCERT_ERR_MEMORY, call, "memory is exhausted",
                "send less at once, or extract more often");
}

LAZULT_COLD int nothing_held() {
    return fail(CONCERT_ERR_STATE, "concert_release",
                "this rank holds nothing that is not released yet",
                "call concert_hold() before the work begins, on the same rank, and "
                "concert_release() once at its end");
}

LAZULT_COLD int null_pointer(const char* call, const char* argument) {
    return fail(CONCERT_ERR_ARGUMENT, call, std::string(argument) + " is a null pointer",
                "give one that is not");
}

// Makes a call, and returns a failure if it throws std::bad_alloc. Another exception has left a
// handler, and goes on to the caller.
template <class Call>
int guarded(const char* name, Call&& call) {
    world* const w = world::current();
    if (w == nullptr) LAZULT_UNLIKELY {
        return not_begun(name);
    }
    try {
        return call(*w);
    } catch (const std::bad_alloc&) {
        return no_memory(name);
    }
}

LAZULT_COLD int bad_rank(const world& w, int rank) {
    return fail(CONCERT_ERR_RANK, "send", "there is no rank " + std::to_string(rank),
                "give one from 0 to " + std::to_string(w.size() - 1));
}

LAZULT_COLD int bad_handler(int handler, const handler_entry* found, bool wants4) {
    if (found == nullptr) {
        return fail(CONCERT_ERR_HANDLER, "send",
                    "no handler " + std::to_string(handler) + " is registered",
                    "give what concert_register() returned");
    }
    return fail(CONCERT_ERR_HANDLER, "send", "handler \"" + found->name + "\" is of the other kind",
                wants4 ? "use concert_send()" : "use concert_send4()");
}

LAZULT_COLD int too_long(std::size_t bytes, std::size_t most) {
    return fail(CONCERT_ERR_SIZE, "send",
                "a message of " + std::to_string(bytes) + " bytes is longer than the queue's " +
                    std::to_string(most),
                "send it in parts, or raise max_message_bytes (LAZULT_CONCERT_MAX_MESSAGE)");
}

int send_checked(world& w, message_queue& queue, int rank, int handler, bool wants4,
                 const void* data, std::size_t bytes) {
    if (static_cast<unsigned>(rank) >= w.size()) LAZULT_UNLIKELY {
        return bad_rank(w, rank);
    }
    const handler_entry* const found = w.handlers().find(static_cast<std::uint32_t>(handler));
    if (found == nullptr || (found->run4 != nullptr) != wants4) LAZULT_UNLIKELY {
        return bad_handler(handler, found, wants4);
    }
    if (bytes > queue.options().max_message_bytes) LAZULT_UNLIKELY {
        return too_long(bytes, queue.options().max_message_bytes);
    }
    if (data == nullptr && bytes != 0) LAZULT_UNLIKELY {
        return null_pointer("send", "buffer");
    }
    queue.send(static_cast<unsigned>(rank),
               {static_cast<std::uint32_t>(handler), static_cast<std::uint32_t>(bytes)}, data);
    return CONCERT_OK;
}

// `queue` is nullptr for the default queue.
int send_via(concert_queue* queue, int rank, int handler, bool wants4, const void* data,
             std::size_t bytes) {
    return guarded("send", [&](world& w) {
        concert_queue& via = queue != nullptr ? *queue : w.default_queue();
        return send_checked(w, *via.messages, rank, handler, wants4, data, bytes);
    });
}

int register_entry(handler_entry entry, bool is_null, int* id) {
    if (is_null || id == nullptr) {
        return null_pointer("concert_register", id == nullptr ? "id" : "the name or the function");
    }
    return guarded("concert_register",
                   [&](world& w) { return w.add_handler(std::move(entry), id); });
}

}  // namespace

int concert_init(void) {
    try {
        if (const int result = check_before_session(); result != CONCERT_OK) {
            return result;
        }
        const int result = world::begin();
        return result == CONCERT_OK ? begin_calls() : result;
    } catch (const std::bad_alloc&) {
        return no_memory("concert_init");
    }
}

int concert_finalize(void) {
    if (in_handler() || detail::is_inside()) {
        return fail(CONCERT_ERR_CONTEXT, "concert_finalize",
                    "it is called in a handler or a method",
                    "call it outside of handlers and methods");
    }
    struct calls_of_session {
        ~calls_of_session() {
            if (world::current() == nullptr) {
                end_calls();
            }
        }
    } ended;  // also if it throws what a handler has thrown
    return world::end();
}

int concert_rank(void) {
    if (const simulated_identity* const me = simulated_here(); me != nullptr) {
        return static_cast<int>(me->number);
    }
    const world* const w = world::current();
    return w == nullptr ? -1 : static_cast<int>(w->rank());
}

int concert_size(void) {
    if (const simulated_identity* const me = simulated_here(); me != nullptr) {
        return static_cast<int>(me->ranks->count_of_ranks());
    }
    const world* const w = world::current();
    return w == nullptr ? -1 : static_cast<int>(w->size());
}

int concert_register(const char* name, concert_handler run, void* context, int* id) {
    const bool is_null = name == nullptr || run == nullptr;
    return register_entry({run, nullptr, context, is_null ? "" : name}, is_null, id);
}

int concert_register4(const char* name, concert_handler4 run, void* context, int* id) {
    const bool is_null = name == nullptr || run == nullptr;
    return register_entry({nullptr, run, context, is_null ? "" : name}, is_null, id);
}

void lazult::concert::detail::retire(int handler, const void* context) noexcept {
    if (world* const w = world::current()) {
        w->retire(handler, context);
    }
}

void lazult::concert::detail::stop_delivery() noexcept {
    if (world* const w = world::current()) {
        w->stop_delivery();
    }
}

int concert_default_options(concert_options* options) {
    return options == nullptr ? null_pointer("concert_default_options", "options")
                              : read_options(*options);
}

int concert_queue_create(const concert_options* options, concert_queue** queue) {
    if (options == nullptr || queue == nullptr) {
        return null_pointer("concert_queue_create", options == nullptr ? "options" : "queue");
    }
    return guarded("concert_queue_create",
                   [&](world& w) { return w.create_queue(*options, queue); });
}

int concert_queue_free(concert_queue* queue) {
    if (queue == nullptr) {
        return null_pointer("concert_queue_free", "queue");
    }
    return guarded("concert_queue_free", [&](world& w) { return w.free_queue(queue); });
}

int concert_send4(int rank, int handler, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const uint64_t words[4] = {a, b, c, d};
    return send_via(nullptr, rank, handler, true, words, sizeof words);
}

int concert_send(int rank, int handler, const void* buffer, size_t bytes) {
    return send_via(nullptr, rank, handler, false, buffer, bytes);
}

int concert_queue_send4(concert_queue* queue, int rank, int handler, uint64_t a, uint64_t b,
                        uint64_t c, uint64_t d) {
    const uint64_t words[4] = {a, b, c, d};
    return queue == nullptr ? null_pointer("send", "queue")
                            : send_via(queue, rank, handler, true, words, sizeof words);
}

int concert_queue_send(concert_queue* queue, int rank, int handler, const void* buffer,
                       size_t bytes) {
    return queue == nullptr ? null_pointer("send", "queue")
                            : send_via(queue, rank, handler, false, buffer, bytes);
}

size_t concert_extract(size_t max) {
    world* const w = world::current();
    return w == nullptr || in_handler() ? 0 : w->extract(max);
}

size_t concert_queue_extract(concert_queue* queue, size_t max) {
    world* const w = world::current();
    return w == nullptr || queue == nullptr || in_handler() ? 0 : w->extract_from(*queue, max);
}

int concert_flush(void) {
    return guarded("concert_flush", [](world& w) {
        w.flush();
        return CONCERT_OK;
    });
}

int concert_quiesce(void) {
    world* const w = world::current();
    return w == nullptr ? not_begun("concert_quiesce") : w->quiesce();
}

// Begins a piece of work for which concert_quiesce() waits. concert_release() ends one.
int concert_hold(void) {
    world* const w = world::current();
    if (w == nullptr) {
        return not_begun("concert_hold");
    }
    w->hold();
    return CONCERT_OK;
}

int concert_release(void) {
    world* const w = world::current();
    if (w == nullptr) {
        return not_begun("concert_release");
    }
    return w->release() ? CONCERT_OK : nothing_held();
}

uint32_t concert_epoch(void) {
    const world* const w = world::current();
    return w == nullptr ? 0 : w->epoch();
}

int concert_count(concert_queue* queue, concert_counters* counters) {
    if (counters == nullptr) {
        return null_pointer("concert_count", "counters");
    }
    return guarded("concert_count", [&](world& w) {
        *counters = (queue != nullptr ? *queue : w.default_queue()).messages->counters();
        return CONCERT_OK;
    });
}
