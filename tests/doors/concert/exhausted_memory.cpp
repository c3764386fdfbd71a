// SPDX-License-Identifier: BSD-3-Clause
// Memory runs out on the rank that serves a call, and on the rank that makes it: at each allocation
// once. The caller gets the right result or a named error, and the next call works.
#include "tests/doors/concert/harness.hpp"

#include <lazult/lazult.hpp>
#include <lazult_concert_objects.hpp>

#include <cstdlib>
#include <new>
#include <string>

namespace {

// How many allocations of this thread succeed before one fails. Below 0: all do.
thread_local long left_until_failure = -1;
bool has_failed = false;

bool fails_now() {
    if (left_until_failure < 0 || left_until_failure-- != 0) {
        return false;
    }
    has_failed = true;
    return true;
}

void* allocate(std::size_t bytes, std::size_t alignment) noexcept {
    return fails_now()
               ? nullptr
               : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}
void* allocate_or_throw(std::size_t bytes, std::size_t alignment) {
    void* const memory = allocate(bytes, alignment);
    if (memory == nullptr) {
        throw std::bad_alloc();
    }
    return memory;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes, 16); }
void* operator new(std::size_t bytes, std::align_val_t a) {
    return allocate_or_throw(bytes, static_cast<std::size_t>(a));
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
    return allocate(bytes, 16);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }

namespace {

namespace concert = lazult::concert;
using concert::all;
using concert::call;
using concert::caller;
using concert::on;
using concert::outcome;
using concert::run;

struct desk {
    concert::continuation<std::string> waiting;

    // Blocks, so it needs contexts.
    outcome<std::string> answer(std::string word, long allocations) {
        left_until_failure = allocations;
        return all(call(wait_here, &waiting), call(answer_now, &waiting, word))
            .keep(std::move(word))
            .then([](const std::string& asked, const std::string& said) { return asked + said; });
    }
    static outcome<std::string> wait_here(caller<std::string> by,
                                          concert::continuation<std::string>* to) {
        *to = by.take();
        return by.given();
    }
    static void answer_now(const concert::continuation<std::string>* to, std::string word) {
        to->resolve(std::move(word));
    }
};

bool stop_failing() {
    left_until_failure = -1;
    return std::exchange(has_failed, false);
}

const std::string word(100, 'w');  // too long for a string's own bytes

// Calls by_call(), which gives what it should or fails by a named error of `rank`. True: it gave.
template <class F>
bool tries(int rank, F by_call) {
    try {
        by_call();
        return true;
    } catch (const concert::remote_error& e) {
        CHECK(e.code() == lazult::errc::out_of_memory);
        CHECK(e.rank() == rank);
    } catch (const std::bad_alloc&) {
        CHECK(rank == concert_rank());
    } catch (const lazult::error& e) {
        CHECK(e.code() == lazult::errc::out_of_memory);
        CHECK(rank == concert_rank());
    }
    return false;
}

// Lets the n-th allocation of a rank fail during a call, for each n until none fails.
void fail_each(concert::global_ptr<desk> who, int rank) {
    int failures = 0;
    bool has_failed_there = true;
    for (long n = 0; has_failed_there; ++n) {
        lazult::testing::doing() =
            "allocation " + std::to_string(n) + " of rank " + std::to_string(rank);
        const bool is_callee = rank == who.rank();  // its failures begin in the method
        left_until_failure = is_callee ? -1 : n;
        const bool has_worked = tries(rank, [&] {
            CHECK(run(&desk::answer, who, word, is_callee ? n : -1L) == word + word);
        });
        failures += has_worked ? 0 : 1;
        while (!tries(rank, [&] { has_failed_there = run(on(rank, 0), stop_failing); })) {
            has_failed_there = true;
        }
        CHECK(run(&desk::answer, who, word, -1L) == word + word);
    }
    CHECK(failures > 0);
}

}  // namespace

int main() {
    const lazult::runtime streams({.streams = 1});
    concert::session world;
    if (world.rank() == 0) {
        const int last = world.size() - 1;
        const auto near = run(on(0, 0), concert::create<desk>);
        const auto far = run(on(last, 0), concert::create<desk>);
        fail_each(near, 0);
        fail_each(far, last);
        fail_each(far, 0);
    }
    world.quiesce();
    lazult::testing::passed("exhausted_memory");
}
