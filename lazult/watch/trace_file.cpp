// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/watch/trace_file.hpp"

#include <cxxabi.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lazult/watch/subjects.hpp"

namespace lazult::watch {
namespace {

using core::suspension_reason;
using core::worker;
using probe::trace_buffer;
using probe::trace_event;
using probe::trace_record;

// field         written by                  read by             order
// trace_teller  set_traced_wait_describer   words_of_traced()   release / acquire
constinit std::atomic<traced_wait_describer> trace_teller{nullptr};

std::string words_of_traced(std::uint8_t kind, std::uint64_t object) {
    // pairs with: set_traced_wait_describer()
    const traced_wait_describer tell = trace_teller.load(std::memory_order_acquire);
    return tell == nullptr ? "something" : object_words(tell(kind, object));
}

// Appends what an event `awaits` says. `end` has the words for the end of the unit in it.
void append_awaited(std::string& text, const trace_record& r, const std::string& end) {
    const bool is_join = r.unit != nullptr;
    const bool is_one_of_all = is_join && r.detail == static_cast<std::uint8_t>(core::joined::all);
    const char* const joint = is_one_of_all ? " and " : " or ";
    text += text.empty() ? "" : joint;
    text += is_join                           ? end
            : r.detail == core::awaits_unpark ? park_words
                                              : words_of_traced(r.detail, r.object);
    if (r.number != 0) {
        text += joint + std::to_string(r.number) + " more";
    }
}

// For the suspend probe. Units have the numbers there that reports give them.
void spell(const trace_record& r, char* text, std::size_t bytes) {
    base::has_memory_for([&] {
        std::string all = text;
        const auto* const unit = static_cast<const core::work_unit*>(r.unit);
        append_awaited(
            all, r,
            unit == nullptr ? "" : "the end of ULT " + std::to_string(core::number_of(*unit)));
        text[all.copy(text, bytes - 1)] = '\0';
    });
}

const bool spells [[maybe_unused]] = (core::set_wait_speller(spell), true);

const char* name_of(suspension_reason why) noexcept {
    switch (why) {
        case suspension_reason::yields: return "yield";
        case suspension_reason::joins: return "join";
        case suspension_reason::waits: return "wait";
        case suspension_reason::runs_child: return "child first";
        case suspension_reason::migrates: return "migration";
        case suspension_reason::lacks_stack: return "no stack";
    }
    return "";
}

const char* name_of_start(unsigned mode) noexcept {
    const auto m = static_cast<core::start_mode>(mode);
    if (m == core::start_mode::in_place) {
        return "in_place";
    }
    // The name is a literal, so it ends in a zero.
    return m == core::start_mode::not_started
               ? "not_started"
               : base::name(static_cast<core::technique>(mode)).data();
}

// Escapes the text for a string of JSON.
std::string escaped(const char* text) {
    std::string result;
    for (; *text != '\0'; ++text) {
        if (*text == '"' || *text == '\\') {
            result += '\\';
        }
        result += static_cast<unsigned char>(*text) < ' ' ? '?' : *text;
    }
    return result;
}

// The names of entry functions. Each is looked up once.
class symbols {
public:
    const std::string& of(core::entry_function entry) {
        std::string& name = names_[reinterpret_cast<const void*>(entry)];
        if (name.empty()) {
            name = find(reinterpret_cast<const void*>(entry));
        }
        return name;
    }

private:
    static std::string find(const void* address) {
        Dl_info info{};
        if (::dladdr(address, &info) == 0) {
            return "?";
        }
        if (info.dli_sname != nullptr && info.dli_saddr == address) {
            int status = 0;
            const std::unique_ptr<char, void (*)(void*)> plain(
                abi::__cxa_demangle(info.dli_sname, nullptr, nullptr, &status), std::free);
            return escaped(plain != nullptr ? plain.get() : info.dli_sname);
        }
        // The dynamic linker knows no name, so this returns what addr2line takes: file and offset.
        const char* slash = info.dli_fname == nullptr ? nullptr : std::strrchr(info.dli_fname, '/');
        char offset[32];
        std::snprintf(
            offset, sizeof offset, "+0x%zx",
            reinterpret_cast<std::size_t>(address) - reinterpret_cast<std::size_t>(info.dli_fbase));
        return escaped(slash != nullptr ? slash + 1 : "?") + offset;
    }

