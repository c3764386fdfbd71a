// SPDX-License-Identifier: BSD-3-Clause

#include <algorithm>
#include <string>

#include "lazult/api/refusal.hpp"
#include "lazult/core/core.hpp"

namespace lazult {
namespace {

std::errc meaning(errc code) noexcept {
    switch (code) {
        case errc::invalid_handle:
        case errc::freed_handle:
        case errc::already_joined:
        case errc::invalid_argument: return std::errc::invalid_argument;
        case errc::would_deadlock: return std::errc::resource_deadlock_would_occur;
        case errc::cannot_suspend: return std::errc::operation_would_block;
        case errc::out_of_memory: return std::errc::not_enough_memory;
        case errc::timed_out: return std::errc::timed_out;
        case errc::not_supported: return std::errc::not_supported;
        case errc::closed: return std::errc::broken_pipe;
        case errc::busy: return std::errc::device_or_resource_busy;
        case errc::canceled: return std::errc::operation_canceled;
        case errc::shutting_down: return std::errc::operation_not_permitted;
    }
    return std::errc::invalid_argument;
}

class category final : public std::error_category {
public:
    const char* name() const noexcept override { return "lazult"; }
    std::string message(int code) const override {
        return base::name(static_cast<base::status>(code));
    }
    std::error_condition default_error_condition(int code) const noexcept override {
        return std::make_error_condition(meaning(static_cast<errc>(code)));
    }
};

}  // namespace

const std::error_category& error_category() noexcept {
    static const category instance;
    return instance;
}

std::error_code make_error_code(errc code) noexcept {
    return {static_cast<int>(code), error_category()};
}

error::error(errc code, std::string_view object, std::string_view cause, std::string_view cure)
    : std::system_error(make_error_code(code)), text_(base::describe_misuse(object, cause, cure)) {}
error::error(const error&) noexcept = default;
error& error::operator=(const error&) noexcept = default;
error::~error() = default;

const char* error::what() const noexcept { return text_.what(); }

namespace api {
namespace {

struct explanation {
    std::string_view cause;
    std::string_view cure;
};

explanation explain(base::status s) noexcept {
    switch (s) {
        case base::status::ok: break;
        case base::status::invalid_handle:
            return {"it stands for nothing: it was joined, detached, moved from, or never started",
                    "test joinable() first"};
        case base::status::invalid_argument:
            return {"an argument is out of its range", "see its declaration"};
        case base::status::freed_handle:
            return {"it was joined already and is gone",
                    "keep the lazult::thread as long as you use its id"};
        case base::status::would_deadlock:
            return {"it waits for itself", "let another thread wait"};
        case base::status::cannot_suspend:
            return {
                "it would have to suspend, and a tasklet, a run_to_completion thread or an outside "
                "OS thread has no context to keep",
                "use a ULT of another technique, or the operation's try_ form"};
        case base::status::out_of_memory: return {"memory is exhausted", "keep fewer units alive"};
        case base::status::timed_out: return {"the time is over", "wait longer"};
        case base::status::already_joined:
            return {"somebody else waits for it already", "join a thread once, from one place"};
        case base::status::not_supported:
            return {"this is not possible here", "see the declaration"};
        case base::status::closed: return {"it is closed", "stop sending after close()"};
        case base::status::busy: return {"it is in use", "wait until it is free"};
        case base::status::canceled: return {"it was cancelled", "expect this where you cancel"};
        case base::status::shutting_down:
            return {"the runtime stops", "keep a lazult::runtime alive"};
    }
    return {"unknown status", ""};
}

}  // namespace

void refuse(base::status s, std::string_view object, std::string_view cause,
            std::string_view cure) {
    throw error(errc_of(s), object, cause, cure);
}

void unwind_if_canceled() {
    core::work_unit* self = core::current_unit();
    if (self != nullptr && self->asked.load(std::memory_order_relaxed) != 0 &&
        core::may_unwind(*self)) {
        core::unwind_canceled(*self);
    }
}

LAZULT_COLD bool was_ended_by_mistake(base::status s) {
    if (s != base::status::canceled) {
        return false;
    }
    unwind_if_canceled();
    return true;
}

namespace {

[[noreturn]] void refuse_object_for_memory(std::string_view object) {
    // a descriptor is allocated with so much; stacks are smaller as a rule
    constexpr std::size_t chunk = std::size_t{2} << 20;
    const os::memory_shortage why =
        os::find_memory_shortage(std::max(base::current_settings().stack_size, chunk));
    refuse(base::status::out_of_memory, object, std::string("memory is exhausted: ") + why.text,
           std::string(why.cure) + ", or keep fewer units alive");
}

}  // namespace

void refuse(base::status s, std::string_view object) {
    if (s == base::status::canceled) {
        unwind_if_canceled();
    }
    if (s == base::status::out_of_memory) {
        refuse_object_for_memory(object);
    }
    const explanation why = explain(s);
    refuse(s, object, why.cause, why.cure);
}

}  // namespace api
}  // namespace lazult
