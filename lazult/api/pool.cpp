// SPDX-License-Identifier: BSD-3-Clause
#include <lazult/pool.hpp>

#include <cstdio>
#include <optional>
#include <string>
#include <utility>

#include "lazult/api/pool_access.hpp"
#include "lazult/api/refusal.hpp"

namespace lazult {
namespace {

constexpr std::string_view object = "pool";

sched::ready_pool& implementation_of(const pool& p) noexcept {
    return *static_cast<sched::ready_pool*>(p.native_handle());
}

// A user's pool as the streams see it. For ThreadSanitizer each call of the pool is ordered after
// the calls before it, as the pool's own lock will order them; so its creator, its users and its
// destroyer follow one another.
class user_pool final : public sched::ready_pool {
public:
    explicit user_pool(custom_pool& mine) noexcept : mine_(&mine) {
        hears_of_yields_ = true;
        probe::release(this);
    }
    ~user_pool() override { probe::acquire(this); }

    void detach(core::worker&) noexcept override { probe::release(this); }
    bool maybe_has_work(const core::worker&) const noexcept override { return size() != 0; }
    bool remove(core::work_unit* u) noexcept override {
        const call edge(this);
        return mine_->remove(thread_id(u));
    }
    std::size_t size() const noexcept override {
        const call edge(this);
        return mine_->count();
    }
    bool serves(const core::worker&) const noexcept override { return false; }
    const char* kind() const noexcept override { return "custom"; }

protected:
    void push_other(core::worker*, core::work_unit* u) noexcept override {
        {
            const call edge(this);
            mine_->push(thread_id(u));
        }
        announce();
    }
    core::work_unit* pop_other(core::worker&) noexcept override {
        const call edge(this);
        return static_cast<core::work_unit*>(mine_->pop().native_handle());
    }
    bool take_other(core::worker&, core::work_unit* u) noexcept override { return remove(u); }

private:
    // One call of the user's code. Keeps errno, because the next ULT's errno may be in force
    // already when that code runs.
    class call {
    public:
        explicit call(const user_pool* to) noexcept : to_(to) { probe::acquire(to_); }
        ~call() { probe::release(to_); }
        call(const call&) = delete;
        call& operator=(const call&) = delete;

    private:
        const base::errno_guard kept_;
        const core::program_callback inside_;
        const user_pool* to_;
    };

    custom_pool* mine_;
};

// A number that is no enumerator counts as a custom pool, which make() refuses.
std::string_view name_of(pool_kind kind) noexcept {
    switch (kind) {
        case pool_kind::private_fifo: return "private_fifo";
        case pool_kind::shared_fifo: return "shared_fifo";
        case pool_kind::priority: return "priority";
        case pool_kind::work_stealing: return "work_stealing";
        case pool_kind::custom: break;
    }
    return "custom";
}

std::string names_of_all_kinds() {
    std::string all;
    for (const sched::pool_kind_row& row : sched::pool_kinds()) {
        all.append(all.empty() ? "" : ", ").append(row.name);
    }
    return all;
}

std::optional<base::started_kind> rule_of(const pool_options& options) noexcept {
    return options.started.has_value()
               ? std::optional(static_cast<base::started_kind>(*options.started))
               : std::nullopt;
}

sched::ready_pool* make(std::string_view kind, const pool_options& options) {
    sched::ready_pool* const made = sched::make_pool(kind, rule_of(options));
    if (made == nullptr) {
        api::refuse(base::status::invalid_argument, object,
                    "no built-in kind is called \"" + std::string(kind.substr(0, 64)) + '"',
                    "give one of " + names_of_all_kinds() + ", or derive from lazult::custom_pool");
    }
    return made;
}

sched::stream& here() {
    sched::stream* s = sched::this_stream();
    if (s == nullptr) {
        api::refuse(base::status::not_supported, "this stream",
                    "the caller is an outside OS thread", "call this in a lazult::thread");
    }
    return *s;
}

// Reports units that are left in a pool. Not for a custom pool: the user's part of that is
// destroyed by now, and cannot be asked.
void report_units(const sched::ready_pool& p) noexcept {
    const std::string_view kind = p.kind();
    if (kind == "custom" || p.size() == 0) {
        return;
    }
    char cause[128];
    std::snprintf(cause, sizeof(cause),
                  "it (a %s) is destroyed with %zu units in it, which nobody can run any more",
                  p.kind(), p.size());
    base::report_misuse(object, cause, "join them before, or keep the pool as long as they live");
}

}  // namespace

pool::pool(pool_kind kind) : pool(kind, pool_options()) {}

pool::pool(std::string_view kind) : pool(kind, pool_options()) {}

pool::pool(pool_kind kind, const pool_options& options) : pool(name_of(kind), options) {}

pool::pool(std::string_view kind, const pool_options& options)
    : implementation_(make(kind, options)), owned_(true) {}

pool::pool(pool&& other) noexcept
    : implementation_(std::exchange(other.implementation_, nullptr)),
      owned_(std::exchange(other.owned_, false)) {}

pool::~pool() {
    if (owned_) {
        report_units(implementation_of(*this));
        delete &implementation_of(*this);
    }
}

void pool::adopt(void* implementation) noexcept {
    implementation_ = implementation;
    owned_ = true;
}

std::size_t pool::size() const noexcept { return implementation_of(*this).size(); }

std::string_view pool::kind() const noexcept { return implementation_of(*this).kind(); }

// The cast is to the base class that streams use.
custom_pool::custom_pool() : pool(nullptr, false) {
    adopt(static_cast<sched::ready_pool*>(new user_pool(*this)));
}
custom_pool::~custom_pool() = default;

bool custom_pool::remove(thread_id) noexcept { return false; }

namespace this_stream {

pool default_pool() {
    sched::ready_pool* p = here().default_pool_or_null();
    if (p == nullptr) {
        api::refuse(base::status::not_supported, "this stream",
                    "it runs under a scheduler without pools",
                    "give units a pool of another stream, or one of their own");
    }
    return pool_access::borrow(*p);
}

pool private_pool() {
    sched::private_fifo* p = here().pinned();
    if (p == nullptr) {
        api::refuse(base::status::not_supported, "this stream",
                    "it runs under a scheduler of the user's own",
                    "give units one of that scheduler's pools");
    }
    return pool_access::borrow(*p);
}

}  // namespace this_stream
}  // namespace lazult
