// SPDX-License-Identifier: BSD-3-Clause
// How a world begins and ends: MPI, the ranks, the default queue.
#include "world/world.hpp"

#include "messages/settings.hpp"
#include "support/failure.hpp"

#include "lazult/sched/sched.hpp"

#include <cstdlib>
#include <new>
#include <numeric>

namespace lazult::concert {
namespace {

// field    | written by | read by   | order
// the_one  | begin, end | anyone    | release / acquire
constinit ds::default_atomics::atomic<world*> the_one{nullptr};

int refuse_threads(int given) {
    return fail(
        CONCERT_ERR_MPI, "MPI",
        "it was initialised with thread level " + std::to_string(given) +
            ", not MPI_THREAD_MULTIPLE",
        "call PMPI_Init_thread(..., MPI_THREAD_MULTIPLE, ...), or leave it to concert_init()");
}

bool is_mpi_initialized() {
    int done = 0;
    PMPI_Initialized(&done);
    return done != 0;
}

// Initialises MPI unless the program has. `owns` is set if this function initialised MPI.
int require_mpi(bool& owns) {
    int done = 0;
    int given = 0;
    PMPI_Finalized(&done);
    if (done != 0) {
        return fail(CONCERT_ERR_STATE, "MPI", "it was finalised",
                    "use messages before PMPI_Finalize()");
    }
    if (is_mpi_initialized()) {
        PMPI_Query_thread(&given);
    } else {
        MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &given);  // not PMPI_: see world.hpp
        owns = true;
    }
    return given == MPI_THREAD_MULTIPLE ? CONCERT_OK : refuse_threads(given);
}

}  // namespace

world* world::current() noexcept {
    return the_one.load(std::memory_order_acquire);  // pairs with: begin(), end()
}

world::world(bool owns_mpi) : owns_mpi_(owns_mpi) {}

int world::begin() {
    if (current() != nullptr) {
        return fail(CONCERT_ERR_STATE, "concert_init", "messages are in use already",
                    "call it once, or concert_finalize() before");
    }
    // Checked before this function initialises MPI, which could not be initialised a second time.
    concert_options options;
    if (const int result = read_options(options); result != CONCERT_OK && !is_mpi_initialized()) {
        return result;
    }
    bool owns = false;
    if (const int result = require_mpi(owns); result != CONCERT_OK) {
        return result;
    }
    auto made = std::unique_ptr<world>(new world(owns));
    if (const int result = made->start(); result != CONCERT_OK) {
        return result;
    }
    the_one.store(made.release(), std::memory_order_release);  // pairs with: current()
    return CONCERT_OK;
}

void world::learn_ranks() {
    int number = 0;
    PMPI_Comm_dup(MPI_COMM_WORLD, &all_);
    PMPI_Comm_rank(all_, &number);
    rank_ = static_cast<unsigned>(number);
    PMPI_Comm_size(all_, &number);
    size_ = static_cast<unsigned>(number);
}

int world::start() {
    core::on_large_stack([this] { learn_ranks(); });
    if (size_ >= refer::most_ranks) {
        return fail(CONCERT_ERR_MPI, "MPI_COMM_WORLD", "it has " + std::to_string(size_) + " ranks",
                    "use fewer than " + std::to_string(refer::most_ranks));
    }
    core::on_large_stack([this] { learn_node(); });
    is_one_node_ = all_agree(node_size_ == size_);
    if (is_one_node_) {
        share_sums();
    }
    concert_options options;
    const int read = read_options(options);
    if (!all_agree(read == CONCERT_OK)) {
        return read != CONCERT_OK ? read
                                  : fail(CONCERT_ERR_MISMATCH, "concert_init",
                                         "it failed on another rank", "look for its message");
    }
    concert_queue* unused = nullptr;
    const int result = create_queue(options, &unused);
    if (result == CONCERT_OK) {
        start_progress();
    }
    return result;
}

