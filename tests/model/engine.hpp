// SPDX-License-Identifier: BSD-3-Clause
// The engine of the model checker. Threads take turns. At every atomic operation the search chooses
// the thread that runs next and the value that a load reads. model.hpp says how to write a model
// run.
#pragma once

#include "tests/model/choices.hpp"
#include "tests/model/fiber.hpp"
#include "tests/model/memory.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::model {

// Where an operation stands in the source. The function's plain name: "pop".
struct site {
    const char* function;
    const char* file;
    unsigned line;

    static constexpr site here(const char* function = __builtin_FUNCTION(),
                               const char* file = __builtin_FILE(),
                               unsigned line = __builtin_LINE()) {
        return {function, file, line};
    }
};

enum class operation {
    load,
    store,
    exchange,
    add,
    subtract,
    bit_or,
    bit_and,
    compare_exchange,
    light_barrier,
    heavy_barrier
};

// A deliberate mistake: the operations of that kind and order in that function (if a line is given,
// only the one there) get the weaker order. Barriers are left out altogether.
struct weakening {
    std::string_view function;
    operation kind;
    std::memory_order from = std::memory_order_seq_cst;
    std::memory_order to = std::memory_order_relaxed;
    unsigned line = 0;

    bool fits(operation done, site where) const {
        return kind == done && function == where.function && (line == 0 || line == where.line);
    }
    bool operator==(const weakening&) const = default;
};

struct options {
    unsigned preemptions = 3;  // how often a thread that could go on is interrupted
    // how often in a row a thread may read the same outdated store
    unsigned stale_reads = 2;
    unsigned steps = 3000;  // operations of one execution; more are a livelock
    // more are not explored, and the search is then not complete
    std::uint64_t executions = 20'000'000;
    std::vector<weakening> weaken;
    bool collect_mistakes = false;  // fills result::mistakes
    std::string replay;             // a path as result::path: only that execution
    // states: what follows one is looked at once. See engine_state.cpp
    bool remembers = true;
};

struct result {
    bool failed = false;
    std::string failure;  // what went wrong
    std::string trace;    // the failing execution, an operation a line
    std::string path;     // its choices: options::replay, or LAZULT_MODEL_REPLAY in the environment
    std::uint64_t executions = 0;
    std::uint64_t states = 0;
    bool complete = false;  // every execution within the bounds was explored
    unsigned weakened = 0;  // in the last execution: how often a weakening applied

    // Every way to weaken one order, or to leave out one barrier, of those that the executions came
    // across.
    std::vector<weakening> mistakes;

    std::string describe() const;
};

std::string describe(const weakening& mistake);

// Leaves the body of an execution that failed.
struct stopped {};

// What a model variable knows about its last accesses.
struct data_accesses {
    unsigned writer = 0;
    stamp written = 0;
    std::array<stamp, max_threads> read{};
};

class engine {
public:
    explicit engine(const options& limits);
    ~engine();
    engine(const engine&) = delete;
    engine& operator=(const engine&) = delete;

    static engine& current();
    result explore(const std::function<void()>& body);

    // For run and check().
    void add_thread(std::string name, std::function<void()> body);
    void run_threads();
    void label(const void* object, std::size_t size, std::string name);
    void fail(std::string why);
    bool on_main() const { return running_ == 0; }
    void note(const std::string& text);

    // For the atomics policy.
    unsigned create(const void* address, std::uint64_t value);
    void destroy(unsigned id);
    std::uint64_t load(unsigned id, std::memory_order order, site where);
    void store(unsigned id, std::uint64_t value, std::memory_order order, site where);
    using modify = std::uint64_t (*)(std::uint64_t old, std::uint64_t operand);
    std::uint64_t read_modify_write(unsigned id, operation kind, modify change,
                                    std::uint64_t operand, std::memory_order order, site where);
    bool compare_exchange(unsigned id, std::uint64_t& expected, std::uint64_t desired,
                          std::memory_order success, std::memory_order failure, site where);
    void pause();
    void light_barrier(site where);
    void heavy_barrier(site where);
    bool futex_wait(const void* word, unsigned id, std::uint64_t expected, bool timed, site where);
    int futex_wake(const void* word, int count, site where);
    bool deadline_passes();

