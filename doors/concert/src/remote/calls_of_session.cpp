// SPDX-License-Identifier: BSD-3-Clause
#include "remote/calls_of_session.hpp"

#include "contexts/simulated_rank.hpp"
#include "contexts/strand.hpp"
#include "contexts/transport.hpp"
#include "messages/settings.hpp"
#include "objects/objects.hpp"
#include "remote/circles.hpp"
#include "support/failure.hpp"
#include "support/patience.hpp"
#include "world/world.hpp"

#include "lazult/base/base.hpp"
#include "lazult/core/core.hpp"
#include "lazult/os/os.hpp"
#include "lazult/topo/topo.hpp"

#include <lazult/error.hpp>

#include <cstddef>
#include <string>

namespace lazult::concert {
namespace {

class session_transport final : public transport {
public:
    void send(std::uint32_t rank, const std::byte* data, std::size_t bytes) override {
        world* const current = world::current();
        if (current == nullptr || current->is_stopped()) {
            throw error(errc::shutting_down, "concert::call",
                        "the session has ended or was stopped",
                        "call methods of other ranks while a session exists");
        }
        world& w = *current;
        if (rank >= w.size()) {
            throw error(errc::invalid_argument, "place", "there is no rank " + std::to_string(rank),
                        "give one from 0 to " + std::to_string(w.size() - 1));
        }
        message_queue& queue = *w.default_queue().messages;
        if (bytes > queue.options().max_message_bytes) {
            throw error(errc::invalid_argument, "concert::call",
                        "a message of " + std::to_string(bytes) + " bytes is longer than " +
                            std::to_string(queue.options().max_message_bytes),
                        "pass less, or raise max_message_bytes (LAZULT_CONCERT_MAX_MESSAGE)");
        }
        queue.send(rank, {static_cast<std::uint32_t>(handler_), static_cast<std::uint32_t>(bytes)},
                   data);
    }

    std::uint32_t count_of_ranks() const noexcept override {
        const world* const w = world::current();
        return w == nullptr ? 1 : w->size();
    }
    bool may_wait() const noexcept override { return !in_handler(); }
    std::int64_t now_ns() noexcept override { return os::now_ns(); }
    std::int64_t slice_ns() const noexcept override { return slice_of_settings(); }

    void send_gathered() noexcept override { world::flush_current(); }
    void take_some(std::int64_t until_ns) noexcept override {
        while (world::run_messages_of_current(most_at_once) >= most_at_once &&
               os::now_ns() < until_ns) {
        }
    }
    void attend(std::int64_t until_ns) noexcept override {
        while (world::poll_current() >= most_at_once && os::now_ns() < until_ns) {
        }
    }

    void await(sync::event_cell& until) noexcept override {
        constexpr std::int64_t long_ns = 3'000'000'000;
        std::int64_t next_search_ns = long_ns;
        for (patience wait(own_wait::result); !until.is_set();) {
            if (wait.waited_ns() > next_search_ns) LAZULT_UNLIKELY {
                report_circles();
                next_search_ns = wait.waited_ns() + long_ns;
            }
            const bool has_run_some = world::run_messages_of_current(most_at_once) != 0;
            if (strand::make_due_visits() || has_run_some) {
                wait.restart();
            }
            if (!has_run_some) {
                wait.pause();
            }
        }
    }

    int* handler() noexcept { return &handler_; }

private:
    int handler_ = -1;
};

session_transport the_transport;

void take(int source, const void* data, std::size_t bytes, void*) {
    take_message(static_cast<std::uint32_t>(source), static_cast<const std::byte*>(data), bytes);
}

// hwloc takes milliseconds for that. If the first reply started the runtime, they would pass in the
// reply's handler. Where there is no memory for it now, the runtime's start reports that.
void look_at_the_machine() noexcept {
    core::on_large_stack([] { base::has_memory_for([] { topo::machine(); }); });
}

}  // namespace

int check_before_session() {
    if (simulated_here() != nullptr) {
        return fail(CONCERT_ERR_STATE, "concert_init", "the caller is a simulated rank",
                    "use the simulated_rank that the program is given");
    }
    if (own_rank() != own_rank_unknown || objects_alive() == 0) {
        return CONCERT_OK;
    }
    return fail(CONCERT_ERR_STATE, "concert_init",
                "there are objects already, whose names do not hold on other ranks",
                "begin the first session before the first create<T>");
}

int begin_calls() {
    world& w = *world::current();
    set_own_rank(w.rank());
    transport::use(&the_transport);
    look_at_the_machine();
    return w.add_handler({take, nullptr, &the_transport, "call of a method"},
                         the_transport.handler());
}

void end_calls() noexcept { transport::use(nullptr); }

}  // namespace lazult::concert
