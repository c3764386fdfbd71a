// SPDX-License-Identifier: BSD-3-Clause
// Model runs of how a ULT leaves the host that started it, over the shipped queues, deque and
// words:
// - a ULT that started on a host's stack suspends, keeps that stack, ends on another stream, and
//   gives the stack back to the first one, where its joiner uses the descriptor again;
// - a parent is published while its child runs in front of it (child first), and is taken back by
//   the child's end, or stolen.
#include "lazult/core/core.hpp"
#include "tests/model/mutation.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lazult {
namespace {

using atomics = model::model_atomics;

// What is planted in a run to see that the checker finds it.
enum class mistake {
    none,
    // of the promotion
    published_before_the_save,
    promoted_after_publication,
    stack_taken_after_the_end,
    stack_given_back_from_itself,
    // of child first
    parent_published_before_the_save,
    parent_taken_by_name,
    suspension_in_place_forgotten,
};

// --- Promotion

struct unit;

// core/memory/stack.hpp. The thread that runs on a stack writes its frames.
struct stack {
    model::model_var<stack*> next{nullptr};
    model::model_var<int> frames{0};
};

// core/unit/work_unit.hpp: what the runner of the moment uses without atomics, and the join word.
struct alignas(16) unit {
    model::model_var<unit*> next{nullptr};
    model::model_var<int> context{0};
    model::model_var<stack*> stk{nullptr};
    model::model_var<bool> promoted{false};
    model::model_var<int> result{0};
    core::join_word<atomics> join;
};

struct promotion {
    using word = core::join_word<atomics>;

    static constexpr int suspended_here = 5;
    unit ult;
    unit joiner;
    stack first_stack;  // the host's, when the ULT starts
    // the ULT's home: the second stream's inbox
    ds::mpsc_queue<unit, &unit::next, atomics> second_pool;
    ds::mpsc_queue<unit, &unit::next, atomics> first_pool;  // the joiner's home
    // stack_cache::remote_ of the first stream
    ds::mpsc_queue<stack, &stack::next, atomics> returned_stacks;
    mistake planted;
    int joined = 0;
    int stacks_used_again = 0;

    promotion(model::run& run, mistake made) : planted(made) {
        run.label(ult, "ult");
        run.label(joiner, "joiner");
        run.label(first_stack, "stack");
        run.label(first_pool, "first stream's pool");
        run.label(second_pool, "second stream's pool");
        run.label(returned_stacks, "returned stacks");
    }

