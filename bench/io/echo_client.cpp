// SPDX-License-Identifier: BSD-3-Clause
// The load of the echo servers: connections with one message under way each. The bytes of a message
// depend on its connection and number, and all that come back are looked at. Prints a line of JSON.
#include "bench/io/latencies.hpp"
#include "bench/io/server.hpp"

#include <nlohmann/json.hpp>

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace lazult::bench {
namespace {

constexpr int exit_few_descriptors = 3;
constexpr std::size_t batch = 1000;
constexpr std::uint32_t spare_descriptors = 32;
constexpr std::size_t expected_messages = 1'000'000;

struct request {
    std::uint16_t port = 0;
    std::uint32_t connections = 1000;
    std::size_t bytes = 64;
    int threads = 1;
    double seconds = 3;
    double warm_up = 0.5;
};

// The content of message `number` of a connection.
void fill(std::vector<std::uint64_t>& words, std::uint32_t connection, std::uint32_t number) {
    const std::uint64_t start = mixed(std::uint64_t{connection} << 32 | number);
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = start + i * 0x9e3779b97f4a7c15;
    }
}

struct connection {
    int socket = -1;
    std::uint32_t name = 0;
    std::uint32_t number = 0;  // of the message that is under way
    std::size_t sent = 0;
    std::size_t received = 0;
    std::int64_t begun = 0;
};

class load {
public:
    load(const request& how, std::uint32_t first, std::uint32_t count)
        : how_(how), latencies_(expected_messages), expected_((how.bytes + 7) / 8) {
        raw_.resize(how.bytes);
        connections_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) {
            connections_[i].name = first + i;
        }
    }

    // A byte that comes back says that the server has accepted all connections before: so its
    // backlog never has more than a batch.
    void connect_all() {
        for (std::size_t i = 0; i < connections_.size(); ++i) {
            connect_one(connections_[i]);
            if ((i + 1) % batch == 0 || i + 1 == connections_.size()) {
                exchange_byte(connections_[i].socket);
            }
            watch(connections_[i]);
        }
    }

    void run(std::int64_t count_from, std::int64_t until) {
        count_from_ = count_from;
        for (connection& each : connections_) {
            begin(each);
        }
        std::array<epoll_event, 512> events;
        while (now_ns() < until) {
            const int count = epoll_wait(set_, events.data(), static_cast<int>(events.size()), 100);
            for (int i = 0; i < count; ++i) {
                auto& each =
                    *static_cast<connection*>(events[static_cast<std::size_t>(i)].data.ptr);
                go_on(each);
            }
        }
    }

    const latencies& found() const { return latencies_; }
    std::uint64_t messages() const { return messages_; }
    std::uint64_t errors() const { return errors_; }

private:
    void connect_one(connection& each) const {
        const sockaddr_in server = loopback(how_.port);
        each.socket = must(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket");
        must(connect(each.socket, reinterpret_cast<const sockaddr*>(&server), sizeof(server)),
             "connect");
        send_at_once(each.socket);
    }

    static void exchange_byte(int socket) {
        char byte = 'a';
        must(static_cast<int>(send(socket, &byte, 1, MSG_NOSIGNAL)), "send");
        must(static_cast<int>(recv(socket, &byte, 1, 0)), "recv");
    }

    void watch(connection& each) const {
        epoll_event event{};
        event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
        event.data.ptr = &each;
        must(epoll_ctl(set_, EPOLL_CTL_ADD, each.socket, &event), "epoll_ctl");
    }

    void begin(connection& each) {
        ++each.number;
        each.sent = each.received = 0;
        each.begun = now_ns();
        send_rest(each);
    }

    void fail(connection& each) {
        ++errors_;
        close(each.socket);
        each.socket = -1;
    }

    void send_rest(connection& each) {
        fill(expected_, each.name, each.number);
        const char* data = reinterpret_cast<const char*>(expected_.data());
        const ssize_t sent = send(each.socket, data + each.sent, how_.bytes - each.sent,
                                  MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0) {
            each.sent += static_cast<std::size_t>(sent);
        } else if (errno != EAGAIN) {
            fail(each);
        }
    }

    void go_on(connection& each) {
        if (each.socket >= 0 && each.sent < how_.bytes) {
            send_rest(each);
        }
        while (each.socket >= 0 && receive(each)) {
        }
    }

    // Returns true if there may be more.
    bool receive(connection& each) {
        const std::size_t wanted = how_.bytes - each.received;
        const ssize_t got = recv(each.socket, raw_.data(), wanted, MSG_DONTWAIT);
        if (got < 0 && errno == EAGAIN) {
            return false;
        }
        if (got <= 0 || !as_sent(each, static_cast<std::size_t>(got))) {
            fail(each);
            return false;
        }
        each.received += static_cast<std::size_t>(got);
        if (each.received < how_.bytes) {
            return true;
        }
        end_message(each);
        return false;
    }

    bool as_sent(const connection& each, std::size_t bytes) {
        fill(expected_, each.name, each.number);
        const char* data = reinterpret_cast<const char*>(expected_.data());
        return std::memcmp(data + each.received, raw_.data(), bytes) == 0;
    }

    void end_message(connection& each) {
        const std::int64_t now = now_ns();
        ++messages_;
        if (now >= count_from_) {
            latencies_.add(now - each.begun);
        }
        begin(each);
    }

    const request& how_;
    const int set_ = must(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    std::int64_t count_from_ = 0;
    std::uint64_t messages_ = 0;  // with those of the warm-up
    std::uint64_t errors_ = 0;
    latencies latencies_;
    std::vector<std::uint64_t> expected_;
    std::vector<char> raw_;
    std::vector<connection> connections_;
};

using loads = std::vector<std::unique_ptr<load>>;

loads split(const request& how) {
    const auto threads = static_cast<std::uint32_t>(how.threads);
    loads parts;
    for (std::uint32_t i = 0; i < threads; ++i) {
        const std::uint32_t first = how.connections * i / threads;
        const std::uint32_t end = how.connections * (i + 1) / threads;
        parts.push_back(std::make_unique<load>(how, first, end - first));
        parts.back()->connect_all();
    }
    return parts;
}

void run_all(const loads& parts, const request& how) {
    const std::int64_t count_from = now_ns() + static_cast<std::int64_t>(how.warm_up * 1e9);
    const std::int64_t until = count_from + static_cast<std::int64_t>(how.seconds * 1e9);
    std::vector<std::jthread> threads;
    for (const auto& each : parts) {
        threads.emplace_back([&each, count_from, until] { each->run(count_from, until); });
    }
}

void print(const loads& parts, const request& how) {
    latencies all;
    std::uint64_t messages = 0;
    std::uint64_t errors = 0;
    for (const auto& each : parts) {
        all.add(each->found());
        messages += each->messages();
        errors += each->errors();
    }
    const nlohmann::json line = {
        {"connections", how.connections},
        {"messages", messages},
        {"messages_per_second", static_cast<double>(all.count()) / how.seconds},
        {"p50_us", all.quantile_us(0.5)},
        {"p99_us", all.quantile_us(0.99)},
        {"p999_us", all.quantile_us(0.999)},
        {"errors", errors}};
    fmt::print("{}\n", line.dump());
}

void need_descriptors(const request& how) {
    raise_descriptor_limit();
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < how.connections + spare_descriptors) {
        fmt::print(stderr,
                   "echo_client: {} connections need more descriptors than the {} that this "
                   "process may have; raise its limit: ulimit -n\n",
                   how.connections, limit.rlim_cur);
        std::exit(exit_few_descriptors);
    }
}

void add_request(CLI::App& program, request& given) {
    program.add_option("--port", given.port, "of the server")->required();
    program.add_option("--connections", given.connections, "how many (1000)");
    program.add_option("--bytes", given.bytes, "of a message (64)")->check(CLI::Range(1, 1 << 20));
    program.add_option("--threads", given.threads, "of this program (1)")->check(CLI::Range(1, 64));
    program.add_option("--seconds", given.seconds, "that count (3)");
    program.add_option("--warm-up", given.warm_up, "seconds before, which do not (0.5)");
}

int run(const request& how) {
    need_descriptors(how);
    const loads parts = split(how);
    run_all(parts, how);
    print(parts, how);
    return 0;
}

}  // namespace
}  // namespace lazult::bench

int main(int argc, char** argv) {
    CLI::App program("Sends messages to an echo server, and measures.");
    lazult::bench::request given;
    lazult::bench::add_request(program, given);
    CLI11_PARSE(program, argc, argv);
    return lazult::bench::run(given);
}
