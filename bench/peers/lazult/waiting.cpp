// SPDX-License-Identifier: BSD-3-Clause
// Units that wait for each other: mutexes, condition variables, channels.
#include <lazult/lazult.hpp>

#include <array>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "cases.hpp"

namespace {

lazult::mutex guard;
long guarded;

template <bool gives_way>
void lock_often(bool first, long times) {
    begin_unit(first);
    for (long i = 0; i < times; ++i) {
        const std::lock_guard hold(guard);
        ++guarded;
        if (gives_way) {
            lazult::this_thread::yield();
        }
    }
}

template <bool gives_way, int units>
double locks(long times) {
    guarded = 0;
    std::array<lazult::thread, units> threads;
    for (int i = 0; i < units; ++i) {
        threads[i] = lazult::thread(lock_often<gives_way>, i == 0, times);
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
    bench_check(guarded == times * units, "what the mutex guards");
    return static_cast<double>(guarded);
}

lazult::condition_variable changed;
int turn;

void play(int me, long times) {
    begin_unit(me == 0);
    for (long i = 0; i < times; ++i) {
        std::unique_lock hold(guard);
        while (turn != me) {
            changed.wait(hold);
        }
        turn = 1 - me;
        changed.notify_one();
    }
}

double round_trips(long times) {
    turn = 0;
    lazult::thread one(play, 0, times);
    lazult::thread other(play, 1, times);
    one.join();
    other.join();
    bench_check(turn == 0, "whose turn it is");
    return static_cast<double>(times);
}

template <std::size_t capacity>
double transfers(long times) {
    lazult::channel<long> channel(capacity);
    lazult::thread sender([&channel, times] {
        begin_unit(true);
        for (long i = 1; i <= times; ++i) {
            channel.send(i);
        }
        channel.close();
    });
    long sum = 0;
    lazult::thread receiver([&channel, &sum] {
        while (const std::optional<long> one = channel.receive()) {
            sum += *one;
        }
    });
    sender.join();
    receiver.join();
    bench_check(sum == times * (times + 1) / 2, "what came through the channel");
    return static_cast<double>(times);
}

constexpr unsigned accounts = 10;
constexpr int tellers = 1000;

struct account {
    lazult::mutex lock;
    long balance = 0;
};

void transfer_often(std::array<account, accounts>& bank, unsigned number, long times) {
    begin_unit(number == 1);
    std::uint32_t random = number;
    for (long i = 0; i < times; ++i) {
        random = random * 1664525U + 1013904223U;
        const unsigned from = (random >> 8) % accounts;
        const unsigned to = (from + 1 + (random >> 20) % (accounts - 1)) % accounts;
        const std::lock_guard low(bank[std::min(from, to)].lock);
        const std::lock_guard high(bank[std::max(from, to)].lock);
        --bank[from].balance;
        ++bank[to].balance;
    }
}

double bank_transfers(long times) {
    std::array<account, accounts> bank;
    std::vector<lazult::thread> threads;
    for (int i = 1; i <= tellers; ++i) {
        threads.emplace_back(
            [&bank, i, times] { transfer_often(bank, static_cast<unsigned>(i), times); });
    }
    for (lazult::thread& t : threads) {
        t.join();
    }
    long sum = 0;
    for (const account& each : bank) {
        sum += each.balance;
    }
    bench_check(sum == 0, "the sum of all accounts");
    return static_cast<double>(tellers) * static_cast<double>(times);
}

}  // namespace

case_list waiting_cases() {
    return {
        {"mutex-yield-inside", "lock, yield, unlock, of 4 threads", 1, 100000, locks<true, 4>},
        {"mutex-two-streams", "lock and unlock, of 2 threads", 2, 300000, locks<false, 2>},
        {"condition", "round trip of 2 threads", 1, 100000, round_trips},
        {"condition-two-streams", "round trip of 2 threads", 2, 20000, round_trips},
        {"channel-10", "an element through a channel of 10", 2, 300000, transfers<10>},
        {"channel-1000", "an element through a channel of 1,000", 2, 300000, transfers<1000>},
        {"bank", "transfer between 2 of 10 accounts, of 1,000 threads", 2, 200, bank_transfers}};
}