    // core/switch/host_loop.cpp, start_here(); the ULT runs to its first suspension.
    void start() {
        ult.stk = &first_stack;
        first_stack.frames = 1;
    }
    // core/switch/suspend.cpp, give_up(); core/switch/host.cpp, promote() and switch_to_loop(). The
    // host takes a stack of its own for its new loop, and on that one make_ready() publishes the
    // ULT.
    void suspend() {
        if (planted == mistake::published_before_the_save) {
            second_pool.push(&ult);
        }
        if (planted != mistake::promoted_after_publication) {
            ult.promoted = true;
        }
        first_stack.frames = first_stack.frames + 1;
        ult.context = suspended_here;
        if (planted != mistake::published_before_the_save) {
            second_pool.push(&ult);
        }
        if (planted == mistake::promoted_after_publication) {
            ult.promoted = true;
        }
    }
    // core/switch/host_loop.cpp, resume(), on the second stream; and the rest of start_here() and
    // loop() there, which are frames of the stack that the ULT kept.
    void resume_and_end() {
        model::check(ult.context == suspended_here, "its context is saved");
        ult.stk.get()->frames = 3;
        ult.result = 7;
        model::check(ult.promoted, "its end does not return into a host's frame");
        end_running();
    }
    // core/switch/finish.cpp, end_running(). The stack is not the descriptor's any more when that
    // is given away, and goes back when control has left it.
    void end_running() {
        stack* left = ult.stk;
        if (planted != mistake::stack_taken_after_the_end) {
            ult.stk = nullptr;
        }
        if (planted == mistake::stack_given_back_from_itself) {
            returned_stacks.push(left);
        }
        complete();
        left->frames = 4;
        if (planted == mistake::stack_taken_after_the_end) {
            left = ult.stk;
        }
        if (planted != mistake::stack_given_back_from_itself) {
            returned_stacks.push(left);  // left_stack(), in the next thread
        }
    }
    // core/switch/finish.hpp, complete(); core/switch/finish.cpp, wake_joiner() and make_ready().
    void complete() {
        const word::value before = ult.join.finish();
        if (word::is_unit(before)) {
            auto* woken = reinterpret_cast<unit*>(before);
            model::check(woken->context == suspended_here, "the joiner's context is saved");
            first_pool.push(woken);
        }
    }
    // core/life/join.cpp, wait_as_unit(), on the first stream. The joiner then makes another unit
    // of the descriptor (core/life/create.hpp, prepare()), and runs it on a stack that came back,
    // if one did.
    void join_and_use_again() {
        joiner.context = suspended_here;
        word::value found;
        if (ult.join.try_wait(reinterpret_cast<word::value>(&joiner), &found)) {
            while (first_pool.take_all() == nullptr) {
                atomics::pause();
            }
        }
        model::check(ult.join.is_finished() && ult.result == 7, "the joiner sees the results");
        ult.context = 0;
        ult.promoted = false;
        ult.stk = nullptr;
        ult.join.reset();
        ++joined;
        use_returned_stacks();
    }
    // core/memory/stack.cpp, take_remote()
    void use_returned_stacks() {
        for (stack* each = returned_stacks.take_all(); each != nullptr; each = each->next) {
            each->frames = 1;
            ++stacks_used_again;
        }
    }
};

void promotion_with(model::run& run, mistake planted) {
    promotion shared(run, planted);
    run.thread("first stream", [&] {
        shared.start();
        shared.suspend();
        shared.join_and_use_again();
    });
    run.thread("second stream", [&] {
        while (shared.second_pool.take_all() == nullptr) {
            atomics::pause();
        }
        shared.resume_and_end();
    });
    run.join();
    shared.use_returned_stacks();
    model::check(shared.joined == 1, "the joiner goes on");
    model::check(shared.stacks_used_again == 1, "the stack came back once");
}

// A shared pool (sched/shared_fifo.cpp): two streams want the ULT, and the first one resumes it.
struct queued : unit {
    ds::mpmc_node<atomics>* node = nullptr;
};

struct node_store {
    node_store() { current = this; }
    std::array<ds::mpmc_node<atomics>, 2> nodes;
    unsigned next = 0;
    static inline node_store* current = nullptr;
};

struct traits {
    static ds::mpmc_node<atomics>*& node_of(queued* u) { return u->node; }
    static ds::mpmc_node<atomics>* take_node() {
        return &node_store::current->nodes[node_store::current->next++];
    }
    static void give_node(ds::mpmc_node<atomics>*) {}
};

void shared_pool_with(model::run& run, mistake planted) {
    node_store nodes;
    ds::mpmc_queue<queued, traits, atomics> pool;
    queued ult;
    stack kept;
    int ends = 0;
    run.label(ult, "ult");
    run.label(pool, "pool");
    run.label(kept, "stack");
    run.label(nodes, "nodes");
    const auto serve = [&] {
        if (queued* u = pool.pop(); u != nullptr) {
            model::check(u->context == 1, "its context is saved");
            model::check(u->promoted, "its end does not return into a host's frame");
            u->stk.get()->frames = 2;
            ++ends;
        }
    };
    run.thread("first stream", [&] {
        ult.stk = &kept;
        kept.frames = 1;
        ult.promoted = true;
        if (planted == mistake::published_before_the_save) {
            pool.push(&ult);
            ult.context = 1;
        } else {
            ult.context = 1;
            pool.push(&ult);
        }
        serve();
    });
    run.thread("second stream", serve);
    run.thread("third stream", serve);
    run.join();
    serve();
    model::check(ends == 1, "one stream resumes it");
}

// --- Child first

// A parent and its child, the owner of their pool and a thief. The parent's context tells where it
// continues. The thread that runs the parent writes its frame.
struct family {
    struct member {
        model::model_var<int> context{0};
        model::model_var<int> frame{0};
        model::model_var<member*> next{nullptr};
        bool suspended = false;
        core::park_word<atomics> park;
    };
    static constexpr int at_the_call = 1;
    static constexpr int at_the_park = 2;
    static constexpr int at_the_second_call = 3;

    member parent;
    member child;
    ds::deque<member, atomics> deque{2};
    // for the owner, of what others make ready
    ds::mpsc_queue<member, &member::next, atomics> inbox;
    mistake planted;
    int continued = 0;
    int plain_returns = 0;

