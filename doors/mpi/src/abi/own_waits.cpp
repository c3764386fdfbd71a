// SPDX-License-Identifier: BSD-3-Clause
// MPI_Wait and its family, MPI_Probe and MPI_Win_wait; and MPI_Comm_set_errhandler, because looks
// at requests depend on the handlers under MPICH.
#include <algorithm>
#include <memory>
#include <new>

#include "abi/own.hpp"
#include "model/door.hpp"
#include "model/waits.hpp"

namespace lazult::mpi {
namespace {

// The requests of an MPI_Waitany or MPI_Waitsome that may still complete. Null and inactive
// requests are left out: MPI_Request_get_status reports them as complete, so each poll would resume
// the ULT. Up to `few` requests are kept in the object.
class pending_requests {
public:
    // Called after a test that found none of the requests complete.
    pending_requests(int count, const MPI_Request* all) noexcept {
        MPI_Request* const storage = storage_for(count);
        deep([&] { return storage == nullptr ? 0 : collect(storage, count, all); });
    }

    // Returns the record to suspend with. The caller must test before it suspends, because a
    // request that completed between its last test and collect() was left out. If no request was
    // collected, or there was no memory, the record resumes the ULT after a while.
    template <call_name name>
    wait_record record() noexcept {
        return count_ == 0 ? wait_record::for_moment<name>()
                           : wait_record::for_any<name>(more_ ? more_.get() : few_, count_);
    }

private:
    static constexpr int few = 16;

    int collect(MPI_Request* storage, int count, const MPI_Request* all) noexcept {
        const quiet_looks quiet;
        for (int i = 0; i < count; ++i) {
            if (!passes_for_complete(all[i])) {
                storage[count_++] = all[i];
            }
        }
        return count_;
    }
    static bool passes_for_complete(MPI_Request request) noexcept {
        int flag = 0;
        return PMPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE) != MPI_SUCCESS ||
               flag != 0;
    }
    MPI_Request* storage_for(int count) noexcept {
        if (count <= few) {
            return few_;
        }
        more_.reset(new (std::nothrow) MPI_Request[static_cast<std::size_t>(count)]);
        return more_.get();
    }

    MPI_Request few_[few];
    std::unique_ptr<MPI_Request[]> more_;
    int count_ = 0;
};

// Waits for MPI_Waitany or MPI_Waitsome. test(&flag) sets the flag if any request was complete.
template <call_name name, class Test>
int complete_any(int number, const MPI_Request* requests, Test test) {
    int flag = 0;
    if (const int code = deep([&] { return test(&flag); }); code != MPI_SUCCESS || flag != 0) {
        note(&counts::calls);
        return code;
    }
    pending_requests pending(number, requests);
    return complete(test,
                    [&] { return pending.record<name>(); });  // complete() tests before it suspends
}

bool is_pending(const MPI_Status& status) noexcept { return status.MPI_ERROR == MPI_ERR_PENDING; }

// Returns true if requests may be pending. MPI_STATUSES_IGNORE leaves the door no way to tell.
bool has_pending(int number, const MPI_Status* statuses) noexcept {
    return statuses == MPI_STATUSES_IGNORE || std::any_of(statuses, statuses + number, is_pending);
}

// Gives each request that was pending the status that it has in `later`, where errors are valid if
// `has_errors`. Returns true if none is pending any more.
bool settle_pending(int number, MPI_Status* statuses, const MPI_Status* later,
                    bool has_errors) noexcept {
    bool all = true;
    for (int i = 0; i < number; ++i) {
        if (is_pending(statuses[i])) {
            statuses[i] = later[i];
            statuses[i].MPI_ERROR = has_errors ? later[i].MPI_ERROR : MPI_SUCCESS;
            all = all && !is_pending(statuses[i]);
        }
    }
    return all;
}

bool is_in_status(int code) noexcept {
    int its_class = code;
    return code != MPI_SUCCESS && PMPI_Error_class(code, &its_class) == MPI_SUCCESS &&
           its_class == MPI_ERR_IN_STATUS;
}

using status_array = std::unique_ptr<MPI_Status[]>;

status_array make_statuses(int number) noexcept {
    status_array all(new (std::nothrow) MPI_Status[static_cast<std::size_t>(number)]);
    for (int i = 0; all != nullptr && i < number; ++i) {
        all[static_cast<std::size_t>(i)].MPI_ERROR = MPI_ERR_PENDING;
    }
    return all;
}

// Waits for the requests that are still pending after one has failed. MPICH's MPI_Testall stops at
// the first failed request. MPI_Waitall must wait for all, so that the caller may reuse their
// buffers. Without memory they stay pending, as MPI allows.
void complete_pending(int number, MPI_Request* requests, MPI_Status* statuses) {
    const status_array later = make_statuses(number);
    const status_array unasked = statuses == MPI_STATUSES_IGNORE ? make_statuses(number) : nullptr;
    MPI_Status* const earlier = unasked == nullptr ? statuses : unasked.get();
    for (bool all = later == nullptr || earlier == MPI_STATUSES_IGNORE; !all;) {
        wait_record rest = wait_record::for_all<"MPI_Waitall">(requests, number);
        poller::suspend(rest);
        int flag = 0;
        const int code = deep([&] { return PMPI_Testall(number, requests, &flag, later.get()); });
        if (code != MPI_SUCCESS && !is_in_status(code)) {
            return;
        }
        all = (code != MPI_SUCCESS || flag != 0) &&
              settle_pending(number, earlier, later.get(), code != MPI_SUCCESS);
    }
}

}  // namespace

