// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Tasklets: work units that run to completion and may not suspend. They are the cheapest units.
#pragma once

#include <lazult/thread.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace lazult {

/// A lazult::thread with technique::run_to_completion. A wait in it throws error (cannot_suspend);
/// try_ forms work. Model: ABT_task.
class tasklet : private thread {
public:
    using thread::id;

    tasklet() noexcept = default;

    /// Starts a tasklet. Throws error: out_of_memory; what copying the callable throws.
    template <class F, class... A>
        requires(!std::same_as<std::remove_cvref_t<F>, tasklet> &&
                 !std::convertible_to<F, const thread_attributes&> && thread_callable<F, A...>)
    explicit tasklet(F&& function, A&&... arguments)
        : thread(by_run_to_completion({}), std::forward<F>(function),
                 std::forward<A>(arguments)...) {}

    /// Starts one with these attributes, except the technique. Throws error: invalid_argument, too.
    template <class F, class... A>
        requires thread_callable<F, A...>
    tasklet(const thread_attributes& how, F&& function, A&&... arguments)
        : thread(by_run_to_completion(how), std::forward<F>(function),
                 std::forward<A>(arguments)...) {}

    using thread::canceled;
    using thread::detach;
    using thread::finished;
    using thread::get_id;
    using thread::get_stop_source;
    using thread::get_stop_token;
    using thread::join;
    using thread::joinable;
    using thread::request_stop;
    using thread::wait;

    /// Not thread-safe: no other thread may use either object meanwhile.
    void swap(tasklet& other) noexcept { thread::swap(other); }
    /// Does what the member swap() does.
    friend void swap(tasklet& a, tasklet& b) noexcept { a.swap(b); }

private:
    static thread_attributes by_run_to_completion(thread_attributes how) noexcept {
        how.how = technique::run_to_completion;
        return how;
    }
};

}  // namespace lazult