    family(model::run& run, mistake made) : planted(made) {
        run.label(parent, "parent");
        run.label(child, "child");
        run.label(deque, "deque");
        run.label(inbox, "inbox");
    }

    // sched/stealing_pool.cpp, push_parent_other()
    std::uint64_t push_parent() {
        const std::uint64_t place = deque.bottom_index();
        deque.push(&parent);
        return place;
    }
    // sched/stealing_pool.cpp, take_parent_other()
    bool take_parent(std::uint64_t place) {
        return (planted == mistake::parent_taken_by_name || deque.bottom_index() == place + 1) &&
               deque.pop_if(&parent);
    }
    // core/switch/host_loop.cpp, call_from() up to the child's own code
    std::uint64_t call_child(int where) {
        parent.frame = parent.frame + 1;
        if (planted == mistake::parent_published_before_the_save) {
            const std::uint64_t place = push_parent();
            parent.context = where;
            return place;
        }
        parent.context = where;
        return push_parent();
    }
    // core/switch/host_loop.cpp, called_first() after the child's own code, and the rest of
    // call_from(). A plain return goes to where the parent called this child.
    bool return_or_finish(std::uint64_t place, int where) {
        if (child.suspended || !take_parent(place)) {
            return false;
        }
        model::check(parent.context == where, "the frame that called the child is still there");
        ++plain_returns;
        return true;
    }
    // By the thread that popped the parent, or on which the child returned to it: the parent runs
    // on from there.
    void run_parent(int where) {
        model::check(parent.context == where, "the parent continues where it stopped");
        parent.frame = parent.frame + 1;
        parent.context = 0;
        ++continued;
    }
    // core/switch/suspend.cpp, park() and commit_park(); a thief's make_ready() pushes into the
    // inbox.
    void park_parent() {
        if (parent.park.try_consume()) {
            return;
        }
        parent.context = at_the_park;
        if (!parent.park.commit()) {
            inbox.push(&parent);
        }
    }
    // core/switch/suspend.cpp, unpark(), by the owner: make_ready() pushes into the deque.
    void unpark_parent() {
        if (parent.park.unpark()) {
            deque.push(&parent);
        }
    }
};

void child_first_with(model::run& run, mistake planted, unsigned thieves) {
    family shared(run, planted);
    run.thread("owner", [&] {
        const std::uint64_t place = shared.call_child(family::at_the_call);
        shared.child.frame = 1;
        if (shared.return_or_finish(place, family::at_the_call)) {
            shared.run_parent(family::at_the_call);
        }
    });
    for (; thieves != 0; --thieves) {
        run.thread("thief", [&] {
            if (shared.deque.steal() != nullptr) {
                shared.run_parent(family::at_the_call);
            }
        });
    }
    run.join();
    model::check(shared.continued == 1, "the parent goes on once");
    model::check(shared.deque.steal() == nullptr, "and stands in the pool no more");
}

// The parent is stolen, runs and parks; its child wakes it, so that it stands in the very pool
// again when the child ends. That is another publication: the child must not return into a frame
// that is gone.
void comes_back_with(model::run& run, mistake planted) {
    family shared(run, planted);
    int parks = 0;
    const auto run_and_park = [&] {
        shared.run_parent(family::at_the_call);
        ++parks;
        shared.park_parent();
    };
    run.thread("owner", [&] {
        const std::uint64_t place = shared.call_child(family::at_the_call);
        shared.unpark_parent();
        if (shared.return_or_finish(place, family::at_the_call)) {
            run_and_park();
        }
    });
    run.thread("thief", [&] {
        if (shared.deque.try_steal().item != nullptr) {
            run_and_park();
        }
    });
    run.join();
    family::member* woken = shared.deque.steal();
    if (woken == nullptr) {
        woken = shared.inbox.take_all();
    }
    if (woken != nullptr) {
        shared.run_parent(family::at_the_park);
    }
    model::check(parks == 1 && shared.continued <= 2, "the parent comes by each place once");
    model::check(shared.deque.steal() == nullptr, "and stands in the pool no more");
}

// The child does not suspend, but a unit that it runs in place does. That unit's end must mark the
// child as suspended (core/life/in_place.cpp, end_in_place_slowly()). Meanwhile the same stream
// runs the parent, which calls another child first. Something older is in the deque, so the parent
// is at the same place again, and the ticket does not tell the two publications apart.
void suspends_in_place_with(model::run& run, mistake planted) {
    family shared(run, planted);
    family::member older;
    shared.deque.push(&older);
    run.thread("owner", [&] {
        const std::uint64_t place = shared.call_child(family::at_the_call);
        model::check(shared.deque.pop() == &shared.parent, "the parent is next");
        shared.run_parent(family::at_the_call);
        shared.call_child(family::at_the_second_call);
        shared.child.suspended = planted != mistake::suspension_in_place_forgotten;
        shared.return_or_finish(place, family::at_the_call);
    });
    run.thread("thief", [&] { shared.deque.try_steal(); });
    run.join();
    model::check(shared.deque.pop() == &shared.parent, "the parent waits for the stream");
    shared.run_parent(family::at_the_second_call);
}

// --- The tests

template <auto Body, auto... Arguments>
void with(model::run& run) {
    Body(run, Arguments...);
}

constexpr mistake none = mistake::none;

const std::vector<model::scenario> scenarios = {
    {"promotion", with<promotion_with, none>},
    {"shared pool", with<shared_pool_with, none>, 2},
    {"child first, one thief", with<child_first_with, none, 1U>},
    {"child first, two thieves", with<child_first_with, none, 2U>},
    {"child first, the parent comes back", with<comes_back_with, none>},
    {"child first, a unit in place suspends", with<suspends_in_place_with, none>},
};

TEST(promotion_model, each_thread_runs_once_on_a_stack_of_its_own) {
    model::expect_sound(scenarios);
}

template <auto Body, auto... Arguments>
std::string failure_of() {
    const model::scenario each{"", with<Body, Arguments...>};
    return model::explore(model::limits_of(each), each.body).failure;
}

TEST(promotion_model, a_ult_is_published_after_its_context_is_saved) {
    EXPECT_NE((failure_of<promotion_with, mistake::published_before_the_save>()), "");
    EXPECT_NE((failure_of<shared_pool_with, mistake::published_before_the_save>()), "");
}

TEST(promotion_model, a_ult_is_published_after_its_promotion) {
    EXPECT_NE((failure_of<promotion_with, mistake::promoted_after_publication>()), "");
}

// The end of a unit is the last touch of its descriptor: the joiner may have used it for another
// unit.
TEST(promotion_model, the_stack_is_taken_from_the_descriptor_before_the_end) {
    EXPECT_NE((failure_of<promotion_with, mistake::stack_taken_after_the_end>()), "");
}

TEST(promotion_model, the_stack_is_given_back_when_control_has_left_it) {
    EXPECT_NE((failure_of<promotion_with, mistake::stack_given_back_from_itself>()), "");
}

TEST(promotion_model, a_parent_is_published_after_its_context_is_saved) {
    EXPECT_NE((failure_of<child_first_with, mistake::parent_published_before_the_save, 1U>()), "");
}

TEST(promotion_model, a_parent_is_taken_back_by_its_place) {
    EXPECT_NE((failure_of<comes_back_with, mistake::parent_taken_by_name>()), "");
}

TEST(promotion_model, a_suspension_in_place_is_the_childs_too) {
    EXPECT_NE((failure_of<suspends_in_place_with, mistake::suspension_in_place_forgotten>()), "");
}

// The orders that carry a ULT, a stack, a joiner and a parent from stream to stream.
TEST(promotion_model, needs_the_orders_that_publish) {
    using model::operation;
    constexpr auto acquire = std::memory_order_acquire;
    constexpr auto release = std::memory_order_release;
    constexpr auto acq_rel = std::memory_order_acq_rel;
    constexpr auto relaxed = std::memory_order_relaxed;
    for (const model::weakening& each : {
             model::weakening{"push", operation::compare_exchange, release, relaxed},
             model::weakening{"take_all", operation::exchange, acquire, relaxed},
             model::weakening{"replace_unwaited", operation::compare_exchange, acq_rel, acquire},
             model::weakening{"finish", operation::load, acquire, relaxed},
             model::weakening{"finish", operation::exchange, acq_rel, acquire},
             model::weakening{"finish", operation::exchange, acq_rel, release},
             model::weakening{"push_at", operation::store, release, relaxed},
         }) {
        EXPECT_TRUE(model::is_noticed(each, scenarios)) << model::describe(each);
    }
}

}  // namespace
}  // namespace lazult