    // For model_var.
    void data_created(data_accesses& data);
    void data_read(data_accesses& data, const void* address);
    void data_written(data_accesses& data, const void* address);

private:
    enum class thread_state { ready, paused, asleep, done };

    struct stale_read {
        stamp read = 0;
        std::uint8_t times = 0;
    };

    struct thread {
        std::string name;
        std::function<void()> body;
        thread_state state = thread_state::done;
        // the search just chose this thread: its next operation needs no other choice
        bool settled = false;
        fingerprint history;   // what its operations have given it
        unsigned created = 0;  // locations
        view seen;
        view pending;     // what a heavy barrier elsewhere brings at this thread's next light one
        view checkpoint;  // what it had done at its last light barrier
        std::array<stale_read, max_locations> stale{};
        std::uint64_t own_stores = 0;
        std::uint64_t stores_at_pause = 0;  // of all threads
        std::uint64_t others_at_pause = 0;  // of the other threads
        // of all threads, when it went on from a pause for want of others
        std::uint64_t woken_at = 0;
        // how often in a row it did so without a store by anybody
        unsigned woken_times = 0;
        const void* word = nullptr;  // the futex on which it sleeps
        unsigned word_id = 0;
        bool timed = false;
        bool in_time = true;
        bool late = false;  // it has seen a deadline pass
        std::unique_ptr<fiber> own_fiber;
        engine* owner = nullptr;
    };

    // engine.cpp: which thread runs next
    static void thread_entry(void* argument);
    void reset();
    void run_once(const std::function<void()>& body);
    void search(const std::function<void()>& body, result& found);
    void start_thread(unsigned index);
    std::size_t pick(std::size_t count) { return count > 1 ? choices_.choose(count) : 0; }
    void count_step();
    thread& self() { return threads_[running_]; }
    bool alone() const { return running_ == 0; }
    bool can_run(const thread& each) const;
    unsigned others(std::array<unsigned, max_threads>& found) const;
    void point();
    void give_up_turn(bool may_continue);
    bool resume_paused();
    std::string stuck_threads() const;
    void nobody_can_run();
    void leave_for(unsigned next);

    // engine_state.cpp: where it has been before
    std::uint64_t what_is_in(const view& seen) const;
    std::uint64_t what_is_stale(const thread& each) const;
    std::uint64_t what_is_stored() const;
    void add_thread_state(fingerprint& state, const thread& each) const;
    fingerprint current_state(unsigned choice) const;
    void look_whether_known(unsigned choice);
    void note_barrier(thread& by);

    // engine_memory.cpp: what an operation does
    location& touch(unsigned id);
    std::memory_order weakened(operation kind, std::memory_order order, site where);
    stamp oldest_readable(unsigned id, std::memory_order order);
    void read(unsigned id, stamp position, std::memory_order order);
    void count_stale(unsigned id, stamp position);
    static constexpr int nothing = -1;
    void write(unsigned id, std::uint64_t value, std::memory_order order, int continued);
    bool left_out(operation kind, site where);
    void note_mistake(const weakening& possible);
    void finish_operation() { self().seen.tick(running_); }
    void see_all(thread& each);
    void report_race(const void* address, const char* what, unsigned other);

    // engine_trace.cpp
    std::string name_of(const void* address) const;
    std::string text_of(std::uint64_t value) const;
    std::string text_of_read(unsigned id, stamp position) const;
    void record(std::string_view what, unsigned id, const std::string& detail,
                std::memory_order order, site where);
    void record_line(const std::string& text, site where);

    struct labelled {
        const char* begin;
        std::size_t size;
        std::string name;
    };

    options limits_;
    choices choices_;
    std::array<thread, max_threads> threads_;
    unsigned thread_count_ = 1;
    unsigned running_ = 0;
    std::vector<location> locations_;
    unsigned location_count_ = 0;
    std::vector<stamp> readable_;  // scratch of compare_exchange()
    unsigned preemptions_ = 0;
    unsigned steps_ = 0;
    std::uint64_t stores_ = 0;
    unsigned weakened_count_ = 0;
    bool failed_ = false;
    std::string failure_;
    bool tracing_ = false;
    std::string trace_;
    std::vector<labelled> labels_;
    std::vector<weakening> mistakes_;
    bool remembers_ = false;
    bool had_barriers_ = false;  // in this execution
    visited known_;
};

}  // namespace lazult::model