// Splits the node into parts of at most LAZULT_CONCERT_NODE ranks, each of which counts as a node.
// So both tiers can be used on one machine.
void world::split_node_further() {
    base::current_settings();  // reads the environment, unless that has been done
    const int most = static_cast<int>(row_of(setting::node).value);
    if (most < 1) {
        return;
    }
    int number = 0;
    PMPI_Comm_rank(node_, &number);
    MPI_Comm part = MPI_COMM_NULL;
    PMPI_Comm_split(node_, number / most, number, &part);
    PMPI_Comm_free(&node_);
    node_ = part;
}

void world::learn_node() {
    int number = 0;
    PMPI_Comm_split_type(all_, MPI_COMM_TYPE_SHARED, static_cast<int>(rank_), MPI_INFO_NULL,
                         &node_);
    watch_.start(node_, rank_);
    split_node_further();
    PMPI_Comm_size(node_, &number);
    node_size_ = static_cast<unsigned>(number);
    PMPI_Comm_rank(node_, &number);
    node_rank_ = static_cast<unsigned>(number);
    std::vector<int> ranks(size_);
    std::iota(ranks.begin(), ranks.end(), 0);
    node_rank_of_.resize(size_);
    MPI_Group all = MPI_GROUP_NULL;
    MPI_Group node = MPI_GROUP_NULL;
    PMPI_Comm_group(all_, &all);
    PMPI_Comm_group(node_, &node);
    PMPI_Group_translate_ranks(all, static_cast<int>(size_), ranks.data(), node,
                               node_rank_of_.data());
    PMPI_Group_free(&all);
    PMPI_Group_free(&node);
    for (int& each : node_rank_of_) {
        each = each == MPI_UNDEFINED ? -1 : each;
    }
}

void world::share_sums() {
    using cells = node_sum<>::cells;
    sums_window_ = window::shared(node_, sizeof(cells));
    ::new (sums_window_.segment()) cells();
    all_agree(true);  // now each rank has made its cells
    std::vector<cells*> all;
    for (std::byte* each : sums_window_.segments(node_size_)) {
        all.push_back(std::launder(reinterpret_cast<cells*>(each)));
    }
    sums_.emplace(std::move(all), node_rank_);
}

void world::start_progress() {
    progress_id_ = sched::add_event_callback(
        [](void* w) { return static_cast<int>(static_cast<world*>(w)->poll()); }, this,
        sched::awaited::when_expected);
}

int world::end() {
    world* const w = current();
    if (w == nullptr) {
        return fail(CONCERT_ERR_STATE, "concert_finalize", "messages are not in use",
                    "call concert_init() before");
    }
    if (w->is_stopped()) {
        return refuse_when_stopped("concert_finalize");
    }
    escape thrown;
    {
        const collective_turn turn(*w);
        if (!turn) {
            return refuse_second_caller("concert_finalize");
        }
        thrown = w->settle();
        the_one.store(nullptr, std::memory_order_release);  // pairs with: current()
    }
    await_visitors();
    delete w;
    // Last, because the other ranks wait for this one in the calls above.
    rethrow_if_any(thrown);
    return CONCERT_OK;
}

world::~world() {
    watch_.stop();
    if (progress_id_ != 0) {
        sched::remove_event_callback(progress_id_);
    }
    for (queue_word& each : others_) {
        delete each.load(std::memory_order_relaxed);
    }
    default_queue_.reset();
    sums_window_ = window();
    leave_mpi();
}

void world::leave_mpi() noexcept {
    core::on_large_stack([this] {
        if (node_ != MPI_COMM_NULL) {
            PMPI_Comm_free(&node_);
        }
        if (all_ != MPI_COMM_NULL) {
            PMPI_Comm_free(&all_);
        }
    });
    // A library in front of MPI may suspend the caller here until its other calls are over.
    if (owns_mpi_) {
        MPI_Finalize();
    }
}

bool world::all_agree(bool mine) {
    int agreed = mine ? 1 : 0;
    MPI_Request request = MPI_REQUEST_NULL;
    core::on_large_stack(
        [&] { PMPI_Iallreduce(MPI_IN_PLACE, &agreed, 1, MPI_INT, MPI_MIN, all_, &request); });
    await(request, nullptr);
    return agreed != 0;
}

}  // namespace lazult::concert
