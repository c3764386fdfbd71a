// SPDX-License-Identifier: BSD-3-Clause
#include "tests/fuzz/program.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace lazult::fuzz {
namespace {

constexpr int deepest = 5;
constexpr std::size_t most_units = 150;
constexpr unsigned run_to_completion = 5;  // in the order of technique_kind

class reader {
public:
    explicit reader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
    // 0 behind the end.
    std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : std::uint8_t{0}; }
    unsigned below(unsigned bound) { return next() % bound; }
    bool is_at_end() const { return at_ >= bytes_.size(); }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

class decoder {
public:
    decoder(reader& in, program& out) : in_(in), out_(out) {}

    // Its number.
    int unit(int depth, body_kind kind, bool may_be_tasklet, bool is_detached = false) {
        const int number = static_cast<int>(out_.units.size());
        unit_plan fresh{};
        fresh.technique = static_cast<std::uint8_t>(in_.below(7));
        if (fresh.technique == run_to_completion && !may_be_tasklet) {
            fresh.technique = 6;
        }
        fresh.place = in_.next();
        fresh.stack = static_cast<std::uint8_t>(in_.below(8));
        fresh.kind = kind;
        fresh.is_detached = is_detached;
        const bool is_tasklet = fresh.technique == run_to_completion;
        out_.units.push_back(fresh);
        std::vector<step> steps;
        if (kind != body_kind::endless) {
            steps = is_tasklet ? tasklets_steps() : ults_steps(depth);
        }
        out_.units[static_cast<std::size_t>(number)].steps = std::move(steps);
        return number;
    }

private:
    struct child {
        int unit;
        bool is_parked;
        bool is_endless;
    };

    std::vector<step> tasklets_steps() {
        std::vector<step> steps(in_.below(3), step{action::add, 0});
        for (step& each : steps) {
            each.value = in_.next();
        }
        return steps;
    }

    std::vector<step> ults_steps(int depth) {
        std::vector<step> steps;
        std::vector<child> children;
        const unsigned count = in_.below(depth == 0 ? 5 : 11);
        for (unsigned i = 0; i < count && !in_.is_at_end(); ++i) {
            const auto what = static_cast<action>(in_.below(action_count));
            const std::uint8_t value = in_.next();
            if (what == action::exit || what == action::cancel_self) {
                if (value % 4 == 0) {
                    set_free(children, steps);
                    steps.push_back({what, value});
                    return steps;
                }
                continue;
            }
            take(what, value, depth, children, steps);
        }
        set_free(children, steps);
        return steps;
    }

    // Before a unit waits for a child, or ends: the child must be able to end.
    static void set_free(child& c, std::vector<step>& steps) {
        if (c.is_parked) {
            steps.push_back({action::unpark, 0, c.unit});
            c.is_parked = false;
        }
        if (c.is_endless) {
            steps.push_back({action::cancel_child, 0, c.unit});
            c.is_endless = false;
        }
    }
    static void set_free(std::vector<child>& children, std::vector<step>& steps) {
        for (child& each : children) {
            set_free(each, steps);
        }
    }

    void take(action what, std::uint8_t value, int depth, std::vector<child>& children,
              std::vector<step>& steps) {
        switch (what) {
            case action::create:
            case action::create_child_first:
                add_child(what, value, depth, body_kind::plain, children, steps);
                break;
            case action::create_parked:
                add_child(what, value, depth, body_kind::parks_first, children, steps);
                break;
            case action::create_endless:
                add_child(what, value, depth, body_kind::endless, children, steps);
                break;
            case action::create_detached:
                if (may_create(depth)) {
                    steps.push_back({what, value, unit(depth - 1, body_kind::plain, true, true)});
                }
                break;
            case action::join_all:
                set_free(children, steps);
                steps.push_back({what, value});
                children.clear();
                break;
            case action::join:
            case action::watch:
            case action::unpark:
            case action::revive:
            case action::migrate_child:
            case action::cancel_child: take_with_child(what, value, depth, children, steps); break;
            default: steps.push_back({what, value}); break;
        }
    }

    bool may_create(int depth) const { return depth > 0 && out_.units.size() < most_units; }

    void add_child(action what, std::uint8_t value, int depth, body_kind kind,
                   std::vector<child>& children, std::vector<step>& steps) {
        if (!may_create(depth)) {
            return;
        }
        const int number = unit(depth - 1, kind, kind == body_kind::plain);
        plan(number).is_certain = kind != body_kind::endless;
        steps.push_back({what, value, number});
        children.push_back({number, kind == body_kind::parks_first, kind == body_kind::endless});
    }

