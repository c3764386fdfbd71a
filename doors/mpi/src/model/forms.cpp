// SPDX-License-Identifier: BSD-3-Clause
#include "model/forms.hpp"

#include <array>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <vector>

#include "adapt/settings.hpp"
#include "model/waits.hpp"

namespace lazult::mpi {
namespace {

constexpr std::uint64_t longest_pause = 256;
constexpr std::uint64_t never = 0;

// Owns the records, and recycles those of freed communicators. Their memory is never freed, because
// a thread that looks for another communicator's record may be reading one.
struct record_store {
    std::mutex lock;
    std::deque<call_record> all;
    std::vector<call_record*> free;

    call_record* take() noexcept {
        const std::lock_guard hold(lock);
        try {
            if (free.empty()) {
                free.reserve(all.size() + 1);
                return &all.emplace_back();
            }
        } catch (const std::bad_alloc&) {
            return nullptr;
        }
        call_record* const taken = free.back();
        free.pop_back();
        return taken;
    }
    void put(call_record* record) noexcept {
        const std::lock_guard hold(lock);
        free.push_back(record);  // take() has reserved memory for it
    }
};

record_store& records() noexcept { return base::the_only<record_store>(); }

// A cache of the records that were found last. The index is a hash of the communicator.
constexpr std::size_t recent_count = 64;
using recent_word = ds::default_atomics::atomic<call_record*>;
constinit std::array<recent_word, recent_count> recent{};
// The key of the attribute by which a communicator holds its record.
constinit ds::default_atomics::atomic<int> key{MPI_KEYVAL_INVALID};

recent_word& recent_of(MPI_Comm comm) noexcept {
    std::uintptr_t bits = 0;
    std::memcpy(&bits, &comm, sizeof comm);
    return recent[(bits ^ (bits >> 6) ^ (bits >> 12)) % recent_count];
}

// MPI calls this when it frees a communicator that has a record.
int forget(MPI_Comm, int, void* record, void*) {
    auto* const its = static_cast<call_record*>(record);
    its->give_up();
    records().put(its);
    return MPI_SUCCESS;
}

call_record* make_record(MPI_Comm comm, int its_key) noexcept {
    int is_inter = 0;
    int size = 0;
    call_record* const made = records().take();
    if (made == nullptr) {
        return nullptr;  // no memory: this rank's calls will not match those of the others
    }
    const int code = deep([&] {
        PMPI_Comm_test_inter(comm, &is_inter);
        PMPI_Comm_size(comm, &size);
        return PMPI_Comm_set_attr(comm, its_key, made);
    });
    if (code != MPI_SUCCESS) {
        records().put(made);
        return nullptr;
    }
    made->claim(comm, is_inter != 0, size);
    return made;
}

// Finds the record in the communicator's attribute, or makes one. Returns nullptr also if `comm` is
// no communicator: the MPI call itself then reports the error.
LAZULT_COLD call_record* find_record(MPI_Comm comm, int its_key) noexcept {
    void* found = nullptr;
    int flag = 0;
    if (deep([&] { return PMPI_Comm_get_attr(comm, its_key, &found, &flag); }) != MPI_SUCCESS) {
        return nullptr;
    }
    call_record* const record =
        flag != 0 ? static_cast<call_record*>(found) : make_record(comm, its_key);
    if (record != nullptr) {
        recent_of(comm).store(record, std::memory_order_release);  // pairs with: record_of()
    }
    return record;
}

}  // namespace

void call_record::claim(MPI_Comm comm, bool is_inter, int size) noexcept {
    const bool agrees = is_form(collectives_form::automatic);
    kind_.store(is_inter ? nonblocking : size == 1 ? alone : blocking, std::memory_order_relaxed);
    has_units_.store(false, std::memory_order_relaxed);
    made_.store(0, std::memory_order_relaxed);
    agree_at_.store(agrees && size > 1 ? 1 : never, std::memory_order_relaxed);
    comm_.store(comm, std::memory_order_release);  // pairs with: is_of()
}

void call_record::give_up() noexcept {
    // relaxed: no more calls are made on this communicator
    comm_.store(MPI_COMM_NULL, std::memory_order_relaxed);
}

// Agrees with the other ranks on the form of calls `number` and later. Uses a nonblocking
// reduction, because a ULT may be among the callers.
LAZULT_COLD int call_record::agree(std::uint64_t number, bool is_unit) noexcept {
    int has_units = has_units_.load(std::memory_order_relaxed) ? 1 : 0;
    const MPI_Comm comm = comm_.load(std::memory_order_relaxed);
    agree_at_.store(number < longest_pause / 2 ? number * 2 : number + longest_pause,
                    std::memory_order_relaxed);
    const int code = start_and_complete_by<"the door's MPI_Iallreduce">(
        is_unit, comm, [&](MPI_Request* request) {
            return PMPI_Iallreduce(MPI_IN_PLACE, &has_units, 1, MPI_INT, MPI_MAX, comm, request);
        });
    if (code != MPI_SUCCESS || has_units != 0) {
        kind_.store(nonblocking, std::memory_order_relaxed);
    }
    return code;
}

// Returns false if the error says that MPI refused an argument.
LAZULT_COLD bool call_record::was_made(int code) noexcept {
    int its_class = code;
    PMPI_Error_class(code, &its_class);
    switch (its_class) {
        case MPI_ERR_BUFFER:
        case MPI_ERR_COUNT:
        case MPI_ERR_TYPE:
        case MPI_ERR_COMM:
        case MPI_ERR_ROOT:
        case MPI_ERR_OP:
        case MPI_ERR_ARG: return false;
        default: return true;
    }
}

call_record* record_of(MPI_Comm comm) noexcept {
    // pairs with: find_record()
    call_record* const last = recent_of(comm).load(std::memory_order_acquire);
    if (last != nullptr && last->is_of(comm)) LAZULT_LIKELY {
        return last;
    }
    const int its_key = key.load(std::memory_order_relaxed);
    return its_key == MPI_KEYVAL_INVALID || comm == MPI_COMM_NULL ? nullptr
                                                                  : find_record(comm, its_key);
}

void open_records() noexcept {
    if (is_form(collectives_form::nonblocking)) {
        return;
    }
    int made = MPI_KEYVAL_INVALID;
    deep([&] { return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, forget, &made, nullptr); });
    key.store(made, std::memory_order_relaxed);  // relaxed: door.cpp's `state` publishes it
}

// Frees the key. Communicators that still exist lose their records when MPI ends.
void close_records() noexcept {
    int mine = key.exchange(MPI_KEYVAL_INVALID, std::memory_order_relaxed);
    if (mine != MPI_KEYVAL_INVALID) {
        deep([&] { return PMPI_Comm_free_keyval(&mine); });
    }
}

}  // namespace lazult::mpi