    std::unordered_map<const void*, std::string> names_;
};

// One life of a descriptor, which serves one unit after another. `number` tells these lives apart.
struct life {
    const void* unit;
    std::uint32_t number;
    bool operator==(const life&) const = default;
};
struct life_hash {
    std::size_t operator()(const life& l) const noexcept {
        return reinterpret_cast<std::size_t>(l.unit) / 64 * 31 +
               l.number * std::size_t{0x9e3779b97f4a7c15};
    }
};

struct track {
    int number;
    worker_name name;
    const trace_buffer* buffer;
    std::uint64_t started;
    std::uint32_t every;
};

// Turns ticks into microseconds since tracing began.
class timescale {
public:
    timescale() noexcept : begin_(core::trace_beginning()) {
        const core::tick_clock now = core::tick_clock::now();
        const auto ticks = static_cast<double>(now.ticks - begin_.ticks);
        us_per_tick_ = ticks > 0 ? static_cast<double>(now.ns - begin_.ns) / 1000 / ticks : 0;
    }
    double operator()(std::uint64_t ticks) const noexcept {
        return ticks < begin_.ticks ? 0 : static_cast<double>(ticks - begin_.ticks) * us_per_tick_;
    }

private:
    core::tick_clock begin_;
    double us_per_tick_;
};

class writer {
public:
    explicit writer(std::FILE* file) : file_(file), process_(static_cast<int>(::getpid())) {}

    void write() {
        core::for_each_worker([](worker& w, void* all) { static_cast<writer*>(all)->add(w); },
                              this);
        std::reverse(tracks_.begin(), tracks_.end());  // the oldest thread first
        number_lives();
        std::fprintf(file_, "{\"displayTimeUnit\": \"ns\",\n\"traceEvents\": [\n");
        std::fprintf(
            file_, "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"%s\"}}",
            process_, escaped(program_invocation_short_name).c_str());
        for (const track& t : tracks_) {
            write_track(t);
        }
        std::fputs("\n],\n", file_);
        write_metadata();
        std::fputs("}\n", file_);
    }

private:
    struct slice {
        life of;
        bool in_place;
    };

    void add(worker& w) {
        core::tracing_state& t = w.tracing;
        // pairs with: core/observe/trace.cpp, buffer_of(), store of buffer
        if (const trace_buffer* buffer = t.buffer.load(std::memory_order_acquire);
            buffer != nullptr) {
            tracks_.push_back({w.index, worker_name(w), buffer, w.count.started.get(), t.every});
        }
    }

    // Numbers the units of all threads in the order of their creation.
    void number_lives() {
        struct birth {
            std::uint64_t ticks;
            life of;
        };
        std::vector<birth> births;
        for (const track& t : tracks_) {
            for (std::uint32_t i = 0, n = t.buffer->count(); i < n; ++i) {
                const trace_record& r = (*t.buffer)[i];
                if (r.what == trace_event::created) {
                    births.push_back({r.ticks, {r.unit, r.life}});
                }
            }
        }
        std::stable_sort(births.begin(), births.end(),
                         [](const birth& a, const birth& b) { return a.ticks < b.ticks; });
        numbers_.reserve(births.size());
        for (const birth& b : births) {
            numbers_.emplace(b.of, numbers_.size() + 1);
        }
    }

    // Returns the unit's number; 0 if the event of its creation was dropped.
    std::size_t number_of(const life& l) const {
        const auto found = numbers_.find(l);
        return found == numbers_.end() ? 0 : found->second;
    }
    static life life_of(const trace_record& r) noexcept { return {r.unit, r.life}; }

    // Writes an event without its arguments and its end, which the caller writes.
    void begin_event(char phase, const char* name, const char* category, double us) {
        std::fprintf(
            file_,
            ",\n{\"ph\":\"%c\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f",
            phase, name, category, process_, track_, us);
    }
    void instant(const char* name, const trace_record& r, double us) {
        begin_event('i', name, "ult", us);
        std::fprintf(file_, ",\"s\":\"t\",\"args\":{\"ult\":%zu,\"entry\":\"%s\"}}",
                     number_of(life_of(r)), symbols_.of(r.entry).c_str());
    }
    void flow(char phase, const char* name, std::uint64_t number, double us) {
        begin_event(phase, name, "flow", us);
        std::fprintf(file_, ",\"id\":%" PRIu64 "%s}", number, phase == 'f' ? ",\"bp\":\"e\"" : "");
    }

