// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication, files, thread levels, plain threads.
#include "cases.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace mpi_cases {
namespace {

int right() { return (rank() + 1) % size(); }
int left() { return (rank() + size() - 1) % size(); }

class window {
public:
    // As this MPI has them right without us: MPICH 4.0.2 loses what is put into small windows of
    // MPI_Win_allocate's, and Open MPI's windows of shared memory are of no other kind.
    explicit window(int words)
        : words_(static_cast<std::size_t>(words), -1), first_(words_.data()) {
        const MPI_Aint bytes = words * static_cast<MPI_Aint>(sizeof(int));
        if (is_mpich()) {
            MPI_Win_create(first_, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win_);
            return;
        }
        MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &first_, &win_);
        std::fill_n(first_, words, -1);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    ~window() { MPI_Win_free(&win_); }
    window(const window&) = delete;
    window& operator=(const window&) = delete;
    operator MPI_Win() const { return win_; }
    int word(int i) const { return first_[i]; }

private:
    std::vector<int> words_;
    int* first_ = nullptr;
    MPI_Win win_ = MPI_WIN_NULL;
};

void fence(const window& w, int value) {
    MPI_Win_fence(0, w);
    MPI_Put(&value, 1, MPI_INT, right(), 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    check_equal(w.word(0), left() + 100, "what was put between fences");
}

void post_start(const window& w, int value) {
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group before = MPI_GROUP_NULL;
    MPI_Group after = MPI_GROUP_NULL;
    const int l = left();
    const int r = right();
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &l, &before);
    MPI_Group_incl(all, 1, &r, &after);
    MPI_Win_post(before, 0, w);
    MPI_Win_start(after, 0, w);
    MPI_Put(&value, 1, MPI_INT, r, 1, 1, MPI_INT, w);
    MPI_Win_complete(w);
    MPI_Win_wait(w);
    check_equal(w.word(1), left() + 100, "what was put after MPI_Win_start");
    MPI_Group_free(&before);
    MPI_Group_free(&after);
    MPI_Group_free(&all);
}

void lock(const window& w, int value) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right(), 0, w);
    MPI_Put(&value, 1, MPI_INT, right(), 2, 1, MPI_INT, w);
    MPI_Win_flush(right(), w);
    MPI_Win_unlock(right(), w);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w);
    int seen = -1;
    MPI_Get(&seen, 1, MPI_INT, rank(), 2, 1, MPI_INT, w);
    MPI_Win_flush_all(w);
    MPI_Win_unlock_all(w);
    check_equal(seen, left() + 100, "what was put under a lock");
}

}  // namespace

void windows() {
    const window w(3);
    in_units(1, [&](int) {
        fence(w, rank() + 100);
        post_start(w, rank() + 100);
        lock(w, rank() + 100);
    });
}

void files() {
    char folder[] = "/tmp/lazult-mpi-XXXXXX";
    if (rank() == 0) {
        check(::mkdtemp(folder) != nullptr, "there is space for a folder");
    }
    MPI_Bcast(folder, sizeof folder, MPI_CHAR, 0, MPI_COMM_WORLD);
    const std::string name = std::string(folder) + "/words";
    in_units(1, [&](int) {
        MPI_File file = MPI_FILE_NULL;
        check_equal(MPI_File_open(MPI_COMM_WORLD, (name + "-missing").c_str(), MPI_MODE_RDONLY,
                                  MPI_INFO_NULL, &file) == MPI_SUCCESS,
                    0, "whether a file is opened that is not there");
        MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                      &file);
        const auto offset = [](int of) { return static_cast<MPI_Offset>(of) * 8; };
        const int two[2] = {rank(), rank() * 2};
        MPI_File_write_at_all(file, offset(rank()), two, 2, MPI_INT, MPI_STATUS_IGNORE);
        MPI_File_sync(file);
        MPI_Barrier(MPI_COMM_WORLD);
        int read[2] = {-1, -1};
        MPI_Status status;
        MPI_File_read_at(file, offset(right()), read, 2, MPI_INT, &status);
        int count = 0;
        MPI_Get_count(&status, MPI_INT, &count);
        check_equal(count, 2, "the words read");
        check_equal(read[1], right() * 2, "the word read");
        MPI_File_set_atomicity(file, 1);
        MPI_File_read_at_all_begin(file, offset(right()), read, 2, MPI_INT);
        MPI_File_read_at_all_end(file, read, &status);
        check_equal(read[0], right(), "the word read between begin and end");
        MPI_Request request = MPI_REQUEST_NULL;
        read[1] = -1;
        MPI_File_iread_at(file, offset(right()), read, 2, MPI_INT, &request);
        MPI_Wait(&request, &status);
        check_equal(read[1], right() * 2, "the word read meanwhile");
        MPI_File_close(&file);
    });
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank() == 0) {
        std::filesystem::remove_all(folder);
    }
}

void levels() {
    int level = -1;
    MPI_Query_thread(&level);
    check_equal(level, MPI_THREAD_MULTIPLE, "the level of a program that asked for none");
    int is_main = 0;
    MPI_Is_thread_main(&is_main);
    check_equal(is_main, 1, "whether this is the main thread");
}

// Threads that are no ULTs block as ever, beside ULTs that suspend.
void plain_threads() {
    constexpr int n = 4;
    const int rounds = size() > 2 ? 25 : 100;  // ranks that spin on busy processors are slow
    const auto work = [rounds](int tag) {
        for (int round = 0; round < rounds; ++round) {
            int word = -1;
            MPI_Request request = MPI_REQUEST_NULL;
            MPI_Irecv(&word, 1, MPI_INT, left(), tag, MPI_COMM_WORLD, &request);
            MPI_Ssend(&round, 1, MPI_INT, right(), tag, MPI_COMM_WORLD);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            check_equal(word, round, "the word");
        }
    };
    std::vector<std::thread> threads;
    for (int i = 0; i < n; ++i) {
        threads.emplace_back(work, i);
    }
    in_units(n, [&](int i) { work(100 + i); });
    for (std::thread& each : threads) {
        each.join();
    }
}

}  // namespace mpi_cases
