// SPDX-License-Identifier: BSD-3-Clause
// The tree of choices that an exhaustive search walks depth first: one path per execution.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace lazult::model {

class choices {
public:
    // Starts with the choices of a printed path; whatever follows takes the first branch.
    explicit choices(std::string_view path);

    // One of 0 .. count-1: as on the path so far, else the first. A count that differs from the
    // last time on the same path says that the body is not deterministic: `diverged` is set.
    std::size_t choose(std::size_t count);

    // Steps to the next path; false when there is none.
    bool next();
    void rewind() {
        position_ = 0;
        is_closed_ = false;
    }
    // The path so far has been repeated: the next choice is new.
    bool at_end() const { return position_ == branches_.size() && !is_closed_; }
    // Until the path is rewound, all choices are the first, and have no others.
    void close() { is_closed_ = true; }
    bool diverged() const { return diverged_; }
    std::string path() const;

private:
    struct branch {
        unsigned chosen;
        unsigned count;  // 0: not known yet, the path was read from text
    };

    std::vector<branch> branches_;
    std::size_t position_ = 0;
    bool diverged_ = false;
    bool is_closed_ = false;
};

}  // namespace lazult::model
