// SPDX-License-Identifier: BSD-3-Clause
// <lazult/io.h>: c_face.c, in C, makes the calls; here are the units and OS threads that run it.
#include "tests/io/harness.hpp"

#include <lazult/tasklet.hpp>

#include <atomic>
#include <filesystem>

#include "tests/io/c_face.h"

namespace lazult {
namespace {

using namespace lazult::testing;

// A folder that goes with the object.
class own_folder {
public:
    own_folder() { EXPECT_NE(::mkdtemp(path_.data()), nullptr); }
    ~own_folder() { std::filesystem::remove_all(path_); }
    own_folder(const own_folder&) = delete;
    own_folder& operator=(const own_folder&) = delete;
    const char* path() const { return path_.c_str(); }

private:
    std::string path_ = (std::filesystem::temp_directory_path() / "lazult-c-XXXXXX").string();
};

// By a ULT, on one stream or on two, or by an OS thread.
enum class by { ult, ult_of_two_streams, os_thread };

class c_face : public ::testing::TestWithParam<by> {
protected:
    template <class Check>
    void expect(Check check) {
        const char* words = "it did not run";
        if (GetParam() == by::os_thread) {
            std::thread([&] { words = check(); }).join();
        } else {
            in_ult([&] { words = check(); });
        }
        EXPECT_STREQ(words, nullptr);
    }

    lazult::runtime running_{
        lazult::options{.streams = GetParam() == by::ult_of_two_streams ? 2 : 1}};
};

TEST_P(c_face, moves_bytes_through_pipes) { expect(c_face_pipes); }
TEST_P(c_face, accepts_and_connects) { expect(c_face_sockets); }
TEST_P(c_face, sends_and_receives_messages) { expect(c_face_messages); }
TEST_P(c_face, polls) { expect(c_face_polls); }
TEST_P(c_face, reads_and_writes_files) {
    const own_folder folder;
    expect([&] { return c_face_files(folder.path()); });
}
TEST_P(c_face, returns_errors_as_negative_numbers) { expect(c_face_errors); }
TEST_P(c_face, keeps_to_times) { expect(c_face_times); }
TEST_P(c_face, obeys_a_stop) { expect(c_face_stops); }
TEST_P(c_face, waits_on_when_its_stop_is_freed) {
    if (probe::tsan) {
        GTEST_SKIP() << "ThreadSanitizer does not see that the call has begun: time alone tells";
    }
    expect(c_face_a_stop_that_is_freed);
}
TEST_P(c_face, sleeps) { expect(c_face_sleeps); }
TEST_P(c_face, calls_a_function_apart) { expect(c_face_calls); }
TEST_P(c_face, adopts_and_releases) { expect(c_face_ownership); }
TEST_P(c_face, ends_waits_by_close) {
    if (probe::tsan) {
        GTEST_SKIP() << closing_beside_readers;
    }
    if (GetParam() == by::os_thread) {
        GTEST_SKIP() << "an OS thread that blocks in it goes on";
    }
    expect(c_face_close);
}

std::string caller_name(const ::testing::TestParamInfo<by>& info) {
    switch (info.param) {
        case by::ult: return "ult";
        case by::ult_of_two_streams: return "ult_of_two_streams";
        case by::os_thread: break;
    }
    return "os_thread";
}

INSTANTIATE_TEST_SUITE_P(callers, c_face,
                         ::testing::Values(by::ult, by::ult_of_two_streams, by::os_thread),
                         caller_name);

// Each of them would block the stream for 20 ms. Together they take hardly more than one.
TEST(c_face_streams, go_on_while_their_ults_wait) {
    constexpr int ults = 64;
    const lazult::runtime running(lazult::options{.streams = 1});
    const auto began = std::chrono::steady_clock::now();
    std::vector<const char*> words(ults, "it did not run");
    std::vector<lazult::thread> all;
    for (const char*& each : words) {
        all.emplace_back([&each] { each = c_face_late_read(); });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
    for (const char* each : words) {
        EXPECT_STREQ(each, nullptr);
    }
    EXPECT_GE(seconds_since(began), 0.02);
    EXPECT_LT(seconds_since(began), ults * 0.02 / 2);
}

TEST(c_face_streams, go_on_while_a_function_runs_apart) {
    const lazult::runtime running(lazult::options{.streams = 1});
    std::atomic<bool> has_begun{false};
    std::atomic<bool> others_ran{false};
    lazult::thread caller([&] {
        has_begun = true;
        EXPECT_STREQ(c_face_calls(), nullptr);
        EXPECT_TRUE(others_ran);
    });
    while (!has_begun) {
        lazult::this_thread::yield();
    }
    others_ran = true;
    caller.join();
}

TEST(c_face_tasklets, get_an_error_where_they_would_wait) {
    const own_folder folder;
    const lazult::runtime running(lazult::options{.streams = 1});
    const char* words = "it did not run";
    lazult::tasklet([&] { words = c_face_without_waiting(folder.path()); }).join();
    EXPECT_STREQ(words, nullptr);
}

// Functions of C are not unwound: they get an error, and the thread ends in C++ afterwards.
TEST(c_face_cancellation, returns_through_functions_of_c) {
    const lazult::runtime running(lazult::options{.streams = 1});
    const char* words = "it did not run";
    bool went_on = false;
    lazult::thread reader([&] {
        c_face_is_cancelled(&words);
        lazult::this_thread::sleep_for(1ms);
        went_on = true;
    });
    lazult::this_thread::sleep_for(10ms);
    lazult::cancel(reader);
    reader.join();
    EXPECT_STREQ(words, nullptr);
    EXPECT_FALSE(went_on);
}

}  // namespace
}  // namespace lazult
