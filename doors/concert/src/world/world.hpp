// SPDX-License-Identifier: BSD-3-Clause
// The world: what a process has once. It holds the communicator, the ranks, the handlers, the
// queues, the epoch, and the callback that makes progress.
#pragma once

#include "memory/window.hpp"
#include "messages/escape.hpp"
#include "messages/message_queue.hpp"
#include "support/hold_count.hpp"
#include "world/node_sum.hpp"
#include "world/rank_watch.hpp"
#include "world/visitor_count.hpp"

#include <mpi.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct concert_queue {
    std::vector<lazult::concert::window> windows;
    std::unique_ptr<lazult::concert::message_queue> messages;
    // True if idle streams poll because of this queue: other ranks reach it by one-sided calls, or
    // streams run its messages.
    bool is_looked_after = false;

    void look_after();
    ~concert_queue();
};

namespace lazult::concert {

// So many messages may run before methods that wait for their turn go on, and more if the methods
// ran for longer before. So neither keeps the other waiting for ever.
inline constexpr std::size_t most_at_once = 64;

// MPI's functions are called by their profiling names, so that a library in front of MPI that makes
// blocking calls suspend does not see these calls. Only the initialisation and the finalisation of
// MPI are called by their usual names, because such a library must see them.
//
// Queues besides the default one come and go in collective calls while other threads look for
// messages. A thread that looks counts as a visitor. A thread that frees a queue takes the queue
// out of the list, and waits for the visitors that may have found it.
//
// field         | written by           | read by          | order
// others_       | enter, leave         | for_each_queue   | release / acquire; leaving: see
//               |                      |                  | visitor_count.hpp
// other_count_  | enter, leave         | for_each_queue   | relaxed: the queue's maker sees it
// epoch_        | end_epoch            | all              | release / acquire
// is_stopped_   | stop_delivery        | deliverers       | relaxed: some more messages may run
// has_kept_     | keep_exception,      | take_exception   | relaxed: a hint, decided under
//               |                      |                  | kept_lock_
//               | take_exception       |                  |
// collective_   | collective_turn      | the same         | exchange acquire, store release
class world {
public:
    static constexpr std::size_t most_queues = 64;
    static constexpr std::uint64_t never_delivered = ~std::uint64_t{0};

    // Collective. Return CONCERT_OK, or the number of a failure.
    static int begin();
    static int end();
    // Returns nullptr before begin() and after end().
    static world* current() noexcept;

    unsigned rank() const noexcept { return rank_; }
    unsigned size() const noexcept { return size_; }
    const handler_table& handlers() const noexcept { return handlers_; }
    concert_queue& default_queue() noexcept { return *default_queue_; }
    std::uint32_t epoch() const noexcept {
        return epoch_.load(std::memory_order_acquire);  // pairs with: end_epoch()
    }

    // Collective. free_queue() and quiesce() throw, at their end, what first left a handler.
    int add_handler(handler_entry entry, int* id);
    int create_queue(const concert_options& options, concert_queue** result);
    int free_queue(concert_queue* queue);
    int quiesce();

    std::size_t extract(std::size_t max);
    std::size_t extract_from(concert_queue& queue, std::size_t max);
    // Runs at most `max` messages that have come to the world that there is, if any. Returns how
    // many, or fewer but not 0 if a handler has thrown. Its exception leaves the next call that
    // throws such exceptions. The caller need not know that the world lives: end() waits for it.
    static std::size_t run_messages_of_current(std::size_t max) noexcept;
    // The same, as a stream does it between units: some messages, and what was sent waits no
    // longer.
    static std::size_t poll_current() noexcept;
    // Sends what has been gathered.
    static void flush_current() noexcept;
    bool is_stopped() const noexcept {
        return is_stopped_.load(std::memory_order_relaxed);  // pairs with: stop_delivery()
    }
    void flush();
    void hold() noexcept { held_work_.hold(); }
    // Returns false if nothing is held.
    bool release() noexcept { return held_work_.release(); }

    // Retires the handler with this context: from here on a message for it ends the process. The
    // handler does not run any more when this function returns.
    void retire(int handler, const void* context) noexcept;
    // From here on no handler begins in this process.
    void stop_delivery() noexcept {
        is_stopped_.store(true, std::memory_order_relaxed);
    }  // pairs with: is_stopped()

    ~world();

private:
    using channels = std::vector<std::unique_ptr<channel>>;
    using queue_word = ds::default_atomics::atomic<concert_queue*>;

