// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/os/memory_limit.hpp"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "lazult/os/memory.hpp"
#include "tests/support/sizes.hpp"

namespace {

using namespace lazult;

using support::mib;

// While it exists a limit of this process is so far above what is used.
class limited {
public:
    limited(__rlimit_resource_t what, std::size_t most) : what_(what) {
        ::getrlimit(what, &before_);
        const rlimit now{most, before_.rlim_max};
        ::setrlimit(what, &now);
    }
    ~limited() { ::setrlimit(what_, &before_); }

private:
    __rlimit_resource_t what_;
    rlimit before_{};
};

std::size_t mapped() {
    const limited known(RLIMIT_AS, std::size_t{1} << 46);
    return (std::size_t{1} << 46) - os::free_addresses();
}

TEST(memory_limit, knows_how_many_addresses_are_left) {
    const std::size_t used = mapped();
    const limited few(RLIMIT_AS, used + 100 * mib);
    EXPECT_LE(os::free_addresses(), 100 * mib);
    EXPECT_GE(os::free_addresses(), 90 * mib);
}

TEST(memory_limit, names_the_one_on_addresses) {
    const limited few(RLIMIT_AS, mapped() + 16 * mib);
    ASSERT_EQ(os::reserve(64 * mib, 1), nullptr);
    errno = ENOMEM;
    const os::memory_shortage why = os::find_memory_shortage(64 * mib);
    EXPECT_EQ(errno, ENOMEM);
    EXPECT_EQ(why.limit, os::memory_limit::addresses);
    EXPECT_NE(std::string(why.text).find("ulimit -v (RLIMIT_AS) allows "), std::string::npos)
        << why.text;
    EXPECT_NE(why.cure[0], '\0');
}

TEST(memory_limit, names_the_one_on_data) {
    const limited none(RLIMIT_DATA, 1);
    const os::memory_shortage why = os::find_memory_shortage(64 * mib);
    EXPECT_EQ(why.limit, os::memory_limit::data);
    EXPECT_NE(std::string(why.text).find("ulimit -d"), std::string::npos) << why.text;
}

TEST(memory_limit, names_the_one_that_leaves_no_stack_for_a_thread) {
    const limited few(RLIMIT_AS, mapped() + mib);
    EXPECT_EQ(os::find_thread_shortage().limit, os::memory_limit::addresses);
}

// A few thousand mappings less than there may be are left alone: other tests need them.
TEST(memory_limit, blames_none_that_leaves_enough) {
    const os::memory_shortage why = os::find_memory_shortage(os::page_size());
    EXPECT_EQ(why.limit, os::memory_limit::unknown) << why.text;
    EXPECT_NE(why.text[0], '\0');
    EXPECT_NE(std::string(os::find_thread_shortage().cure).find("threads"), std::string::npos);
}

}  // namespace
