// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/core/switch/nested.hpp"

#include <cfenv>
#include <utility>

#include "lazult/core/switch/host.hpp"

namespace lazult::core {
namespace {

// Stands on the caller's stack. Units that run above it come back to its run() at every scheduling
// point.
class nested_host final : public host {
public:
    explicit nested_host(worker& w) noexcept : host(w) {}
    void run_above(work_unit* u) noexcept { run(u); }

protected:
    // The caller of run_nested() has taken the unit out of a pool of the host below.
    bool has_pool(const pool& p) const noexcept override {
        return parent() != nullptr && parent()->takes_from(p);
    }
    work_unit* next(worker&) noexcept override { return nullptr; }
    bool wait(worker&) noexcept override { return false; }
};

// State of the caller that the OS thread keeps: hidden while the unit above runs, then restored.
class callers_state {
public:
    explicit callers_state(worker& w) noexcept
        : w_(w),
          error_number_(*w.error_number),
          exceptions_(std::exchange(*w.exceptions, exception_state{nullptr, 0})),
          changed_(has_own_words(w)) {
        if (changed_) LAZULT_UNLIKELY {
            std::fegetenv(&environment_);
            arch::lazult_reset_control_words();
        }
    }
    callers_state(const callers_state&) = delete;
    callers_state& operator=(const callers_state&) = delete;
    ~callers_state() {
        if (changed_) LAZULT_UNLIKELY {
            std::fesetenv(&environment_);
        }
        *w_.exceptions = exceptions_;
        *w_.error_number = error_number_;
    }

private:
    worker& w_;
    int error_number_;
    exception_state exceptions_;
    bool changed_;
    std::fenv_t environment_;
};

}  // namespace

LAZULT_NOINLINE void run_nested(worker& w, work_unit* u) {
    host* const below = w.here;
    if (below != nullptr) {
        below->give_kept_calls();  // the unit may wait for them, and runs under another host
    }
    const callers_state kept(w);
    nested_host here(w);
    w.here = &here;
    here.run_above(u);
    w.here = below;
}

}  // namespace lazult::core
