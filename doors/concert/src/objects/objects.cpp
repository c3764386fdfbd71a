// SPDX-License-Identifier: BSD-3-Clause
// Objects: their memory, and the methods that wait to be inside them.
#include "objects/objects.hpp"
#include "contexts/strand.hpp"

#include "lazult/base/base.hpp"

#include <lazult/error.hpp>

#include <lazult_concert/object.hpp>

#include <new>
#include <string>

namespace lazult::concert {
namespace {

constexpr std::size_t step = 64;
constexpr std::size_t classes = objects_of_strand::classes;
constexpr std::size_t object_slab_bytes = std::size_t{64} << 10;
// Of an object that is too large for the slabs. Its header is in one, its body elsewhere.
constexpr std::size_t apart = 0;

// Only the thread inside the strand touches what its objects have in common: the free headers, by
// size, and a list of the objects with waiters, linked through the first waiter of each.
objects_of_strand& objects_here() noexcept {
    return static_cast<strand*>(detail::here.inside)->objects;
}

// relaxed: a session asks before it begins
constinit ds::default_atomics::atomic<std::int64_t> alive{0};

// A free header is linked by its body.
detail::object_header*& next_free(detail::object_header& h) noexcept {
    return reinterpret_cast<detail::object_header*&>(h.body);
}

void cut_slab(objects_of_strand& into, std::size_t size_class) {
    const std::size_t bytes = (size_class == apart ? 1 : size_class) * step;
    auto* const slab =
        static_cast<std::byte*>(::operator new(object_slab_bytes, std::align_val_t(step)));
    for (std::size_t at = 0; at + bytes <= object_slab_bytes; at += bytes) {
        auto* const h = ::new (slab + at) detail::object_header;
        h->size_class = size_class;
        next_free(*h) = into.free[size_class];
        into.free[size_class] = h;
    }
}

// Before the body of an object that is apart.
struct alignas(16) body_head {
    void* unused;
    detail::object_header* self;
};

void* make_body_apart(detail::object_header& h, std::size_t bytes) {
    auto* const head = ::new (::operator new(sizeof(body_head) + bytes)) body_head{nullptr, &h};
    return head + 1;
}
void free_body_apart(void* body) noexcept { ::operator delete(static_cast<body_head*>(body) - 1); }

detail::object_waiter*& queues_here() noexcept { return objects_here().queues; }

// `w` becomes the first waiter of its object in place of `before`, if there was one.
void put_first(detail::object_waiter* w, const detail::object_waiter* before) noexcept {
    w->previous_queue = before == nullptr ? nullptr : before->previous_queue;
    w->next_queue = before == nullptr ? queues_here() : before->next_queue;
    (w->previous_queue == nullptr ? queues_here() : w->previous_queue->next_queue) = w;
    if (w->next_queue != nullptr) {
        w->next_queue->previous_queue = w;
    }
}
void take_out(const detail::object_waiter* w) noexcept {
    (w->previous_queue == nullptr ? queues_here() : w->previous_queue->next_queue) = w->next_queue;
    if (w->next_queue != nullptr) {
        w->next_queue->previous_queue = w->previous_queue;
    }
}

}  // namespace

const detail::object_waiter* first_queue() noexcept { return queues_here(); }

const detail::context* context_above(const detail::strand_data& in,
                                     const detail::continuation_words& to) noexcept {
    const bool is_context = to.kind() == detail::target_kind::future ||
                            to.kind() == detail::target_kind::counter ||
                            to.kind() == detail::target_kind::counting_slot;
    if (!is_context || (static_cast<std::uint32_t>(to.where) & 0xffffff) != in.home) {
        return nullptr;
    }
    const detail::context* const above = to.address();
    return above->generation == to.generation() ? above : nullptr;
}

std::uint64_t objects_alive() noexcept {
    return static_cast<std::uint64_t>(alive.load(std::memory_order_relaxed));
}
void count_objects(std::int64_t more) noexcept { alive.fetch_add(more, std::memory_order_relaxed); }

namespace detail {

object_header* take_object(std::size_t bytes) {
    const std::size_t classed = (sizeof(object_header) + bytes + step - 1) / step;
    const std::size_t size_class = classed < classes ? classed : apart;
    objects_of_strand& mine = objects_here();
    if (mine.free[size_class] == nullptr) {
        cut_slab(mine, size_class);
    }
    object_header& h = *mine.free[size_class];
    object_header* const next = next_free(h);
    void* const body = size_class == apart ? make_body_apart(h, bytes) : &h + 1;
    mine.free[size_class] = next;
    h.body = body;
    h.word = 0;
    h.home = here.inside->home;
    h.first = nullptr;
    h.last = &h.first;
    count_objects(1);
    return &h;
}

void give_object_back(object_header& h) noexcept {
    if (h.size_class == apart) {
        free_body_apart(h.body);
    }
    ++h.generation;
    objects_of_strand& mine = objects_here();
    next_free(h) = mine.free[h.size_class];
    mine.free[h.size_class] = &h;
    count_objects(-1);
}

void end_object(object_header& h) noexcept {
    const object_words name = words_of(h);
    object_waiter* waiting = h.first;
    if (waiting != nullptr) {
        take_out(waiting);
    }
    h.type->destroy(h.body);
    give_object_back(h);
    while (waiting != nullptr) {
        object_waiter* const next = waiting->behind;
        const continuation_words to = waiting->to;
        give_back(*here.inside, waiting);
        try {
            refuse_name(name);
        } catch (...) {
            resolve_with_error<context_hold>(to, std::current_exception());
        }
        waiting = next;
    }
}

namespace {

constexpr std::uint64_t stack_readers = object_header::one_parted - object_header::one_reader;

// Returns true if a method that has called the present one, over calls in this strand, is inside.
bool is_caller_inside(const strand_data& in, const object_header& h) noexcept {
    // If a method holds the object on the stack, whatever runs in this strand now was called by it.
    if ((h.word & (object_header::on_stack | stack_readers)) != 0) {
        return true;
    }
    if (in.running == nullptr) {
        return false;
    }
    for (const context* c = context_above(in, continuation_of(*in.running)); c != nullptr;
         c = context_above(in, continuation_of(*c))) {
        if (c->holds_object && reinterpret_cast<const object_header*>(c->next) == &h) {
            return true;
        }
    }
    return false;
}

}  // namespace

bool may_enter_again(const strand_data& in, const object_header& h, bool reads) {
    if (!is_caller_inside(in, h)) {
        return false;
    }
    const std::uint64_t readers =
        (h.word & stack_readers) / object_header::one_reader + h.word / object_header::one_parted;
    if (!reads && (h.word & object_header::writing) == 0 && readers > 1) {
        throw error(errc::would_deadlock, "object",
                    "one of its methods that read calls one that writes, while others read",
                    "let the first one write, too");
    }
    return true;
}

bool may_enter(object_header& h, bool reads) noexcept {
    const std::uint64_t hinders =
        reads ? object_header::writing | object_header::queued : ~std::uint64_t{0};
    if ((h.word & hinders) != 0) {
        return false;
    }
    h.word += reads ? object_header::one_parted : object_header::writing;
    return true;
}

void wait_for_object(object_header& h, const continuation_words& to, bool reads) {
    context* const memory = take_context<sizeof(object_waiter)>(*here.inside);
    auto* const w = static_cast<object_waiter*>(memory);
    w->behind = nullptr;
    w->of = &h;
    w->to = to;
    w->reads = reads;
    if (h.first == nullptr) {
        put_first(w, nullptr);
    }
    *h.last = w;
    h.last = &w->behind;
    h.word |= object_header::queued;
}

void let_next_in(object_header& h) noexcept {
    while (h.first != nullptr) {
        object_waiter* const w = h.first;
        const std::uint64_t others = h.word & ~object_header::queued;
        if (w->reads ? (others & object_header::writing) != 0 : others != 0) {
            return;
        }
        h.first = w->behind;
        if (h.first != nullptr) {
            put_first(h.first, w);
        } else {
            take_out(w);
            h.last = &h.first;
            h.word &= ~object_header::queued;
        }
        h.word += w->reads ? object_header::one_parted : object_header::writing;
        const continuation_words to = w->to;
        const bool reads = w->reads;
        give_back(*here.inside, w);
        resolve<context_hold>(to, context_hold(h, reads));
    }
}

void refuse_name(const object_words& name) {
    if (name.target == 0) {
        throw error(errc::invalid_handle, "global_ptr", "it is null",
                    "call methods by the name that create<T> gave");
    }
    throw error(errc::freed_handle, "object", "it was destroyed",
                "destroy an object when nobody calls it any more");
}

void refuse_place(const place& where) {
    static_assert(most_strands == 64, "see home_of()");
    if (where.rank > 0xffff) {
        throw error(errc::invalid_argument, "place",
                    "there is no rank " + std::to_string(static_cast<std::int32_t>(where.rank)),
                    "give a rank of MPI_COMM_WORLD");
    }
    throw error(errc::invalid_argument, "place",
                "there is no strand " + std::to_string(static_cast<std::int32_t>(where.strand)),
                "give one from 0 to 63, or none");
}

void refuse_to_let_go() noexcept {
    base::fatal_misuse("object", "there is no memory to keep others out while its method waits",
                       "keep fewer calls under way");
}

void refuse_to_end_element() {
    throw error(errc::invalid_argument, "destroy", "the object is an element of an array",
                "end the whole array, by destroy_array");
}

void refuse_to_end_itself() {
    throw error(errc::would_deadlock, "destroy", "a method of the object itself calls it",
                "destroy it from outside");
}

}  // namespace detail
}  // namespace lazult::concert