    void take_with_child(action what, std::uint8_t value, int depth, std::vector<child>& children,
                         std::vector<step>& steps) {
        if (children.empty()) {
            return;
        }
        const std::size_t which = value % children.size();
        child& c = children[which];
        switch (what) {
            case action::unpark: c.is_parked = false; break;
            case action::cancel_child:
                c.is_endless = false;
                plan(c.unit).is_certain = false;
                break;
            case action::migrate_child: break;
            default: set_free(c, steps); break;
        }
        if (what == action::revive) {
            revive(value, depth, c, steps);
            return;
        }
        steps.push_back({what, value, c.unit});
        if (what == action::join) {
            children.erase(children.begin() + static_cast<std::ptrdiff_t>(which));
        }
    }

    void revive(std::uint8_t value, int depth, child& c, std::vector<step>& steps) {
        const std::uint8_t technique = plan(c.unit).technique;
        if (!may_create(depth) || technique == run_to_completion) {
            return;
        }
        const int second = unit(depth - 1, body_kind::plain, false);
        plan(second).technique = technique;
        steps.push_back({action::revive, value, second, c.unit});
        c = {second, false, false};
    }

    unit_plan& plan(int number) { return out_.units[static_cast<std::size_t>(number)]; }

    reader& in_;
    program& out_;
};

// A unit may never be created if its creator may be cancelled.
void spread_doubt(program& p) {
    for (unit_plan& each : p.units) {  // children stand behind their parents
        if (each.is_certain) {
            continue;
        }
        for (const step& s : each.steps) {
            if (s.unit != nobody) {
                p.units[static_cast<std::size_t>(s.unit)].is_certain = false;
            }
        }
    }
}

constexpr std::array<std::string_view, action_count> names{"add",
                                                           "yield",
                                                           "suspend",
                                                           "create",
                                                           "create_child_first",
                                                           "create_detached",
                                                           "create_parked",
                                                           "create_endless",
                                                           "join",
                                                           "join_all",
                                                           "unpark",
                                                           "revive",
                                                           "migrate_self",
                                                           "migrate_child",
                                                           "cancel_child",
                                                           "watch",
                                                           "park",
                                                           "lock",
                                                           "throw_across",
                                                           "keep_errno",
                                                           "keep_rounding",
                                                           "local",
                                                           "cancel_self",
                                                           "exit"};

}  // namespace

program decode(std::span<const std::uint8_t> bytes) {
    reader in(bytes);
    program p{};
    p.streams = 1 + in.below(4);
    p.scheduler = static_cast<std::uint8_t>(in.below(4));
    const std::uint8_t way = in.next();
    p.spins = (way & 1) != 0;
    p.event_period = 1 + (way >> 1) % 64;
    p.visits = in.below(3);
    decoder whole(in, p);
    const unsigned roots = 1 + in.below(4);
    for (unsigned i = 0; i < roots; ++i) {
        const auto by = static_cast<planted_by>(in.below(3));
        p.roots.push_back({whole.unit(deepest, body_kind::plain, true), by});
    }
    spread_doubt(p);
    return p;
}

expectation reference(const program& p) {
    expectation e;
    for (const unit_plan& each : p.units) {
        for (const step& s : each.steps) {
            const bool counts =
                s.what == action::add || s.what == action::throw_across || s.what == action::lock;
            if (each.is_certain && counts) {
                e.sums[s.value % tallies] += s.value;
            }
        }
    }
    return e;
}

std::string describe(const program& p) {
    std::string text = std::to_string(p.streams) + " streams, scheduler " +
                       std::to_string(p.scheduler) + (p.spins ? ", spins" : "") +
                       ", event period " + std::to_string(p.event_period) + ", " +
                       std::to_string(p.visits) + " visits\n";
    for (const root& r : p.roots) {
        text += "root " + std::to_string(r.unit) + " by " + std::to_string(static_cast<int>(r.by)) +
                "\n";
    }
    for (std::size_t i = 0; i < p.units.size(); ++i) {
        const unit_plan& u = p.units[i];
        text += std::to_string(i) + (u.is_certain ? "" : "?") + ": technique " +
                std::to_string(u.technique) + ", place " + std::to_string(u.place) + ", stack " +
                std::to_string(u.stack) + ", kind " + std::to_string(static_cast<int>(u.kind)) +
                ":";
        for (const step& s : u.steps) {
            text += " " + std::string(names[static_cast<std::size_t>(s.what)]) + "(" +
                    (s.unit == nobody ? std::to_string(s.value) : "#" + std::to_string(s.unit)) +
                    ")";
        }
        text += "\n";
    }
    return text;
}

}  // namespace lazult::fuzz
