// SPDX-License-Identifier: BSD-3-Clause
#include "adapt/helpers.hpp"

#include "adapt/counts.hpp"
#include "adapt/wait_words.hpp"

#include "lazult/sync/sync.hpp"

#include <new>
#include <system_error>

namespace lazult::mpi {

helper_crew& helpers() noexcept { return base::the_only<helper_crew>(); }

// Books a thread for one call, and starts another if all are booked. Returns false if there is none
// at all. If no more can be started, calls outnumber threads, and some wait for a free one. The ULT
// books before it suspends, because after the suspension nothing could refuse its call.
bool helper_crew::book() noexcept {
    const std::lock_guard hold(lock_);
    if (booked_ >= threads_.size()) {
        try {
            threads_.reserve(threads_.size() + 1);
            threads_.push_back(os::start_service_thread("lazult mpi call", [this] { work(); }));
        } catch (const std::system_error&) {
        } catch (const std::bad_alloc&) {
        }
    }
    if (threads_.empty()) {
        return false;
    }
    ++booked_;
    return true;
}

bool helper_crew::run(const helped_call& call, void* closure) {
    note(&counts::calls);
    if (!book()) {
        return false;
    }
    note(&counts::suspended);
    note(&counts::helped);
    job mine{&call, closure, core::current_unit(), nullptr};
    sync::suspend_uncanceled(publish, &mine, mine.unit);
    return true;
}

void helper_crew::publish(void* submitted) noexcept {
    probe::acquire(submitted);  // pairs with: sync::suspend_uncanceled()
    job& mine = *static_cast<job*>(submitted);
    helpers().submit(mine);
}

const core::told_suspension helper_crew::told(publish, [](void* submitted) noexcept {
    trace_helped(static_cast<const job*>(submitted)->call->name);
});

void helper_crew::submit(job& submitted) noexcept {
    {
        const std::lock_guard hold(lock_);
        *end_ = &submitted;
        end_ = &submitted.next;
    }
    changed_.notify_one();
}

helper_crew::job* helper_crew::take(std::unique_lock<std::mutex>& hold) {
    changed_.wait(hold, [this] { return first_ != nullptr || stopping_; });
    job* const mine = first_;
    if (mine != nullptr) {
        first_ = mine->next;
        if (first_ == nullptr) {
            end_ = &first_;
        }
    }
    return mine;
}

void helper_crew::work() noexcept {
    std::unique_lock hold(lock_);
    while (job* const mine = take(hold)) {
        hold.unlock();
        core::work_unit* const unit = mine->unit;
        mine->call->make(mine->closure);
        hold.lock();
        --booked_;
        core::make_ready(core::this_worker_or_null(), unit);
    }
}

void helper_crew::stop() noexcept {
    {
        const std::lock_guard hold(lock_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& each : threads_) {
        os::join_thread(each);
    }
    threads_.clear();
    stopping_ = false;
}

}  // namespace lazult::mpi
