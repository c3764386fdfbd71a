// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/wait_words.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <iterator>
#include <string>

namespace lazult::mpi {
namespace {

constexpr const char* kind_names[] = {"MPI call"};
const sync::door_waits known_waits(kind_names);

// Packed for a trace, which is written when the ULT is gone, are, from the lowest bit on: the
// second number, the first number, what is known of the communicator, the form, and the call.
constexpr unsigned number_bits = 32;
constexpr unsigned first_bits = 21;
constexpr unsigned comm_bits = 2;
constexpr unsigned form_bits = 3;
constexpr unsigned call_bits = 6;
static_assert(number_bits + first_bits + comm_bits + form_bits + call_bits == 64);
constexpr std::uint64_t largest_first = (std::uint64_t{1} << first_bits) - 2;
constexpr std::uint64_t any_first = largest_first + 1;  // a negative number

constexpr const char* known_forms[] = {no_message::form, message_from::form, message_to::form,
                                       some_requests::form, " on a helper thread"};
constexpr std::size_t helped_form = 4;
constexpr const char* comm_words[] = {"", " in MPI_COMM_WORLD", " in MPI_COMM_SELF",
                                      " in another communicator"};

// The names of calls that were traced, in the order in which they came. The last place stays empty:
// it is that of calls that came when there was no room.
//
// field   written by   read by     order
// calls   index_of     index_of,   relaxed: what they point to is constant
//                      say
constexpr std::size_t most_calls = std::size_t{1} << call_bits;
constinit std::array<std::atomic<const char*>, most_calls> calls{};

std::size_t index_of(const char* call) noexcept {
    std::size_t i = 0;
    for (; i + 1 < most_calls; ++i) {
        const char* known = nullptr;
        if (calls[i].compare_exchange_strong(known, call, std::memory_order_relaxed,
                                             std::memory_order_relaxed) ||
            std::strcmp(known, call) == 0) {
            break;
        }
    }
    return i;
}

std::size_t index_of_form(const char* form) noexcept {
    std::size_t i = std::size(known_forms) - 1;
    while (i != 0 && known_forms[i] != form) {
        --i;
    }
    return i;
}

std::size_t index_of_comm(MPI_Comm comm) noexcept {
    return comm == MPI_COMM_NULL ? 0 : comm == MPI_COMM_WORLD ? 1 : comm == MPI_COMM_SELF ? 2 : 3;
}

class packing {
public:
    void add(std::uint64_t value, unsigned bits) noexcept {
        all_ |= value << at_;
        at_ += bits;
    }
    std::uint64_t all() const noexcept { return all_; }

private:
    std::uint64_t all_ = 0;
    unsigned at_ = 0;
};

std::uint64_t pack(const char* call, std::size_t form, MPI_Comm comm, int first,
                   int second) noexcept {
    packing all;
    all.add(static_cast<std::uint32_t>(second), number_bits);
    const auto number = static_cast<std::uint64_t>(first);
    all.add(first < 0 ? any_first : std::min(number, largest_first), first_bits);
    all.add(index_of_comm(comm), comm_bits);
    all.add(form, form_bits);
    all.add(index_of(call), call_bits);
    return all.all();
}

std::uint64_t take(std::uint64_t& packed, unsigned bits) noexcept {
    const std::uint64_t value = packed & ((std::uint64_t{1} << bits) - 1);
    packed >>= bits;
    return value;
}

std::string say(std::uint64_t packed) {
    const auto second = static_cast<int>(take(packed, number_bits));
    const std::uint64_t first = take(packed, first_bits);
    const std::size_t comm = take(packed, comm_bits);
    const std::size_t form = take(packed, form_bits);
    const char* const call = calls[packed].load(std::memory_order_relaxed);
    const sync::wait_words words{call == nullptr ? "an MPI call" : call, known_forms[form]};
    return sync::words_of_note(words, first == any_first ? -1 : static_cast<int>(first), second) +
           comm_words[comm];
}

std::uint64_t pack_record(const void* record) noexcept {
    const auto& its = *static_cast<const wait_record*>(record);
    const sync::wait_words& words = *its.note.words;
    return pack(words.what, index_of_form(words.form), its.comm, its.note.first, its.note.second);
}

constexpr sync::object_words call_words{pack_record, say};
const bool announced [[maybe_unused]] = (sync::set_object_words(known_waits[0], call_words), true);

void trace(std::uint64_t packed) noexcept {
    core::trace_wait(static_cast<std::uint8_t>(known_waits[0]), packed);
}

}  // namespace

void trace_wait(const wait_record& record) noexcept { trace(pack_record(&record)); }
void trace_helped(const char* call) noexcept {
    trace(pack(call, helped_form, MPI_COMM_NULL, 0, 0));
}

}  // namespace lazult::mpi
