// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/api/thread_record.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace lazult::api {
namespace {

thread_record* as_record(std::uintptr_t word) noexcept {
    return word > thread_frame::requested ? reinterpret_cast<thread_record*>(word) : nullptr;
}

// A record and the state of its stop source. Throws error: out_of_memory.
std::unique_ptr<thread_record> make_record() {
    try {
        return std::make_unique<thread_record>();
    } catch (const std::bad_alloc&) {
        refuse_for_memory();
    }
}

void destroy_unstarted_closure(work_unit& u) noexcept {
    const auto marked = reinterpret_cast<std::uintptr_t>(u.argument) | detail::destroy_only;
    u.entry(reinterpret_cast<void*>(marked));
}

void name_in_report(const work_unit& u, char* into, std::size_t size) noexcept {
    auto& mine = const_cast<work_unit&>(u);
    const thread_record* record =
        (bits_of(mine) & kind_thread) != 0 ? record_if_any(mine) : nullptr;
    size = std::min(size, sizeof(thread_record::name));
    if (record == nullptr || !os::read_memory(record->name, into, size)) {
        into[0] = '\0';
        return;
    }
    into[size - 1] = '\0';  // if the unit has ended meanwhile, these bytes may be anything
}

std::exception_ptr take_failure(work_unit& u) noexcept {
    auto* kept = std::launder(reinterpret_cast<std::exception_ptr*>(frame_of(u).closure));
    std::exception_ptr failure = std::move(*kept);
    std::destroy_at(kept);
    return failure;
}

std::exception_ptr settle_closure(work_unit& u) noexcept {
    const std::uint16_t bits = bits_of(u);
    if ((bits & threw) != 0) {
        return take_failure(u);
    }
    if ((bits & closure_to_destroy) != 0 && core::was_canceled_at_once(u)) {
        destroy_unstarted_closure(u);
    }
    return nullptr;
}

}  // namespace

thread_record* record_if_any(work_unit& u) noexcept {
    // acquire pairs with: record_of(), CAS of record
    return as_record(frame_of(u).record.load(std::memory_order_acquire));
}

thread_record& record_of(work_unit& u) {
    auto& word = frame_of(u).record;
    // acquire pairs with: the CAS below, by another thread
    std::uintptr_t seen = word.load(std::memory_order_acquire);
    if (thread_record* there = as_record(seen); there != nullptr) {
        return *there;
    }
    std::unique_ptr<thread_record> fresh = make_record();
    const auto mine = reinterpret_cast<std::uintptr_t>(fresh.get());
    // release pairs with: record_if_any(), record_of(), loads of record; acquire: with itself
    while (!word.compare_exchange_strong(seen, mine, std::memory_order_acq_rel,
                                         std::memory_order_acquire)) {
        if (thread_record* there = as_record(seen); there != nullptr) {
            return *there;
        }
    }
    if (seen == thread_frame::requested) {
        fresh->stop.request_stop();
    }
    set_bit(u, needs_cleanup);
    return *fresh.release();
}

void drop_record(work_unit& u) noexcept {
    thread_record* record = record_if_any(u);
    if (record == nullptr) {
        return;
    }
    if (record->own_stack != nullptr) {
        core::disown_user_stack(record->own_stack);
    }
    delete record;
}

void equip(work_unit& u, const char* name, core::stack* own_stack) {
    try {
        thread_record& record = record_of(u);
        record.own_stack = own_stack;
        if (name != nullptr) {
            core::set_unit_namer(name_in_report);
            std::strncpy(record.name, name, sizeof(record.name) - 1);
        }
    } catch (...) {
        if (own_stack != nullptr) {
            core::disown_user_stack(own_stack);
        }
        discard(&u);
        throw;
    }
}

std::exception_ptr clean_up(work_unit& u) noexcept {
    std::exception_ptr failure = settle_closure(u);
    drop_record(u);
    return failure;
}

void settle_for_revival(work_unit& u) noexcept {
    settle_closure(u);
    core::forget_cancellation(u);
    if (thread_record* record = record_if_any(u); record != nullptr) {
        record->stop = std::stop_source();
        u.stk = record->own_stack;
    } else {
        frame_of(u).record.store(thread_frame::none, std::memory_order_relaxed);
    }
    u.header.user_bits = static_cast<std::uint16_t>(kind_thread | closure_to_destroy |
                                                    (bits_of(u) & (needs_cleanup | placed)));
}

}  // namespace lazult::api

namespace lazult::detail {

using namespace api;

bool request_stop(unit* handle) noexcept {
    if (handle == nullptr) {
        return false;
    }
    auto& word = frame_of(*to_unit(handle)).record;
    std::uintptr_t seen = thread_frame::none;
    // release pairs with: this_thread::stop_requested(), load of record
    // acquire (failure) pairs with: record_of(), CAS of record
    if (word.compare_exchange_strong(seen, thread_frame::requested, std::memory_order_release,
                                     std::memory_order_acquire)) {
        return true;
    }
    thread_record* record = as_record(seen);
    return record != nullptr && record->stop.request_stop();
}

std::stop_source stop_source_of(unit* handle) {
    return handle == nullptr ? std::stop_source(std::nostopstate)
                             : record_of(*to_unit(handle)).stop;
}

std::string name_of(const unit* handle) {
    if (handle == nullptr) {
        return {};
    }
    const thread_record* record = record_if_any(const_cast<work_unit&>(*to_unit(handle)));
    return record == nullptr ? std::string() : std::string(record->name);
}

}  // namespace lazult::detail

// Tells a debugger where the names of threads are; tools/gdb finds it by the name of the symbol.
// New fields go to the end, and raise the version. All offsets are in bytes.
extern "C" {
struct lazult_name_table_type {
    std::uint64_t version;
    std::uint64_t unit_bits;    // offset of 16 bits in a unit
    std::uint64_t kind_thread;  // the bit among these that is set in units with a record word
    std::uint64_t unit_record;  // offset of that word: the address of the record, which begins
    std::uint64_t none;         // with the name; there is no record if the word is not above `none`
    std::uint64_t name_bytes;   // the size of the name
};
[[gnu::used, gnu::visibility("default")]] extern const lazult_name_table_type lazult_name_table = {
    .version = 1,
    .unit_bits =
        offsetof(lazult::core::work_unit, header) + offsetof(lazult::core::unit_header, user_bits),
    .kind_thread = lazult::api::kind_thread,
    .unit_record =
        offsetof(lazult::core::work_unit, storage) + offsetof(lazult::api::thread_frame, record),
    .none = lazult::api::thread_frame::requested,
    .name_bytes = sizeof(lazult::api::thread_record::name),
};
}