    void open(const trace_record& r, bool in_place, const char* how, double us) {
        begin_event('B', symbols_.of(r.entry).c_str(), "ult", us);
        std::fprintf(file_, ",\"args\":{\"ult\":%zu,\"how\":\"%s\"", number_of(life_of(r)), how);
        if (r.what == trace_event::started) {
            std::fprintf(file_, ",\"technique\":\"%s\"", name_of_start(r.number));
        }
        std::fputs("}}", file_);
        open_.push_back({life_of(r), in_place});
    }
    void close(const char* left, const char* started, double us, const std::string& wait = {}) {
        begin_event('E', "", "ult", us);
        std::fprintf(file_, ",\"args\":{\"ult\":%zu,\"left\":\"%s\"", number_of(open_.back().of),
                     left);
        if (!wait.empty()) {
            std::fprintf(file_, ",\"for\":\"%s\"", escaped(wait.c_str()).c_str());
        }
        if (started != nullptr) {
            std::fprintf(file_, ",\"started\":\"%s\"", started);
        }
        std::fputs("}}", file_);
        open_.pop_back();
    }
    bool is_open(const life& l) const {
        return std::any_of(open_.begin(), open_.end(), [&](const slice& s) { return s.of == l; });
    }
    // Closes the slices above that of `l`, because the events that ended them were dropped.
    void close_above(const life& l, double us) {
        while (!(open_.back().of == l)) {
            close("unknown", nullptr, us);
        }
    }

    void end(const trace_record& r, const char* left, const char* started, double us) {
        if (!is_open(life_of(r))) {  // the unit was cancelled before it started
            instant("end", r, us);
            return;
        }
        close_above(life_of(r), us);
        close(left, started, us);
    }

    // Notes what the thread's next suspension is for.
    void await(const trace_record& r) {
        append_awaited(awaited_, r, r.unit == nullptr ? "" : end_of(life_of(r)));
    }
    std::string end_of(const life& l) const {
        const std::size_t number = number_of(l);
        return number == 0 ? "the end of a ULT that is not traced"
                           : "the end of ULT " + std::to_string(number);
    }

    // Closes the unit's slice. If its joiner called it in place, control has left the joiner, too;
    // and so on down the stack.
    void suspend(const trace_record& r, double us) {
        const std::string wait = std::exchange(awaited_, {});
        if (!is_open(life_of(r))) {
            return;
        }
        if ((r.number & 256U) != 0 && is_promotion(r.number % 256U)) {
            begin_event('i', "promote", "ult", us);
            std::fprintf(file_, ",\"s\":\"t\",\"args\":{\"ult\":%zu,\"started\":\"%s\"}}",
                         number_of(life_of(r)), name_of_start(r.number % 256U));
        }
        close_above(life_of(r), us);
        bool takes_joiner = open_.back().in_place;
        close(name_of(static_cast<suspension_reason>(r.detail)), name_of_start(r.number % 256U), us,
              wait);
        while (takes_joiner && !open_.empty()) {
            takes_joiner = open_.back().in_place;
            close("child in place", nullptr, us);
        }
    }
    static bool is_promotion(unsigned mode) noexcept {
        const auto m = static_cast<core::start_mode>(mode);
        return m != core::start_mode::full && m != core::start_mode::lazy_stack;
    }

    // Control came to the scheduler, so all open slices end. They are open still because a child in
    // place, which is not traced, suspended above them.
    void leave_all(double us) {
        while (!open_.empty()) {
            close("child in place", nullptr, us);
        }
    }

