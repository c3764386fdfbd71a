// SPDX-License-Identifier: BSD-3-Clause
// Conversions from handles to objects and back. A handle that is not a live object of the right
// kind becomes nullptr. It may be a null constant of either family, a small integer, a freed
// handle, a handle of another kind, or any other address.
#pragma once

#include <cstring>

#include "handles/arena.hpp"
#include "handles/null_family.hpp"
#include "handles/refusing.hpp"
#include "lazult/sched/sched.hpp"
#include "lazult/sync/sync.hpp"

namespace lazult::abt {

// These aliases let code that says `using namespace lazult::abt` write base::, core:: and so on.
namespace base = lazult::base;
namespace core = lazult::core;
namespace ds = lazult::ds;
namespace os = lazult::os;
namespace probe = lazult::probe;
namespace sched = lazult::sched;
namespace sync = lazult::sync;

using core::work_unit;
using core::worker;

template <kind k>
struct handle_traits;

// For one kind: the type of its handles, its null constant, and the code returned for a bad handle.
template <class Handle, std::uintptr_t null_value, int code>
struct handle_type {
    using handle = Handle;
    static constexpr int refusal = code;
    static Handle null() noexcept { return reinterpret_cast<Handle>(null_value); }
};

#define LAZULT_ABT_HANDLE(name, null_value, error) \
    template <>                                    \
    struct handle_traits<kind::name> : handle_type<ABT_##name, null_value, error> {}
LAZULT_ABT_HANDLE(xstream, 0x01, ABT_ERR_INV_XSTREAM);
LAZULT_ABT_HANDLE(xstream_barrier, 0x02, ABT_ERR_INV_XSTREAM_BARRIER);
LAZULT_ABT_HANDLE(sched, 0x03, ABT_ERR_INV_SCHED);
LAZULT_ABT_HANDLE(sched_config, 0x04, ABT_ERR_INV_SCHED_CONFIG);
LAZULT_ABT_HANDLE(pool, 0x05, ABT_ERR_INV_POOL);
LAZULT_ABT_HANDLE(pool_config, 0x06, ABT_ERR_INV_POOL_CONFIG);
LAZULT_ABT_HANDLE(thread_attr, 0x09, ABT_ERR_INV_THREAD_ATTR);
LAZULT_ABT_HANDLE(key, 0x0b, ABT_ERR_INV_KEY);
LAZULT_ABT_HANDLE(mutex, 0x0c, ABT_ERR_INV_MUTEX);
LAZULT_ABT_HANDLE(mutex_attr, 0x0d, ABT_ERR_INV_MUTEX_ATTR);
LAZULT_ABT_HANDLE(cond, 0x0e, ABT_ERR_INV_COND);
LAZULT_ABT_HANDLE(rwlock, 0x0f, ABT_ERR_INV_RWLOCK);
LAZULT_ABT_HANDLE(eventual, 0x10, ABT_ERR_INV_EVENTUAL);
LAZULT_ABT_HANDLE(future, 0x11, ABT_ERR_INV_FUTURE);
LAZULT_ABT_HANDLE(barrier, 0x12, ABT_ERR_INV_BARRIER);
LAZULT_ABT_HANDLE(timer, 0x13, ABT_ERR_INV_TIMER);
LAZULT_ABT_HANDLE(pool_user_def, 0x15, ABT_ERR_INV_POOL_USER_DEF);
#undef LAZULT_ABT_HANDLE

template <kind k>
using handle_of = typename handle_traits<k>::handle;

// Returns the number of a constant that the client passed. The number need not be one of the
// enumerators, and reading it as an enumeration would be undefined behaviour; so its bytes are
// copied.
template <class Constant>
int number_of(const Constant& given) noexcept {
    int number = 0;
    static_assert(sizeof(Constant) == sizeof(number));
    std::memcpy(&number, &given, sizeof(number));
    return number;
}

inline bool is_null(const void* handle) noexcept {
    return reinterpret_cast<std::uintptr_t>(handle) <= last_null;
}

// Returns the object behind a handle, or nullptr if the handle is bad:
// checked<mutex_object>(handle).
template <class Object>
Object* checked(handle_of<Object::arena_kind> handle) noexcept {
    return arena::is_live<Object::arena_kind>(handle) ? reinterpret_cast<Object*>(handle) : nullptr;
}

// Returns the handle of an object. For nullptr it returns the kind's null constant.
template <class Object>
handle_of<Object::arena_kind> to_handle(Object* object) noexcept {
    constexpr kind k = Object::arena_kind;
    return object == nullptr ? as_null(handle_traits<k>::null())
                             : reinterpret_cast<handle_of<k>>(object);
}

// Implements the functions ABT_..._equal. All null constants of both families are equal.
inline ABT_bool are_same(const void* a, const void* b) noexcept {
    return a == b || (is_null(a) && is_null(b)) ? ABT_TRUE : ABT_FALSE;
}

// Implements the functions of the interface that make an object.
template <class Object, class... Arguments>
int make_object(handle_of<Object::arena_kind>* handle, const char* function,
                Arguments... arguments) noexcept {
    Object* const made = make<Object>(arguments...);
    if (made == nullptr) {
        return refuse(ABT_ERR_MEM, function);
    }
    *handle = to_handle(made);
    return ABT_SUCCESS;
}

// Implements the functions of the interface that ask one thing of an object.
template <class Object, class Answer, class Question>
int ask_object(handle_of<Object::arena_kind> handle, const char* function, Answer* answer,
               Question question) noexcept {
    const Object* const object = checked<Object>(handle);
    if (object == nullptr) {
        return refuse(handle_traits<Object::arena_kind>::refusal, function);
    }
    *answer = question(*object);
    return ABT_SUCCESS;
}

// Implements the functions of the interface that free an object and set its handle to null.
template <class Object>
int free_object(handle_of<Object::arena_kind>* handle, const char* function) noexcept {
    using traits = handle_traits<Object::arena_kind>;
    Object* const object = checked<Object>(*handle);
    if (object == nullptr) {
        return refuse(traits::refusal, function);
    }
    unmake(object);
    *handle = as_null(traits::null());
    return ABT_SUCCESS;
}

// Returns the handle of a work unit. Work units do not live in the arena: core/ has their memory.
inline ABT_thread to_handle(work_unit* u) noexcept {
    return u == nullptr ? as_null(ABT_THREAD_NULL) : reinterpret_cast<ABT_thread>(u);
}

// A pool's handle is the address of its ready_pool, which is the first base class of every pool of
// the door.
inline sched::ready_pool* checked_pool(ABT_pool handle) noexcept {
    return arena::is_live<kind::pool>(handle) ? reinterpret_cast<sched::ready_pool*>(handle)
                                              : nullptr;
}
inline ABT_pool to_handle(const core::pool* p) noexcept {
    return p == nullptr ? as_null(ABT_POOL_NULL)
                        : reinterpret_cast<ABT_pool>(const_cast<core::pool*>(p));
}

}  // namespace lazult::abt
