// SPDX-License-Identifier: BSD-3-Clause
// What tests of faults share: a process of its own for a case, files in direct mode, blocks that
// carry their number.
#pragma once

#include "tests/faults/child.hpp"
#include "tests/io/harness.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>

namespace lazult::testing {

// Runs f in a child process: its sandbox and its limits end with it, and a hang is a failure.
template <class F>
void in_process(F f, int seconds = 30) {
    const faults::outcome how = faults::in_child(
        [&] {
            ::alarm(static_cast<unsigned>(2 * seconds));  // where it says something all the time
            f();
            return ::testing::Test::HasFailure() ? 1 : 0;
        },
        seconds);
    EXPECT_TRUE(how.exited_with(0)) << how.describe();
}

// Cases in processes of their own.
class in_processes : public ::testing::Test {
protected:
    void SetUp() override {
        if (probe::tsan) {
            GTEST_SKIP() << "ThreadSanitizer does not follow a process that it did not start";
        }
    }
};

// A file that is gone when the object is.
class passing_file {
public:
    passing_file() {
        path_ = (std::filesystem::temp_directory_path() / "lazult-io-XXXXXX").string();
        ::close(checked(::mkstemp(path_.data())));
    }
    ~passing_file() { ::unlink(path_.c_str()); }
    passing_file(const passing_file&) = delete;
    passing_file& operator=(const passing_file&) = delete;

    const char* path() const noexcept { return path_.c_str(); }
    int open(int flags) const { return checked(::open(path(), flags | O_CLOEXEC)); }
    // Without direct mode where the file system has none.
    int open_direct(int flags) const {
        const int fd = ::open(path(), flags | O_DIRECT | O_CLOEXEC);
        return fd >= 0 ? fd : open(flags);
    }

private:
    std::string path_;
};

inline constexpr std::size_t block_bytes = 4096;

// A block of a file. Each of its words is the block's number. Its memory is aligned as O_DIRECT
// wants it.
class numbered_block {
public:
    explicit numbered_block(unsigned number = 0) { fill(number); }
    void fill(unsigned number) noexcept { std::fill_n(words_.get(), words, number); }
    void* data() noexcept { return words_.get(); }
    unsigned number() const noexcept { return words_[0]; }
    bool is_whole() const noexcept {
        return std::all_of(words_.get(), words_.get() + words,
                           [this](unsigned each) { return each == number(); });
    }

private:
    static constexpr std::size_t words = block_bytes / sizeof(unsigned);
    struct free_it {
        void operator()(unsigned* memory) const noexcept { std::free(memory); }
    };
    std::unique_ptr<unsigned[], free_it> words_{
        static_cast<unsigned*>(std::aligned_alloc(block_bytes, block_bytes))};
};

inline off_t place_of_block(unsigned number) noexcept {
    return static_cast<off_t>(number) * static_cast<off_t>(block_bytes);
}

// Runs f(number) in so many ULTs, and waits for all of them.
template <class F>
void in_ults(unsigned count, F f) {
    std::vector<lazult::thread> all;
    for (unsigned i = 0; i < count; ++i) {
        all.emplace_back([&f, i] { f(i); });
    }
    for (lazult::thread& each : all) {
        each.join();
    }
}

}  // namespace lazult::testing
