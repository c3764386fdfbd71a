// SPDX-License-Identifier: BSD-3-Clause
// Handlers are installed in the dying children only, so that the tests do not see each other's.
#include "lazult/os/os.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <pthread.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace lazult;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// What the process would have died of without us. A sanitizer has a handler of its own, which
// reports and exits.
bool dies_as_before(int status, int signal) {
    struct sigaction current{};
    ::sigaction(signal, nullptr, &current);
    const bool plain = (current.sa_flags & SA_SIGINFO) == 0 && current.sa_handler == SIG_DFL;
    if (plain) return WIFSIGNALED(status) && WTERMSIG(status) == signal;
    return !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}
bool dies_of_segv(int status) { return dies_as_before(status, SIGSEGV); }
bool dies_of_bus(int status) { return dies_as_before(status, SIGBUS); }

bool explain_all(void* address, char* buffer, std::size_t size) noexcept {
    std::snprintf(buffer, size, "explained %p", address);
    return true;
}
bool explain_shortly(void*, char* buffer, std::size_t size) noexcept {
    std::snprintf(buffer, size, "one line\n");
    return true;
}
bool explain_none(void*, char* buffer, std::size_t size) noexcept {
    std::snprintf(buffer, size, "nonsense");
    return false;
}

// Where nothing is mapped, and not null, so that the address in the text means something.
volatile char* unmapped_page() {
    void* page = os::reserve(os::page_size(), os::page_size());
    os::install_guard(page, os::page_size(), os::guard_method::mprotect);
    return static_cast<volatile char*>(page);
}

void fault_with(os::fault_describer describer) {
    os::install_fault_handler(describer);
    *unmapped_page() = 1;
}

TEST(fault_death, explains_and_dies_as_before) {
    EXPECT_EXIT(fault_with(explain_all), dies_of_segv, "explained 0x[0-9a-f]+\n");
}

TEST(fault_death, says_nothing_of_addresses_it_does_not_know) {
    const auto quiet = [] {
        struct sigaction plain{};
        plain.sa_handler = SIG_DFL;
        ::sigaction(SIGSEGV, &plain, nullptr);
        fault_with(explain_none);
    };
    EXPECT_EXIT(quiet(), testing::KilledBySignal(SIGSEGV), Not(HasSubstr("nonsense")));
}

void fault_on_second_describer() {
    os::install_fault_handler(explain_none);
    fault_with(explain_shortly);
}

TEST(fault_death, a_second_call_replaces_the_describer) {
    EXPECT_EXIT(fault_on_second_describer(), dies_of_segv, "one line\n");
}

void bus_error() {
    os::install_fault_handler(explain_all);
    const int file = ::memfd_create("empty", 0);
    void* page = ::mmap(nullptr, os::page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    *static_cast<volatile char*>(page) = 1;
}

TEST(fault_death, handles_bus_errors) {
    EXPECT_EXIT(bus_error(), dies_of_bus, "explained 0x[0-9a-f]+\n");
}

void say(const char* text) {
    [[maybe_unused]] const ssize_t n = ::write(STDERR_FILENO, text, std::strlen(text));
}

// A volatile pointer too: the compiler does not know that the next store calls a handler that reads
// it.
volatile char* volatile expected_address = nullptr;

void earlier_handler(int number, siginfo_t* info, void* context) {
    const bool right = number == SIGSEGV && info->si_addr == const_cast<char*>(expected_address) &&
                       context != nullptr;
    say("earlier\n");
    std::_Exit(right ? 7 : 8);
}

void fault_under_earlier_handler() {
    struct sigaction earlier{};
    earlier.sa_sigaction = earlier_handler;
    earlier.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &earlier, nullptr);
    os::install_fault_handler(explain_shortly);
    expected_address = unmapped_page();
    *expected_address = 1;
}

TEST(fault_death, the_earlier_handler_runs_after_the_text_with_its_arguments) {
    EXPECT_EXIT(fault_under_earlier_handler(), testing::ExitedWithCode(7), "one line\nearlier\n");
}

void earlier_plain_handler(int number) { std::_Exit(number == SIGSEGV ? 9 : 8); }

void fault_under_plain_handler() {
    ::signal(SIGSEGV, earlier_plain_handler);
    fault_with(explain_shortly);
}

