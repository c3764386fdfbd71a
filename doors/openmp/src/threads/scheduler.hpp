// SPDX-License-Identifier: BSD-3-Clause
// The scheduler under which flows of OpenMP threads run. It has one OS thread for good
// (stream_host), or is itself a ULT among another door's, and goes where these go (unit_host).
// Either way its flows run by turns: what is an OpenMP thread's needs no lock, for all its flows
// have one host.
#pragma once

#include "model/task_cache.hpp"
#include "model/team.hpp"
#include "model/unit_data.hpp"
#include "spare_list.hpp"

namespace lazult::omp {

// All by its own flows, or its loop.
class flow_host : public core::host {
public:
    enum class kind : std::uint8_t { stream, unit };

    kind what() const noexcept { return kind_; }
    bool is_one_thread() const noexcept override { return true; }
    // Whether it would run something else if the flow gave way.
    virtual bool has_other_work(const worker& w) const noexcept = 0;

    // Flows that have started here, or are about to; but an OS thread's own.
    void add_resident() noexcept { ++residents_; }
    void drop_resident() noexcept { --residents_; }
    bool has_residents() const noexcept { return residents_ != 0; }

    // A flow of a nested team's thread begins or ends here. While it has any, its tasks are started
    // when all of them wait.
    void add_flow(thread& t) noexcept;
    void drop_flow(thread& t) noexcept;

    // The first of the threads that have flows here: the newest one, for outer teams wait for inner
    // ones. The others follow by thread::served_next.
    thread* served() const noexcept { return served_; }

    // The host that runs the calling flow, if that is one of the door's units.
    static flow_host* current() noexcept {
        const worker* w = core::this_worker_or_null();
        work_unit* u = w == nullptr ? nullptr : w->current;
        return u != nullptr && is_ours(*u) ? static_cast<flow_host*>(w->here) : nullptr;
    }

    task_cache cache;
    spare_stack<team, &team::spare> spare_teams;

protected:
    explicit flow_host(kind what) noexcept : core::host(loop_kind::standard), kind_(what) {}

private:
    kind kind_;
    unsigned residents_ = 0;
    thread* served_ = nullptr;
};

// The stack that flows of nested implicit tasks and of tasks may count on, and how they start.
const core::unit_attributes& flow_attributes() noexcept;
std::size_t flow_stack_bytes() noexcept;

// The thread lives where this host is from now on.
inline void bind_to_host(thread& t, flow_host& h) noexcept {
    t.host = &h;
    t.cache = &h.cache;
}

// A flow of the thread, but a level-1 thread's own, is ending: its host does without it from now
// on.
void end_flow(thread& t) noexcept;

}  // namespace lazult::omp