namespace own {

int Wait(MPI_Request* request, MPI_Status* status) {
    if (may_suspend() && request != nullptr) {
        return complete_request<"MPI_Wait">(*request, status);
    }
    return deep([&] { return PMPI_Wait(request, status); });
}

int Waitall(int number, MPI_Request requests[], MPI_Status statuses[]) {
    if (!may_suspend() || number <= 0) {
        return deep([&] { return PMPI_Waitall(number, requests, statuses); });
    }
    const int code =
        complete([&](int* flag) { return PMPI_Testall(number, requests, flag, statuses); },
                 [&] { return wait_record::for_all<"MPI_Waitall">(requests, number); });
    if (is_in_status(code) && has_pending(number, statuses)) {
        complete_pending(number, requests, statuses);
    }
    return code;
}

int Waitany(int number, MPI_Request requests[], int* index, MPI_Status* status) {
    if (!may_suspend() || number <= 0) {
        return deep([&] { return PMPI_Waitany(number, requests, index, status); });
    }
    return complete_any<"MPI_Waitany">(number, requests, [&](int* flag) {
        return PMPI_Testany(number, requests, index, flag, status);
    });
}

int Waitsome(int number, MPI_Request requests[], int* outcount, int indices[],
             MPI_Status statuses[]) {
    if (!may_suspend() || number <= 0) {
        return deep([&] { return PMPI_Waitsome(number, requests, outcount, indices, statuses); });
    }
    return complete_any<"MPI_Waitsome">(number, requests, [&](int* flag) {
        const int code = PMPI_Testsome(number, requests, outcount, indices, statuses);
        *flag = *outcount != 0;  // also if MPI_UNDEFINED, that is, if no request is active
        return code;
    });
}

int Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] { return PMPI_Probe(source, tag, comm, status); });
    }
    return complete([&](int* flag) { return PMPI_Iprobe(source, tag, comm, flag, status); },
                    [&] { return wait_record::for_message<"MPI_Probe">(source, tag, comm); });
}

int Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    if (!may_suspend()) {
        return deep([&] { return PMPI_Mprobe(source, tag, comm, message, status); });
    }
    return complete(
        [&](int* flag) { return PMPI_Improbe(source, tag, comm, flag, message, status); },
        [&] { return wait_record::for_message<"MPI_Mprobe">(source, tag, comm); });
}

int Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler) {
    return set_handler(comm, handler);
}
int Comm_get_errhandler(MPI_Comm comm, MPI_Errhandler* handler) {
    return get_handler(comm, handler);
}
int Errhandler_set(MPI_Comm comm, MPI_Errhandler handler) { return set_handler(comm, handler); }
int Errhandler_get(MPI_Comm comm, MPI_Errhandler* handler) { return get_handler(comm, handler); }

int Win_wait(MPI_Win win) {
    if (!may_suspend()) {
        return deep([&] { return PMPI_Win_wait(win); });
    }
    return complete([&](int* flag) { return PMPI_Win_test(win, flag); },
                    [] { return wait_record::for_moment<"MPI_Win_wait">(); });
}

}  // namespace own
}  // namespace lazult::mpi