TEST(fault_death, an_earlier_handler_without_siginfo_runs_too) {
    EXPECT_EXIT(fault_under_plain_handler(), testing::ExitedWithCode(9), "one line\n");
}

volatile char* volatile repairable = nullptr;

void repairing_handler(int, siginfo_t*, void*) {
    ::mprotect(const_cast<char*>(repairable), os::page_size(), PROT_READ | PROT_WRITE);
}

// As garbage collectors and checkpointers do: the earlier handler repairs the page and the program
// goes on.
void fault_that_is_repaired() {
    struct sigaction earlier{};
    earlier.sa_sigaction = repairing_handler;
    earlier.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &earlier, nullptr);
    os::install_fault_handler(explain_none);
    for (int i = 0; i < 3; ++i) {
        repairable = unmapped_page();
        *repairable = 5;
        if (*repairable != 5) std::_Exit(1);
    }
    std::_Exit(0);
}

TEST(fault_death, an_earlier_handler_may_repair_the_fault) {
    EXPECT_EXIT(fault_that_is_repaired(), testing::ExitedWithCode(0), "^$");
}

void once_only(int) {
    say("once\n");
    ::raise(SIGSEGV);
}

// The kernel would have taken this handler away before calling it; without that the two would play
// for ever.
void fault_under_one_shot_handler() {
    struct sigaction earlier{};
    earlier.sa_handler = once_only;
    earlier.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(SIGSEGV, &earlier, nullptr);
    fault_with(explain_shortly);
}

TEST(fault_death, a_one_shot_handler_shoots_once) {
    EXPECT_EXIT(fault_under_one_shot_handler(), testing::KilledBySignal(SIGSEGV),
                AllOf(HasSubstr("one line\nonce\n"), Not(HasSubstr("once\nonce"))));
}

void sent_signal(void (*earlier)(int)) {
    ::signal(SIGSEGV, earlier);
    os::install_fault_handler(explain_all);
    ::raise(SIGSEGV);
    std::_Exit(0);
}

TEST(fault_death, a_signal_that_was_sent_kills_without_a_text) {
    EXPECT_EXIT(sent_signal(SIG_DFL), testing::KilledBySignal(SIGSEGV),
                Not(HasSubstr("explained")));
}

TEST(fault_death, a_signal_that_was_sent_and_is_ignored_stays_ignored) {
    EXPECT_EXIT(sent_signal(SIG_IGN), testing::ExitedWithCode(0), "^$");
}

void ignored_fault() {
    ::signal(SIGSEGV, SIG_IGN);
    fault_with(explain_shortly);
}

TEST(fault_death, a_fault_cannot_be_ignored) {
    EXPECT_EXIT(ignored_fault(), testing::KilledBySignal(SIGSEGV), "^one line\n");
}

struct sigaction chained_to{};

void later_handler(int number, siginfo_t* info, void* context) {
    say("later\n");
    chained_to.sa_sigaction(number, info, context);
}

// Somebody installs a handler over ours and chains to it; ours must not be installed over theirs
// again.
void fault_under_later_handler() {
    ::signal(SIGSEGV, earlier_plain_handler);
    os::install_fault_handler(explain_none);
    struct sigaction later{};
    later.sa_sigaction = later_handler;
    later.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &later, &chained_to);
    fault_with(explain_shortly);
}

TEST(fault_death, a_later_handler_that_chains_to_ours_makes_no_circle) {
    EXPECT_EXIT(fault_under_later_handler(), testing::ExitedWithCode(9), "^later\none line\n$");
}

// Deep recursion that the optimiser can neither unroll into a loop nor drop.
int recurse(int depth) {
    volatile char frame[512];
    frame[0] = static_cast<char>(depth);
    return depth == 0 ? frame[0] : recurse(depth + 1) + frame[0];
}

constexpr std::size_t small_stack = std::size_t{256} << 10;
std::byte* guard_page = nullptr;

bool explain_guard(void* address, char* buffer, std::size_t size) noexcept {
    auto* byte = static_cast<std::byte*>(address);
    std::snprintf(buffer, size, "stack overflow");
    return guard_page <= byte && byte < guard_page + os::page_size();
}

void* overflow(void*) {
    os::enter_fault_stack();
    recurse(1);
    return nullptr;
}

