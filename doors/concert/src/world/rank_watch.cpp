// SPDX-License-Identifier: BSD-3-Clause
#include "world/rank_watch.hpp"

#include "lazult/os/os.hpp"

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lazult::concert {
namespace {

// of each rank: its process number, the namespace of that number, its rank
constexpr std::size_t facts = 3;

// Returns the namespace of process numbers. Numbers of two processes are comparable within one.
long number_space() noexcept {
    struct stat its{};
    return ::stat("/proc/self/ns/pid", &its) == 0 ? static_cast<long>(its.st_ino) : -1;
}

int open_process(long process) noexcept {
    return static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(process), 0U));
}

}  // namespace

void rank_watch::start(MPI_Comm machine, unsigned rank) {
    rank_ = rank;
    int size = 0;
    int self = 0;
    PMPI_Comm_size(machine, &size);
    PMPI_Comm_rank(machine, &self);
    const long mine[facts] = {::getpid(), number_space(), static_cast<long>(rank)};
    std::vector<long> all(static_cast<std::size_t>(size) * facts);
    PMPI_Allgather(mine, facts, MPI_LONG, all.data(), facts, MPI_LONG, machine);
    open(all, static_cast<std::size_t>(self));
    PMPI_Barrier(machine);  // no rank ends before this, so no process number is reused
    stop_ = others_.empty() ? -1 : ::eventfd(0, EFD_CLOEXEC);
    if (stop_ < 0) {
        return;
    }
    try {
        thread_ = os::start_service_thread("lazult-ranks", [this] { watch(); });
    } catch (const std::system_error&) {
        base::warn(
            "no thread to be had: the end of another rank is left to the launcher to notice");
    }
}

void rank_watch::open(const std::vector<long>& all, std::size_t self) {
    const long space = all[self * facts + 1];
    for (std::size_t i = 0; i < all.size() / facts; ++i) {
        const long* const its = &all[i * facts];
        if (i == self || space < 0 || its[1] != space) {
            continue;
        }
        if (const int descriptor = open_process(its[0]); descriptor >= 0) {
            others_.push_back(
                {descriptor, static_cast<int>(its[0]), static_cast<unsigned>(its[2])});
        }
    }
}

void rank_watch::stop() noexcept {
    if (thread_.joinable()) {
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = ::write(stop_, &one, sizeof one);
        os::join_thread(thread_);
    }
    if (stop_ >= 0) {
        ::close(stop_);
        stop_ = -1;
    }
    for (const watched& each : others_) {
        ::close(each.descriptor);
    }
    others_.clear();
}

void rank_watch::watch() noexcept {
    std::vector<pollfd> events{{stop_, POLLIN, 0}};
    for (const watched& each : others_) {
        events.push_back({each.descriptor, POLLIN, 0});
    }
    while (events[0].revents == 0) {
        if (::poll(events.data(), events.size(), -1) <= 0 || events[0].revents != 0) {
            continue;
        }
        for (std::size_t i = 1; i < events.size(); ++i) {
            if (events[i].revents != 0) {
                end_job(others_[i - 1]);
            }
        }
    }
}

// Waits before it calls MPI_Abort, because most launchers now end the job by themselves, and some
// drop output that they have not read when MPI_Abort ends the job. Another thread calls MPI_Abort.
// If MPI does not answer any more, this process ends alone.
void rank_watch::end_job(const watched& dead) noexcept {
    std::fprintf(stderr,
                 "lazult: messages: rank %u (process %d) has ended without concert_finalize(); so "
                 "rank %u ends the job: look for what ended that rank\n",
                 dead.rank, dead.process, rank_);
    std::fflush(stderr);
    constexpr std::chrono::seconds patience(2);
    std::this_thread::sleep_for(patience);
    try {
        std::thread([] { PMPI_Abort(MPI_COMM_WORLD, 1); }).detach();
        std::this_thread::sleep_for(patience);
    } catch (const std::system_error&) {  // no thread: the message has been printed
    }
    std::_Exit(1);
}

}  // namespace lazult::concert
