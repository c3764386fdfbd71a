// SPDX-License-Identifier: BSD-3-Clause
// The C face of contexts: a thread is a context whose function and data are C's.
#include "contexts/strand.hpp"

#include "lazult/base/base.hpp"

#include <lazult_concert_threads.h>

#include <cstring>
#include <new>

// The data stands behind it, aligned as it is.
struct alignas(16) concert_thread : lazult::concert::detail::context {
    concert_code code;
};

namespace lazult::concert {
namespace {

using detail::continuation_words;
using detail::here;
using detail::slot_state;
using detail::strand_data;

static_assert(CONCERT_MAX_DATA + sizeof(concert_thread) <= detail::largest_context);
static_assert(offsetof(concert_slot, state) == 0);
static_assert(sizeof(concert_continuation) == sizeof(continuation_words));

[[noreturn]] LAZULT_COLD void refuse(const char* call, const char* cause, const char* cure) {
    base::fatal_misuse(call, cause, cure);
}

strand_data& strand_of_caller(const char* call) {
    if (!detail::is_inside()) LAZULT_UNLIKELY {
        refuse(call, "the caller is not inside concert_run()", "begin by concert_run()");
    }
    return *here.inside;
}

slot_state state_of(const concert_slot& s) noexcept { return static_cast<slot_state>(s.state); }
void set_state(concert_slot& s, slot_state to) noexcept { s.state = static_cast<std::uint8_t>(to); }

// The thread's function runs. Until it returns the thread counts as waiting for one more future, so
// that one which it fills itself does not append it to the ready list.
void run_code(detail::context* c) {
    auto* const self = static_cast<concert_thread*>(c);
    self->waiting = 1;
    if (self->code(self, self + 1) == CONCERT_ENDS) {
        if (self->waiting != 1) LAZULT_UNLIKELY {
            refuse("concert_thread", "it ended although it had touched a future that is empty",
                   "return CONCERT_WAITS where a touch gives 0");
        }
        detail::give_context_back(*here.inside, self);
        return;
    }
    if (--self->waiting == 0) {
        here.inside->enqueue(self);
    }
}

concert_thread* make_thread(strand_data& in, concert_code code, const void* data,
                            std::size_t bytes) noexcept {
    if (bytes > CONCERT_MAX_DATA) {
        return nullptr;
    }
    try {
        detail::context* const c = detail::take_context_of(in, sizeof(concert_thread) + bytes);
        auto* const t = static_cast<concert_thread*>(c);
        t->run = run_code;
        t->waiting = 0;
        t->holds_object = false;
        t->code = code;
        if (bytes != 0) {
            std::memcpy(t + 1, data, bytes);
        }
        return t;
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

// The slot's distance from its thread. Only slots in a thread's data live as long as the thread.
std::size_t distance_of(const char* call, const concert_thread* t, const concert_slot* s) {
    const auto from = reinterpret_cast<std::uintptr_t>(t + 1);
    const auto at = reinterpret_cast<std::uintptr_t>(s);
    if (at < from || at - from > CONCERT_MAX_DATA - sizeof(concert_slot)) LAZULT_UNLIKELY {
        refuse(call, "the slot is not in the data of this thread",
               "keep slots in the data, and give the thread that they belong to");
    }
    return at - reinterpret_cast<std::uintptr_t>(t);
}

concert_continuation from_words(const continuation_words& words) noexcept {
    return {{words.target, words.where}};
}

// False: the slot is empty, and the thread waits for it from now on.
bool touch(const char* call, concert_thread& t, concert_slot& s) {
    switch (state_of(s)) {
        case slot_state::full: return true;
        case slot_state::untouched:
            set_state(s, slot_state::empty);
            ++t.waiting;
            return false;
        case slot_state::empty: return false;
        default: refuse(call, "the slot has no future", "call concert_make_future() first");
    }
}

// --- values of at most CONCERT_MAX_RESULT bytes, as parcels

struct c_value {
    unsigned char bytes[CONCERT_MAX_RESULT];
};

void put(void* slot, detail::parcel& from) {
    auto& s = *static_cast<concert_slot*>(slot);
    std::memcpy(s.value, from.value, sizeof(c_value));
    set_state(s, slot_state::full);
}

// Of a result that comes from another rank.
void receive(detail::arrival& from);

constexpr detail::result_type type_of_c_result{put,
                                               sizeof(c_value),
                                               detail::destroy_value<c_value>,
                                               detail::move_value<c_value>,
                                               detail::pack_value<c_value>,
                                               receive};

void resolve_with(const continuation_words& to, c_value& value) {
    detail::parcel what{&value, nullptr, &type_of_c_result};
    strand_data& in = *here.inside;
    if (static_cast<std::uint32_t>(to.where) == in.home) {
        detail::fill_slot(in, to, [&](detail::slot_base* s) { put(s, what); });
    } else {
        detail::resolve_elsewhere(to, what);
    }
}

void receive(detail::arrival& from) {
    auto value = transfer<c_value>::get(from.rest);
    resolve_with(from.head.to, value);
}

}  // namespace
}  // namespace lazult::concert

using namespace lazult::concert;

extern "C" {

concert_thread* concert_thread_prepare(concert_code code, const void* data, size_t bytes) {
    return make_thread(strand_of_caller("concert_thread_prepare"), code, data, bytes);
}

concert_thread* concert_thread_create(concert_code code, const void* data, size_t bytes) {
    strand_data& in = strand_of_caller("concert_thread_create");
    concert_thread* const t = make_thread(in, code, data, bytes);
    if (t != nullptr) {
        in.enqueue(t);
    }
    return t;
}

void concert_thread_enqueue(concert_thread* thread) {
    strand_of_caller("concert_thread_enqueue").enqueue(thread);
}

int concert_thread_dequeue(void) {
    strand_data& in = strand_of_caller("concert_thread_dequeue");
    if (in.first == nullptr) {
        return 0;
    }
    detail::context* const c = in.dequeue();
    ++in.count.restarts;
    c->run(c);
    return 1;
}

void concert_thread_delete(concert_thread* thread) {
    detail::give_context_back(strand_of_caller("concert_thread_delete"), thread);
}

void* concert_thread_data(concert_thread* thread) { return thread + 1; }

concert_continuation concert_make_future(concert_thread* thread, concert_slot* slot) {
    const strand_data& in = strand_of_caller("concert_make_future");
    const std::size_t distance = distance_of("concert_make_future", thread, slot);
    set_state(*slot, slot_state::untouched);
    return from_words(continuation_words::to_slot(in, thread, distance));
}

concert_continuation concert_make_counting(concert_thread* thread, concert_slot* slot,
                                           uint32_t count) {
    const strand_data& in = strand_of_caller("concert_make_counting");
    const std::size_t distance = distance_of("concert_make_counting", thread, slot);
    set_state(*slot, count == 0 ? slot_state::full : slot_state::untouched);
    slot->value[0] = count;
    continuation_words words = continuation_words::to_slot(in, thread, distance);
    words.where |= static_cast<std::uint64_t>(detail::target_kind::counting_slot) << 24;
    return from_words(words);
}

int concert_touch_future(concert_thread* thread, concert_slot* slot) {
    strand_of_caller("concert_touch_future");
    return touch("concert_touch_future", *thread, *slot) ? 1 : 0;
}

int concert_touch_many(concert_thread* thread, concert_slot* const* slots, size_t count) {
    strand_of_caller("concert_touch_many");
    bool all_full = true;
    for (size_t i = 0; i < count; ++i) {
        all_full = touch("concert_touch_many", *thread, *slots[i]) && all_full;
    }
    return all_full ? 1 : 0;
}

int concert_resolve_future(concert_continuation to, const void* value, size_t bytes) {
    if (bytes > CONCERT_MAX_RESULT) {
        return CONCERT_ERR_SIZE;
    }
    const continuation_words words{to.words[0], to.words[1]};
    c_value copy{};
    if (bytes != 0) {
        std::memcpy(copy.bytes, value, bytes);
    }
    try {
        resolve_with(words, copy);
        return CONCERT_OK;
    } catch (const std::bad_alloc&) {
        return CONCERT_ERR_MEMORY;
    }
}

int concert_run(void (*code)(concert_continuation to, void* argument), void* argument,
                void* result) {
    struct outer {
        void (*code)(concert_continuation to, void* argument);
        void* argument;
        concert_slot slot{};
        detail::waiting_thread me{&slot};
    } call{code, argument};
    detail::run_inside(
        [](void* c) {
            auto& o = *static_cast<outer*>(c);
            o.code(from_words(detail::words_to_waiter(*here.inside, o.me)), o.argument);
            return true;
        },
        &call, call.me);
    if (result != nullptr) {
        std::memcpy(result, call.slot.value, CONCERT_MAX_RESULT);
    }
    return CONCERT_OK;
}

}  // extern "C"
