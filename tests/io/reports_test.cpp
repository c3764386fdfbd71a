// SPDX-License-Identifier: BSD-3-Clause
// What a report says of units that wait in the kernel.
#include "lazult/sync/wait_description.hpp"

#include "tests/io/harness.hpp"

namespace lazult {
namespace {

using namespace lazult::testing;

std::vector<std::string> words_of_all_waits() {
    std::vector<std::string> all;
    core::for_each_unit(
        [](core::work_unit& u, void* into) {
            if (u.state() == core::life_state::blocked) {
                std::vector<watch::known_wait> waits;
                sync::describe_waits(u, waits);
                for (const watch::known_wait& each : waits) {
                    static_cast<std::vector<std::string>*>(into)->push_back(each.words);
                }
            }
        },
        &all);
    return all;
}

TEST(reports, say_which_descriptor_a_unit_waits_for) {
    const lazult::runtime running(lazult::options{.streams = 1});
    ends pipe = make_pipe(owner::library);
    ends sockets = make_socket_pair(owner::program);
    lazult::thread reader([&] {
        char c;
        EXPECT_EQ(io::read(pipe.in, &c, 1).value(), 1);
    });
    lazult::thread poller([&] { EXPECT_EQ(io::await_readable(sockets.in).value(), 0); });
    const auto are_told = [&] {
        const std::vector<std::string> told = words_of_all_waits();
        const auto is_told = [&](int fd, const std::string& what) {
            return std::find(told.begin(), told.end(),
                             "fd " + std::to_string(fd) + ", " + what + ", to be readable") !=
                   told.end();
        };
        // AddressSanitizer keeps the second record apart from the stack
        return is_told(pipe.in, "a pipe") && (is_told(sockets.in, "a socket") || probe::asan);
    };
    const auto begin = std::chrono::steady_clock::now();
    while (!are_told() && seconds_since(begin) < 10) {
        lazult::this_thread::sleep_for(1ms);
    }
    EXPECT_TRUE(are_told());
    EXPECT_EQ(::write(pipe.out, "x", 1), 1);
    EXPECT_EQ(::write(sockets.out, "x", 1), 1);
    reader.join();
    poller.join();
}

}  // namespace
}  // namespace lazult