    void write_unit_event(const trace_record& r, double us) {
        if (r.what == trace_event::resumed || (r.what == trace_event::started && r.detail == 0)) {
            leave_all(us);
        }
        switch (r.what) {
            case trace_event::created:
                begin_event('i', "create", "ult", us);
                std::fprintf(
                    file_,
                    ",\"s\":\"t\",\"args\":{\"ult\":%zu,\"entry\":\"%s\",\"technique\":\"%s\"}}",
                    number_of(life_of(r)), symbols_.of(r.entry).c_str(), name_of_start(r.detail));
                flow('s', "create", flow_of(r, true), us);
                break;
            case trace_event::started:
                open(r, r.detail != 0, r.detail != 0 ? "starts in place" : "starts", us);
                flow('f', "create", flow_of(r, true), us);
                break;
            case trace_event::resumed:
                open(r, false, "resumes", us);
                flow('f', "wake", flow_of(r, false), us);
                break;
            case trace_event::returned_into:
                if (!is_open(life_of(r))) {
                    open(r, false, "child returned", us);
                }
                break;
            case trace_event::woken:
                instant("wake", r, us);
                flow('s', "wake", flow_of(r, false), us);
                break;
            case trace_event::suspends: suspend(r, us); break;
            default: end(r, "end", name_of_start(r.number), us); break;
        }
    }
    // Returns the id of an arrow. Viewers tell arrows apart by their names, too.
    std::uint64_t flow_of(const trace_record& r, bool to_start) const {
        return number_of(life_of(r)) * 2 + (to_start ? 0 : 1);
    }

    void write_stream_event(const trace_record& r, double us) {
        switch (r.what) {
            case trace_event::idle_begins:
                leave_all(us);
                begin_event('B', "idle", "stream", us);
                std::fputs("}", file_);
                open_.push_back({{nullptr, 0}, false});
                break;
            case trace_event::idle_ends:
                if (is_open({nullptr, 0})) {
                    close_above({nullptr, 0}, us);
                    begin_event('E', "", "stream", us);
                    std::fputs("}", file_);
                    open_.pop_back();
                }
                break;
            case trace_event::stole:
                begin_event('i', "steal", "stream", us);
                std::fprintf(file_, ",\"s\":\"t\",\"args\":{\"units\":%u}}",
                             static_cast<unsigned>(r.number));
                break;
            default:
                begin_event('i',
                            r.what == trace_event::stream_begins ? "stream begins" : "stream ends",
                            "stream", us);
                std::fputs(",\"s\":\"t\"}", file_);
                break;
        }
    }

    void write_event(const trace_record& r, double us) {
        if (r.what == trace_event::awaits) {
            await(r);
        } else if (r.unit == nullptr) {
            write_stream_event(r, us);
        } else {
            write_unit_event(r, us);
            awaited_.clear();  // the unit that waits has not suspended
        }
    }

    void write_track(const track& t) {
        track_ = t.number;
        std::fprintf(file_,
                     ",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":%d,\"args\":{"
                     "\"name\":\"%s\"}}",
                     process_, track_, t.name.text);
        double last = 0;
        for (std::uint32_t i = 0, n = t.buffer->count(); i < n; ++i) {
            const trace_record& r = (*t.buffer)[i];
            last = std::max(last, scale_(r.ticks));
            write_event(r, last);
        }
        awaited_.clear();
        while (!open_.empty()) {  // units that still run, and an idle time that lasts
            close("end of trace", nullptr, last);
        }
    }

    void write_metadata() {
        std::uint64_t dropped = 0;
        for (const track& t : tracks_) {
            dropped += t.buffer->dropped();
        }
        std::fprintf(file_,
                     "\"otherData\": {\"traced\": %zu, \"dropped_events\": %" PRIu64
                     ", \"events_kept_of_each_thread\": %u, \"trace_every\": %u,\n \"threads\": [",
                     numbers_.size(), dropped, base::current_settings().trace_events,
                     base::current_settings().trace_every);
        for (const track& t : tracks_) {
            std::fprintf(file_,
                         "%s\n  {\"tid\": %d, \"name\": \"%s\", \"units_started\": %" PRIu64
                         ", \"dropped_events\": %" PRIu64 ", \"one_unit_in\": %u}",
                         &t == tracks_.data() ? "" : ",", t.number, t.name.text, t.started,
                         t.buffer->dropped(), t.every);
        }
        std::fputs("]}", file_);
    }

    std::FILE* file_;
    int process_;
    int track_ = 0;
    timescale scale_;
    symbols symbols_;
    std::vector<track> tracks_;
    std::vector<slice> open_;
    std::string awaited_;  // what the track's next suspension is for
    std::unordered_map<life, std::size_t, life_hash> numbers_;
};

}  // namespace

void set_traced_wait_describer(traced_wait_describer tell) noexcept {
    trace_teller.store(
        tell, std::memory_order_release);  // pairs with: words_of_traced(), load of trace_teller
}

bool write_trace(std::FILE* file) noexcept {
    return base::has_memory_for([file] { writer(file).write(); });
}

}  // namespace lazult::watch