    // The turn of the thread that makes a collective call; false if another thread has it. It is no
    // mutex, because the caller may suspend, and another OS thread may then end the turn.
    class collective_turn {
    public:
        // pairs with: below
        explicit collective_turn(world& w) noexcept
            : world_(w), mine_(!w.collective_.exchange(true, std::memory_order_acquire)) {}
        ~collective_turn() {
            if (mine_) {
                world_.collective_.store(false, std::memory_order_release);  // pairs with: above
            }
        }
        collective_turn(const collective_turn&) = delete;
        collective_turn& operator=(const collective_turn&) = delete;
        explicit operator bool() const noexcept { return mine_; }

    private:
        world& world_;
        bool mine_;
    };

    struct tally {
        std::uint64_t delivered;
        std::uint64_t sent;
    };

    explicit world(bool owns_mpi);
    int start();
    void learn_ranks();
    void learn_node();
    void split_node_further();
    void share_sums();
    void leave_mpi() noexcept;
    void start_progress();
    bool all_agree(bool mine);
    int compare_names(const std::string& what, const std::string& mine);
    std::unique_ptr<concert_queue> make_queue(const concert_options& options);
    void add_node_channel(concert_queue& queue, const concert_options& options, channels& into);
    void add_far_channel(concert_queue& queue, const concert_options& options, channels& into);
    std::vector<message_queue::route> routes_over(const channels& by) const;
    bool enter(concert_queue* queue) noexcept;
    bool leave(concert_queue* queue) noexcept;
    void end_epoch();
    // Waits until nothing is under way on any rank. The caller has the turn. Returns the first
    // exception that left a handler meanwhile.
    escape settle();
    void keep_exception() noexcept;
    escape take_exception() noexcept;
    std::size_t run_messages(std::size_t max) noexcept;
    template <class Extract>
    std::size_t extract_in_parts(std::size_t max, Extract extract_some);
    void end_extract(std::size_t done) noexcept;
    // Called when no new visitor can find the world.
    static void await_visitors() noexcept;
    tally tally_now();
    tally sum(tally mine, escape& thrown);
    tally sum_by_mpi(tally mine, escape& thrown);
    // Waits until is_done(), and meanwhile keeps what comes into the rings. Runs messages only if
    // `thrown` is not null, and stores the first exception of a handler there.
    template <class IsDone>
    void await(IsDone is_done, escape* thrown);
    void await(MPI_Request& request, escape* thrown);
    bool extract_keeping(escape& thrown);
    void drain() noexcept;
    void drain_and_progress() noexcept;
    void take_in(std::int64_t waited_ns) noexcept;
    void progress() noexcept;
    std::size_t poll() noexcept;
    template <class Visit>
    void for_each_queue(Visit&& visit);

    bool owns_mpi_;
    rank_watch watch_;
    MPI_Comm all_ = MPI_COMM_NULL;
    MPI_Comm node_ = MPI_COMM_NULL;
    unsigned rank_ = 0;
    unsigned size_ = 0;
    unsigned node_size_ = 0;
    unsigned node_rank_ = 0;
    bool is_one_node_ = false;       // all ranks are on one node
    std::vector<int> node_rank_of_;  // -1: on another node
    handler_table handlers_;
    epoch_word epoch_{0};
    std::unique_ptr<concert_queue> default_queue_;
    std::array<queue_word, most_queues> others_;
    ds::default_atomics::atomic<std::uint32_t> other_count_{0};
    visitor_count<> visitors_;
    ds::default_atomics::atomic<bool> has_far_peers_{false};
    ds::default_atomics::atomic<bool> collective_{false};
    ds::default_atomics::atomic<bool> is_stopped_{false};
    ds::default_atomics::atomic<bool> has_kept_{false};
    spin_lock kept_lock_;
    escape kept_;  // the first exception that poll() caught
    hold_count<> held_work_;
    // For sums if all ranks are on one node; otherwise MPI adds up.
    window sums_window_;
    std::optional<node_sum<>> sums_;
    // How many messages all ranks had delivered in the last wave: see settle(). Only the holder of
    // the turn uses the number.
    std::uint64_t delivered_before_ = never_delivered;
    std::uint64_t progress_id_ = 0;
};

int refuse_second_caller(std::string_view call);
int refuse_when_stopped(std::string_view call);

}  // namespace lazult::concert
