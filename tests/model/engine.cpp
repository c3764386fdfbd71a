// SPDX-License-Identifier: BSD-3-Clause
// The search over schedules: it chooses the thread that runs next.
#include "tests/model/engine.hpp"

#include <cstdlib>
#include <exception>
#include <limits>
#include <sstream>

namespace lazult::model {

namespace {
engine* current_engine = nullptr;

std::string chosen_path(const options& limits) {
    const char* const wanted = std::getenv("LAZULT_MODEL_REPLAY");
    return wanted != nullptr ? wanted : limits.replay;
}
}  // namespace

engine::engine(const options& limits) : limits_(limits), choices_(chosen_path(limits)) {
    tracing_ = !chosen_path(limits).empty();
    locations_.resize(max_locations);
    threads_[0].own_fiber = std::make_unique<fiber>();
    threads_[0].name = "main";
    current_engine = this;
}

engine::~engine() { current_engine = nullptr; }

engine& engine::current() { return *current_engine; }

std::string result::describe() const {
    std::ostringstream text;
    text << executions << " executions, " << states << " states, "
         << (complete ? "complete" : "not complete");
    if (failed) {
        text << "\nfailure: " << failure << "\npath: " << path << "\n" << trace;
    }
    return text.str();
}

result engine::explore(const std::function<void()>& body) {
    result found;
    remembers_ = limits_.remembers && !tracing_;
    known_.clear();
    search(body, found);
    remembers_ = false;
    found.states = known_.size();
    found.failed = failed_;
    found.failure = failure_;
    found.path = choices_.path();
    if (failed_ && !tracing_) {
        tracing_ = true;
        choices_.rewind();
        run_once(body);
    }
    found.trace = trace_;
    found.weakened = weakened_count_;
    found.mistakes = mistakes_;
    return found;
}

void engine::search(const std::function<void()>& body, result& found) {
    do {
        run_once(body);
        ++found.executions;
        if (failed_ || tracing_ || found.executions == limits_.executions) {
            return;
        }
    } while (choices_.next());
    found.complete = true;
}

void engine::run_once(const std::function<void()>& body) {
    reset();
    try {
        body();
    } catch (const stopped&) {
        failed_ = true;  // fail() told why
    }
    if (choices_.diverged()) {
        fail("the body is not deterministic: the same choices led elsewhere");
    }
}

void engine::reset() {
    for (unsigned index = 0; index < max_threads; ++index) {
        thread& each = threads_[index];
        if (index != 0 && each.state != thread_state::done) {
            each.own_fiber.reset();  // stopped by a failure in the middle of its body
        }
        each.state = thread_state::done;
        each.seen.clear();
        each.stale.fill({});
        each.body = nullptr;
    }
    choices_.rewind();
    threads_[0].seen.tick(0);
    threads_[0].created = 0;
    threads_[0].history = {};
    thread_count_ = 1;
    running_ = 0;
    location_count_ = 0;
    preemptions_ = 0;
    steps_ = 0;
    stores_ = 0;
    weakened_count_ = 0;
    had_barriers_ = false;
    failed_ = false;
    failure_.clear();
    trace_.clear();
    labels_.clear();
}

void engine::add_thread(std::string name, std::function<void()> body) {
    if (thread_count_ == max_threads) {
        fail("too many threads for the model");
        throw stopped{};
    }
    thread& added = threads_[thread_count_++];
    added.name = std::move(name);
    added.body = std::move(body);
}

void engine::start_thread(unsigned index) {
    thread& started = threads_[index];
    started.state = thread_state::ready;
    started.settled = true;
    started.history = {};
    started.history.add(index);
    started.created = 0;
    started.seen.copy(threads_[0].seen);
    started.seen.tick(index);
    started.pending.clear();
    started.checkpoint.copy(threads_[0].seen);
    started.own_stores = 0;
    started.stores_at_pause = 0;
    started.others_at_pause = std::numeric_limits<std::uint64_t>::max();
    started.woken_at = 0;
    started.woken_times = 0;
    started.late = false;
    started.owner = this;
    if (started.own_fiber == nullptr) {
        started.own_fiber = std::make_unique<fiber>(&engine::thread_entry, &started);
    }
}

void engine::run_threads() {
    if (thread_count_ == 1) {
        return;
    }
    for (unsigned index = 1; index < thread_count_; ++index) {
        start_thread(index);
    }
    finish_operation();
    leave_for(1 + static_cast<unsigned>(pick(thread_count_ - 1)));
    if (failed_) {
        throw stopped{};
    }
    for (unsigned index = 1; index < thread_count_; ++index) {
        threads_[0].seen.join(threads_[index].seen);
    }
    thread_count_ = 1;
}

void engine::thread_entry(void* argument) {
    thread& me = *static_cast<thread*>(argument);
    for (;;) {
        std::string escaped;
        try {
            me.body();
        } catch (const std::exception& error) {
            escaped = std::string("an exception left the thread: ") + error.what();
        }
        if (!escaped.empty()) {
            me.owner->fail(std::move(escaped));
        }
        me.state = thread_state::done;
        me.owner->give_up_turn(false);  // returns when the next execution starts this thread
    }
}

void engine::label(const void* object, std::size_t size, std::string name) {
    labels_.push_back({static_cast<const char*>(object), size, std::move(name)});
}

void engine::fail(std::string why) {
    if (!failed_) {
        failed_ = true;
        failure_ = std::move(why.insert(0, threads_[running_].name + ": "));
    }
    std::string().swap(why);  // a thread that fails is never unwound, and shall not leak
    if (running_ != 0) {
        leave_for(0);
    }
}

bool engine::can_run(const thread& each) const {
    switch (each.state) {
        case thread_state::ready: return true;
        case thread_state::paused: return stores_ > each.stores_at_pause;
        case thread_state::asleep: return each.timed;  // its deadline passes
        case thread_state::done: break;
    }
    return false;
}

unsigned engine::others(std::array<unsigned, max_threads>& found) const {
    unsigned count = 0;
    for (unsigned index = 1; index < thread_count_; ++index) {
        if (index != running_ && can_run(threads_[index])) {
            found[count++] = index;
        }
    }
    return count;
}

void engine::count_step() {
    if (++steps_ > limits_.steps) {
        fail("livelock, or a spin loop without pause(): too many operations in one execution");
    }
}

// Before each operation: may another thread go first?
void engine::point() {
    if (alone()) {
        return;
    }
    count_step();
    thread& me = self();
    if (me.settled) {
        me.settled = false;
        return;
    }
    std::array<unsigned, max_threads> found;
    constexpr unsigned goes_on = 2;
    look_whether_known(goes_on);
    const unsigned count = preemptions_ < limits_.preemptions ? others(found) : 0;
    const std::size_t chosen = pick(count + 1);
    if (chosen != 0) {
        ++preemptions_;
        leave_for(found[chosen - 1]);
    }
}

// The caller's state says why it does not go on. Comes back when it shall.
void engine::give_up_turn(bool may_continue) {
    thread& me = self();
    std::array<unsigned, max_threads> found;
    const unsigned count = others(found);
    const bool times_out = me.state == thread_state::asleep && me.timed;
    const unsigned own = may_continue || times_out ? 1 : 0;
    look_whether_known(own);
    if (count + own == 0) {
        nobody_can_run();
    } else {
        const std::size_t chosen = pick(count + own);
        leave_for(chosen < own ? running_ : found[chosen - own]);
    }
    me.settled = true;
}

void engine::leave_for(unsigned next) {
    thread& me = self();
    thread& chosen = threads_[next];
    if (next != 0) {
        chosen.in_time = chosen.state != thread_state::asleep;
        chosen.state = thread_state::ready;
    }
    if (next == running_) {
        return;
    }
    running_ = next;
    me.own_fiber->switch_to(*chosen.own_fiber);
}

void engine::nobody_can_run() {
    bool all_done = true;
    for (unsigned index = 1; index < thread_count_; ++index) {
        all_done = all_done && threads_[index].state == thread_state::done;
    }
    if (all_done) {
        leave_for(0);
    } else if (!resume_paused()) {
        fail(stuck_threads());
    }
}

// Spinning threads may have looked at old stores only: each gets a few more turns, in which it sees
// the newest ones. More than one, as a loop around a CAS begins with what it read before the pause.
bool engine::resume_paused() {
    constexpr unsigned turns = 4;
    for (unsigned index = 1; index < thread_count_; ++index) {
        thread& each = threads_[index];
        if (each.woken_at != stores_) {
            each.woken_at = stores_;
            each.woken_times = 0;
        }
        if (each.state == thread_state::paused && each.woken_times < turns) {
            ++each.woken_times;
            see_all(each);
            leave_for(index);
            return true;
        }
    }
    return false;
}

std::string engine::stuck_threads() const {
    std::string text = "no thread can go on:";
    for (unsigned index = 1; index < thread_count_; ++index) {
        const thread& each = threads_[index];
        if (each.state == thread_state::asleep) {
            text += " " + each.name + " sleeps on " + name_of(each.word) +
                    " (lost wake-up or deadlock);";
        } else if (each.state == thread_state::paused) {
            text += " " + each.name + " spins (livelock);";
        }
    }
    return text;
}

void engine::pause() {
    if (alone()) {
        return;
    }
    count_step();
    thread& me = self();
    const std::uint64_t others_stores = stores_ - me.own_stores;
    const bool news = others_stores != me.others_at_pause;
    me.others_at_pause = others_stores;
    me.stores_at_pause = stores_;
    me.state = thread_state::paused;
    me.history.add(0);
    give_up_turn(news);
    me.state = thread_state::ready;
}

bool engine::futex_wait(const void* word, unsigned id, std::uint64_t expected, bool timed,
                        site where) {
    point();
    location& slept_on = touch(id);
    thread& me = self();
    me.seen.see(id, slept_on.newest());  // the kernel compares the newest value
    me.history.add(slept_on.at(slept_on.newest()).value);
    if (slept_on.at(slept_on.newest()).value != expected) {
        if (tracing_) {
            record_line("futex_wait " + name_of(word) + ": another value", where);
        }
        return true;
    }
    if (tracing_) {
        record_line("futex_wait " + name_of(word) + ": sleeps", where);
    }
    if (alone()) {
        fail("main would sleep for ever");
        return true;
    }
    me.state = thread_state::asleep;
    me.word = word;
    me.word_id = id;
    me.timed = timed;
    give_up_turn(false);
    me.history.add(me.in_time ? 1 : 0);
    me.late = me.late || !me.in_time;
    if (tracing_) {
        record_line(me.in_time ? "futex_wait: woken" : "futex_wait: timed out", where);
    }
    return me.in_time;
}

// Each thread has a clock of its own: how far they have gone is nobody else's business, as
// deadlines may be late.
bool engine::deadline_passes() {
    thread& me = self();
    me.late = me.late || pick(2) == 1;
    me.history.add(me.late ? 1 : 0);
    if (tracing_) {
        note(me.late ? "the deadline has passed" : "there is time left");
    }
    return me.late;
}

int engine::futex_wake(const void* word, int count, site where) {
    point();
    int woken = 0;
    while (woken < count) {
        std::array<unsigned, max_threads> sleepers;
        unsigned found = 0;
        for (unsigned index = 1; index < thread_count_; ++index) {
            if (threads_[index].state == thread_state::asleep && threads_[index].word == word) {
                sleepers[found++] = index;
            }
        }
        if (found == 0) {
            break;
        }
        thread& chosen = threads_[sleepers[pick(found)]];
        chosen.state = thread_state::ready;
        chosen.in_time = true;
        chosen.seen.see(chosen.word_id, self().seen.newest(chosen.word_id));
        ++woken;
    }
    self().history.add(static_cast<std::uint64_t>(woken));
    if (tracing_) {
        record_line("futex_wake " + name_of(word) + ": " + std::to_string(woken) + " woken", where);
    }
    return woken;
}

}  // namespace lazult::model
