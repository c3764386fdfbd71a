// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/recovery.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>

namespace ioservice {
namespace {

constexpr place nowhere = std::numeric_limits<place>::max();

using versions = std::map<std::uint64_t, stored_value, std::greater<>>;  // the newest first

bool is_complete(const stored_value& found) {
    return std::ranges::find(found.places, nowhere) == found.places.end();
}

class recovery {
public:
    recovery(block_file& file, bool was_closed) : file_(file), was_closed_(was_closed) {}

    contents run() {
        found_.end = (file_.bytes() + sizeof(block) - 1) / sizeof(block);
        for (place where = 0; where < found_.end; ++where) {
            look_at(where);
        }
        for (auto& [key, all] : values_) {
            choose(key, all);
        }
        if (found_.dropped != 0) {
            file_.sync();
        }
        return std::move(found_);
    }

private:
    void look_at(place where) {
        const bool is_all_there = file_.read(where, *buffer_);
        const block_header& head = buffer_->header;
        if (head.magic == 0) {
            found_.free.push_back(where);
        } else if (!is_all_there) {
            drop(where, "is cut off");
        } else if (!buffer_->is_whole() || head.part >= head.parts) {
            drop(where, fmt::format("is damaged: its checksum is {:016x}, and {:016x} was written",
                                    buffer_->right_sum(), head.sum));
        } else {
            keep(where, head);
        }
    }

    void keep(place where, const block_header& head) {
        stored_value& into = values_[head.key][head.version];
        into.version = head.version;
        into.bytes = head.value_bytes;
        into.places.resize(head.parts, nowhere);
        into.places[head.part] = where;
        found_.last_version = std::max(found_.last_version, head.version);
    }

    void choose(key_type key, versions& all) {
        for (auto& [version, one] : all) {
            if (is_complete(one) && found_.index.try_emplace(key, one).second) {
                continue;
            }
            for (const place where : one.places) {
                if (where != nowhere) {
                    drop(where, fmt::format("is of a value of key {} that is not whole", key));
                }
            }
        }
    }

    void drop(place where, const std::string& words) {
        if (was_closed_) {
            throw std::runtime_error(file_.words_about(where, words));
        }
        file_.erase(where);
        found_.free.push_back(where);
        ++found_.dropped;
    }

    block_file& file_;
    const bool was_closed_;
    const std::unique_ptr<block> buffer_ = std::make_unique<block>();
    std::unordered_map<key_type, versions> values_;
    contents found_;
};

}  // namespace

contents recover(block_file& file, bool was_closed) { return recovery(file, was_closed).run(); }

}  // namespace ioservice
