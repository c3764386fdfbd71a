// SPDX-License-Identifier: BSD-3-Clause
// Calls of objects: in the caller's strand, in another strand, and on another rank. Rank 0 calls;
// rank 1 serves. Between them MPI's own calls send as many bytes there and back.
#include "bench/concert/measure.hpp"

#include <lazult/this_thread.hpp>
#include <lazult_concert_objects.hpp>

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace lazult::bench {
namespace {

using concert::all;
using concert::call;
using concert::caller;
using concert::global_ptr;
using concert::outcome;

constexpr std::int64_t batch = 256;
constexpr long trips = 50;

// --- what is called

[[gnu::noinline]] outcome<long> wait_for_word(caller<long> by, concert::continuation<long>* to) {
    *to = by.take();
    return by.given();
}
[[gnu::noinline]] void give_word(concert::continuation<long>* to) { to->resolve(1); }

struct box {
    long sum = 0;
    concert::continuation<long> waiting;

    [[gnu::noinline]] long value() const { return sum; }
    [[gnu::noinline]] long add(long n) { return sum += n; }
    // Waits, and has its word at once: so it goes on in a context.
    outcome<long> add_late(long n) {
        return all(call(wait_for_word, &waiting), call(give_word, &waiting))
            .keep(this, n)
            .then([](box* self, long m, long) { return self->sum += m; });
    }
    void answer(concert::continuation<long> to, long n) { to.resolve(sum += n); }
};
using box_ptr = global_ptr<box>;

// The result comes from the other rank, which has the continuation.
outcome<long> ask(caller<long> by, box_ptr of, long n) {
    const concert::continuation<long> to = by.take();
    static_cast<void>(outcome<void>(call(&box::answer, of, to, n)));
    return by.given();
}

// --- loops of calls inside one run()

outcome<long> read_plain(std::int64_t, box* of) { return of->value(); }
outcome<long> write_plain(std::int64_t, box* of) { return of->add(1); }
outcome<long> read_step(std::int64_t, box_ptr of) { return call(&box::value, of); }
outcome<long> write_step(std::int64_t, box_ptr of) { return call(&box::add, of, 1L); }
outcome<long> cached_step(std::int64_t, box_ptr of) {
    return concert::call_cached<&box::value>(of);
}

template <auto Step, class Of>
outcome<long> loop(Of of) {
    return concert::combine(0, batch, 0L, std::plus<>(), Step, of);
}

// One call after the other: each waits for the one before.
template <auto Method>
outcome<long> chain(box_ptr of, long left) {
    return call(Method, of, 1L).keep(of, left).then([](box_ptr o, long l, long v) -> outcome<long> {
        if (l == 1) {
            return v;
        }
        return call(chain<Method>, o, l - 1);
    });
}

template <class Run>
void time_it(figures& found, const char* what, double calls, const Run& run) {
    const auto began = clock::now();
    run();
    found.add(what, ns_since(began) / calls);
}

// --- rank 1 serves as long as rank 0 measures

std::atomic<bool> is_serving{false};

void end_service() { is_serving.store(false, std::memory_order_release); }  // pairs with: serve()

// As MPI_Recv does, it looks for messages without a pause. It gives way to what goes on in
// contexts.
void serve() {
    while (is_serving.load(std::memory_order_acquire)) {  // pairs with: end_service()
        concert::extract();
        this_thread::yield();
    }
}

struct objects_of_bench {
    box* plain;
    box_ptr here;
    box_ptr beside;  // in another strand of this rank
    box_ptr far;
};

void time_local(const objects_of_bench& of, figures& found) {
    const auto n = static_cast<double>(batch);
    concert::run(loop<read_plain, box*>, of.plain);  // after a wait the caches are cold
    time_it(found, "method, reads", n, [&] { concert::run(loop<read_plain, box*>, of.plain); });
    time_it(found, "method, writes", n, [&] { concert::run(loop<write_plain, box*>, of.plain); });
    time_it(found, "object here, reads", n,
            [&] { concert::run(loop<read_step, box_ptr>, of.here); });
    time_it(found, "object here, writes", n,
            [&] { concert::run(loop<write_step, box_ptr>, of.here); });
    time_it(found, "object in another strand", n,
            [&] { concert::run(loop<write_step, box_ptr>, of.beside); });
    concert::run(cached_step, std::int64_t{0}, of.far);  // the miss
    time_it(found, "call_cached, hit", n,
            [&] { concert::run(loop<cached_step, box_ptr>, of.far); });
}

void time_far(const objects_of_bench& of, figures& found) {
    time_it(found, "round trip", trips, [&] {
        for (long i = 0; i < trips; ++i) {
            concert::run(&box::add, of.far, 1L);
        }
    });
    time_it(found, "round trip, in a chain", trips,
            [&] { concert::run(chain<&box::add>, of.far, trips); });
    time_it(found, "round trip, falls back there", trips, [&] {
        for (long i = 0; i < trips; ++i) {
            concert::run(&box::add_late, of.far, 1L);
        }
    });
    time_it(found, "continuation resolved there", trips, [&] {
        for (long i = 0; i < trips; ++i) {
            concert::run(ask, of.far, 1L);
        }
    });
    time_it(found, "many calls at once", static_cast<double>(batch),
            [&] { concert::run(loop<write_step, box_ptr>, of.far); });
}

struct sizes {
    std::size_t there = sizeof(concert::detail::message_head);
    std::size_t back = sizeof(concert::detail::message_head) + sizeof(long);
    sizes() {
        using method = concert::detail::object_method<concert::detail::guard::implied,
                                                      decltype(&box::add), box, long>;
        concert::packer bytes;
        concert::transfer<method>::put(bytes, method{&box::add});
        there += bytes.size() + sizeof(box_ptr) + sizeof(long);
    }
};

void mpi_round_trips(int rank, const sizes& bytes, figures& found) {
    std::byte data[256] = {};
    const auto there = static_cast<int>(bytes.there);
    const auto back = static_cast<int>(bytes.back);
    const auto began = clock::now();
    for (long i = 0; i < trips; ++i) {
        if (rank == 0) {
            MPI_Send(data, there, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(data, back, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(data, there, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, back, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
        }
    }
    found.add("MPI round trip", ns_since(began) / trips);
}

void one_round(concert::session& world, const objects_of_bench& of, const sizes& bytes,
               figures& found) {
    is_serving.store(world.rank() == 1, std::memory_order_relaxed);  // this thread reads it
    MPI_Barrier(MPI_COMM_WORLD);
    if (world.rank() == 0) {
        time_local(of, found);
        time_far(of, found);
        concert::run(concert::on(1), end_service);
    } else if (world.rank() == 1) {
        serve();
    }
    world.quiesce();
    if (world.rank() < 2) {
        mpi_round_trips(world.rank(), bytes, found);
    }
    world.quiesce();
}

constexpr const char* table[] = {"method, reads",
                                 "method, writes",
                                 "object here, reads",
                                 "object here, writes",
                                 "object in another strand",
                                 "call_cached, hit",
                                 "MPI round trip",
                                 "round trip",
                                 "round trip, in a chain",
                                 "round trip, falls back there",
                                 "continuation resolved there",
                                 "many calls at once"};

void add_rows(figures& found, const sizes& bytes, std::vector<row>& rows) {
    bool is_far = false;
    for (const char* what : table) {
        is_far = is_far || std::string(what) == "MPI round trip";
        row r;
        r.what = what;
        r.bytes = is_far ? bytes.there + bytes.back : 0;
        r = filled(r, found.of(what));
        compare(r, rows, is_far ? "MPI round trip" : "method, writes");
        rows.push_back(r);
    }
}

// Every call has added one, but for those that read.
void check(const objects_of_bench& of, const effort& how) {
    const long rounds = static_cast<long>(how.rounds) + 1;
    const long near_sum = concert::run(&box::value, of.here);
    const long far_sum = concert::run(&box::value, of.far);
    if (near_sum != rounds * batch || far_sum != rounds * (4 * trips + batch)) {
        throw std::runtime_error("calls were lost, or came twice");
    }
}

}  // namespace

void measure_objects(const effort& how, std::vector<row>& rows) {
    concert::session world;
    if (world.size() < 2) {
        throw std::runtime_error("calls between ranks need two of them");
    }
    box plain;
    objects_of_bench of{&plain, {}, {}, {}};
    if (world.rank() == 0) {
        of.here = concert::run(concert::on(0, 0), concert::create<box>);
        of.beside = concert::run(concert::on(0, 1), concert::create<box>);
        of.far = concert::run(concert::on(1, 0), concert::create<box>);
    }
    world.quiesce();
    const sizes bytes;
    figures found;
    for (unsigned round = 0; round <= how.rounds; ++round) {
        one_round(world, of, bytes, found);
        if (round == 0) {
            found.forget();
        }
    }
    if (world.rank() == 0) {
        check(of, how);
        add_rows(found, bytes, rows);
    }
    world.quiesce();
}

}  // namespace lazult::bench