// A stack of ours under an OS thread, as streams have.
void overflow_a_thread(os::guard_method method) {
    guard_page =
        static_cast<std::byte*>(os::reserve(small_stack + os::page_size(), os::page_size()));
    os::install_guard(guard_page, os::page_size(), method);
    os::install_fault_handler(explain_guard);
    pthread_attr_t attributes;
    ::pthread_attr_init(&attributes);
    ::pthread_attr_setstack(&attributes, guard_page + os::page_size(), small_stack);
    pthread_t thread;
    ::pthread_create(&thread, &attributes, overflow, nullptr);
    ::pthread_join(thread, nullptr);
}

TEST(fault_death, reports_an_overflowing_stack_from_the_alternate_one) {
    EXPECT_EXIT(overflow_a_thread(os::best_guard_method()), dies_of_segv, "stack overflow\n");
}

TEST(fault_death, reports_an_overflow_into_an_mprotect_guard) {
    EXPECT_EXIT(overflow_a_thread(os::guard_method::mprotect), dies_of_segv, "stack overflow\n");
}

stack_t alternate_stack() {
    stack_t current{};
    ::sigaltstack(nullptr, &current);
    return current;
}

// Sanitizers give threads an alternate stack; these tests begin without one and give it back.
class fault_stack : public testing::Test {
protected:
    void SetUp() override {
        stack_t off{};
        off.ss_flags = SS_DISABLE;
        ASSERT_EQ(::sigaltstack(&off, &before_), 0);
    }
    void TearDown() override { ::sigaltstack(&before_, nullptr); }

    stack_t before_{};
};

TEST_F(fault_stack, comes_and_goes_and_nests) {
    ASSERT_TRUE(os::enter_fault_stack());
    const stack_t first = alternate_stack();
    EXPECT_EQ(first.ss_flags & SS_DISABLE, 0);
    EXPECT_GE(first.ss_size, std::size_t{64} << 10);
    ASSERT_TRUE(os::enter_fault_stack());
    EXPECT_EQ(alternate_stack().ss_sp, first.ss_sp);
    os::leave_fault_stack();
    EXPECT_EQ(alternate_stack().ss_sp, first.ss_sp);
    os::leave_fault_stack();
    EXPECT_NE(alternate_stack().ss_flags & SS_DISABLE, 0);
    os::leave_fault_stack();
}

TEST_F(fault_stack, a_large_one_of_the_threads_own_is_kept) {
    constexpr std::size_t size = std::size_t{128} << 10;
    stack_t own{};
    own.ss_sp = os::reserve(size, 1);
    own.ss_size = size;
    ASSERT_EQ(::sigaltstack(&own, nullptr), 0);
    ASSERT_TRUE(os::enter_fault_stack());
    EXPECT_EQ(alternate_stack().ss_sp, own.ss_sp);
    os::leave_fault_stack();
    EXPECT_EQ(alternate_stack().ss_sp, own.ss_sp);
    ::sigaltstack(&before_, nullptr);
    os::release(own.ss_sp, size);
}

TEST_F(fault_stack, a_small_one_is_replaced_and_put_back) {
    const std::size_t size = static_cast<std::size_t>(::sysconf(_SC_MINSIGSTKSZ)) + 1024;
    stack_t own{};
    own.ss_sp = os::reserve(size, 1);
    own.ss_size = size;
    ASSERT_EQ(::sigaltstack(&own, nullptr), 0);
    ASSERT_TRUE(os::enter_fault_stack());
    EXPECT_NE(alternate_stack().ss_sp, own.ss_sp);
    os::leave_fault_stack();
    EXPECT_EQ(alternate_stack().ss_sp, own.ss_sp);
    ::sigaltstack(&before_, nullptr);
    os::release(own.ss_sp, size);
}

TEST_F(fault_stack, each_thread_has_its_own) {
    ASSERT_TRUE(os::enter_fault_stack());
    void* mine = alternate_stack().ss_sp;
    std::thread([&] {
        ASSERT_TRUE(os::enter_fault_stack());
        EXPECT_EQ(alternate_stack().ss_flags & SS_DISABLE, 0);
        EXPECT_NE(alternate_stack().ss_sp, mine);
        os::leave_fault_stack();
    }).join();
    os::leave_fault_stack();
}

}  // namespace
