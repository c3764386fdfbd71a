// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/io/descriptor.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <new>

#include "lazult/io/descriptor_table.hpp"

namespace lazult::io::inner {
namespace {

// The table's chunks. A chunk is made when a number in it is first met, and stays.
//
// field    written by                 read by   order
// chunks   make (CAS)                 anybody   release / acquire
// links    point, unlink_end          units     release / acquire: the lives that began before
class table {
public:
    static constexpr std::size_t chunk_size = 512;
    static constexpr std::size_t most_chunks = 2048;  // 1,048,576: the kernel's usual nr_open
    // A pipe's other end: its life and, in the lower half, its number. 0: there is none.
    using link = ds::default_atomics::atomic<std::uint64_t>;
    struct chunk {
        std::array<descriptor, chunk_size> records;
        std::array<link, chunk_size> links;
    };

    descriptor* find(std::size_t number) noexcept {
        chunk* const c = chunk_of(number);
        return c == nullptr ? nullptr : &c->records[number % chunk_size];
    }
    link* find_link(std::size_t number) noexcept {
        chunk* const c = chunk_of(number);
        return c == nullptr ? nullptr : &c->links[number % chunk_size];
    }
    // Calls visit(chunk, first number) for each chunk, until it returns true.
    template <class Visit>
    void for_each_chunk(Visit visit) noexcept {
        for (std::size_t i = 0; i < most_chunks; ++i) {
            // pairs with: the CAS in make()
            if (chunk* const c = chunks_[i].load(std::memory_order_acquire); c != nullptr) {
                if (visit(*c, i * chunk_size)) {
                    return;
                }
            }
        }
    }

private:
    chunk* chunk_of(std::size_t number) noexcept {
        const std::size_t index = number / chunk_size;
        if (index >= most_chunks) {
            return nullptr;
        }
        chunk* c = chunks_[index].load(std::memory_order_acquire);  // pairs with: the CAS below
        if (c == nullptr) LAZULT_UNLIKELY {
            c = make(index);
        }
        return c;
    }
    chunk* make(std::size_t index) noexcept {
        std::unique_ptr<chunk> fresh(new (std::nothrow) chunk);
        chunk* there = nullptr;
        if (fresh != nullptr &&
            // release pairs with: the loads of chunks_
            chunks_[index].compare_exchange_strong(there, fresh.get(), std::memory_order_acq_rel,
                                                   std::memory_order_acquire)) {
            return fresh.release();
        }
        return there;
    }

    std::array<ds::default_atomics::atomic<chunk*>, most_chunks> chunks_{};
};

constinit table all;
static_assert(sizeof(table) == table::most_chunks * sizeof(void*));  // see descriptor_table.hpp

}  // namespace

// What descriptor_table.hpp says of a record.
struct descriptor_layout {
    static constexpr std::uint64_t in = offsetof(descriptor, in_);
};

const char* name(kind what) noexcept {
    switch (what) {
        case kind::tcp:
        case kind::socket: return "a socket";
        case kind::pipe: return "a pipe";
        case kind::file:
        case kind::direct: return "a file";
        case kind::other: break;
    }
    return "a device";
}

descriptor* find_descriptor(int fd) noexcept {
    return fd < 0 ? nullptr : all.find(static_cast<std::size_t>(fd));
}

namespace {

// `from` and `to` are in the table.
void point(int from, int to) noexcept {
    const std::uint64_t life = find_descriptor(to)->life();
    // release pairs with: other_end_of()
    all.find_link(static_cast<std::size_t>(from))
        ->store(life << 32 | static_cast<std::uint32_t>(to), std::memory_order_release);
}

}  // namespace

void link_ends(int one, int other) noexcept {
    if (find_descriptor(one) != nullptr && find_descriptor(other) != nullptr) {
        point(one, other);
        point(other, one);
    }
}

void unlink_end(int fd) noexcept {
    if (table::link* const there = all.find_link(static_cast<std::size_t>(fd)); there != nullptr) {
        there->store(0, std::memory_order_release);  // pairs with: other_end_of()
    }
}

descriptor* other_end_of(int fd) noexcept {
    table::link* const there = all.find_link(static_cast<std::size_t>(fd));
    const std::uint64_t to =
        // pairs with: point(), unlink_end()
        there == nullptr ? 0 : there->load(std::memory_order_acquire);
    if (to == 0) {
        return nullptr;
    }
    descriptor* const d = find_descriptor(static_cast<int>(static_cast<std::uint32_t>(to)));
    return d != nullptr && d->life() == to >> 32 ? d : nullptr;
}

place find_queue(const void* queue) noexcept {
    place found;
    all.for_each_chunk([&](table::chunk& c, std::size_t first) {
        const auto at = reinterpret_cast<std::uintptr_t>(queue);
        const auto begin = reinterpret_cast<std::uintptr_t>(c.records.data());
        if (at >= begin && at < begin + sizeof c.records) {
            const std::size_t index = (at - begin) / sizeof(descriptor);
            found.fd = static_cast<int>(first + index);
            found.way =
                &c.records[index].towards(direction::in) == queue ? direction::in : direction::out;
        }
        return found.fd >= 0;
    });
    return found;
}

void forget_parents_waits() noexcept {
    all.for_each_chunk([](table::chunk& c, std::size_t) {
        for (descriptor& d : c.records) {
            d.forget_parent();
        }
        return false;
    });
}

template <class Change>
void descriptor::wake_everybody(word cleared, Change change) noexcept {
    sync::waiter<>* readers = nullptr;
    sync::waiter<>* writers = nullptr;
    {
        both_held hold(*this);
        change(hold);
        readers = in_.take_chain();
        writers = out_.take_chain();
        hold.count_edges(cleared);
    }
    sync::wake_all(readers);
    sync::wake_all(writers);
}

void descriptor::begin_life(std::uint32_t about) noexcept {
    wake_everybody(queue::doubtful, [this, about](both_held& hold) noexcept {
        std::uint32_t seen = about_.load(std::memory_order_relaxed);
        // release pairs with: about()
        while (!about_.compare_exchange_weak(seen, seen / one_moment * one_moment + about,
                                             std::memory_order_release,
                                             std::memory_order_relaxed)) {
        }
        life_.fetch_add(1, std::memory_order_release);  // pairs with: life()
        hold.set_watcher(nullptr);
    });
}

// What the state knows of the other side stays true, so `doubtful` stays.
void descriptor::have_all_try_again() noexcept {
    wake_everybody(0, [](both_held&) noexcept {});
}

bool descriptor::is_unwaited() noexcept { return both_held(*this).is_unwaited(); }

void descriptor::forget_parent() noexcept {
    new (&turn_) sync::semaphore(1);
    new (&in_) queue;
    new (&out_) queue;
    port_.store(nullptr, std::memory_order_relaxed);  // the child has one thread
}

}  // namespace lazult::io::inner

extern "C" {
[[gnu::used]] const lazult::io::inner::descriptor_table lazult_descriptor_table = {
    .version = 1,
    .chunks = &lazult::io::inner::all,
    .chunk_count = lazult::io::inner::table::most_chunks,
    .chunk_records = lazult::io::inner::table::chunk_size,
    .record_bytes = sizeof(lazult::io::inner::descriptor),
    .record_in = lazult::io::inner::descriptor_layout::in,
};
}
