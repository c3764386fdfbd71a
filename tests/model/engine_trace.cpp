// SPDX-License-Identifier: BSD-3-Clause
// The printed trace of a failing execution.
#include "tests/model/engine.hpp"

#include <cstring>
#include <iomanip>
#include <sstream>

namespace lazult::model {

namespace {

const char* name_of_order(std::memory_order order) {
    switch (order) {
        case std::memory_order_relaxed: return "relaxed";
        case std::memory_order_consume: return "consume";
        case std::memory_order_acquire: return "acquire";
        case std::memory_order_release: return "release";
        case std::memory_order_acq_rel: return "acq_rel";
        case std::memory_order_seq_cst: return "seq_cst";
    }
    return "?";
}

const char* name_of_kind(operation kind) {
    switch (kind) {
        case operation::load: return "load";
        case operation::store: return "store";
        case operation::exchange: return "exchange";
        case operation::add: return "fetch_add";
        case operation::subtract: return "fetch_sub";
        case operation::bit_or: return "fetch_or";
        case operation::bit_and: return "fetch_and";
        case operation::compare_exchange: return "compare_exchange";
        case operation::light_barrier: return "light_barrier";
        case operation::heavy_barrier: return "heavy_barrier";
    }
    return "?";
}

const char* file_name(const char* path) {
    const char* const slash = std::strrchr(path, '/');
    return slash != nullptr ? slash + 1 : path;
}

}  // namespace

std::string describe(const weakening& mistake) {
    std::string text = std::string(mistake.function) + "(): " + name_of_kind(mistake.kind);
    if (mistake.kind == operation::light_barrier || mistake.kind == operation::heavy_barrier) {
        return text + " left out";
    }
    return text + " " + name_of_order(mistake.from) + " -> " + name_of_order(mistake.to);
}

std::string engine::name_of(const void* address) const {
    const auto* const place = static_cast<const char*>(address);
    std::ostringstream text;
    for (const labelled& each : labels_) {
        if (place >= each.begin && place < each.begin + each.size) {
            text << each.name;
            if (place != each.begin) {
                text << "+" << (place - each.begin);
            }
            return text.str();
        }
    }
    text << address;
    return text.str();
}

std::string engine::text_of(std::uint64_t value) const {
    if (value < 1U << 16 || value >> 32 == 0xffffffffU) {
        return std::to_string(static_cast<std::int64_t>(value));
    }
    return name_of(reinterpret_cast<const void*>(static_cast<std::uintptr_t>(value)));
}

std::string engine::text_of_read(unsigned id, stamp position) const {
    if (!tracing_) {
        return {};
    }
    const location& place = locations_[id];
    std::string text = text_of(place.at(position).value);
    if (position != place.newest()) {
        text += " (old: the newest is " + text_of(place.at(place.newest()).value) + ")";
    }
    return text;
}

void engine::record(std::string_view what, unsigned id, const std::string& detail,
                    std::memory_order order, site where) {
    if (tracing_) {
        record_line(std::string(what) + " " + name_of(locations_[id].address) + ": " + detail +
                        ", " + name_of_order(order),
                    where);
    }
}

void engine::record_line(const std::string& text, site where) {
    if (tracing_) {
        std::ostringstream line;
        line << "  " << std::left << std::setw(12) << threads_[running_].name << std::setw(34)
             << text << "   " << where.function << "() " << file_name(where.file) << ":"
             << where.line << "\n";
        trace_ += line.str();
    }
}

void engine::note(const std::string& text) {
    if (tracing_) {
        trace_ += "  " + threads_[running_].name + " says: " + text + "\n";
    }
}

}  // namespace lazult::model
