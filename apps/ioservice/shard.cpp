// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/shard.hpp"

#include <fmt/core.h>

#include <exception>
#include <mutex>
#include <stdexcept>

namespace ioservice {
namespace {

void check(const block_file& file, place where, const block& got, const block_header& expected) {
    const block_header& head = got.header;
    if (!got.is_whole()) {
        throw std::runtime_error(file.words_about(
            where, fmt::format("is damaged: its checksum is {:016x}, and {:016x} was written",
                               got.right_sum(), head.sum)));
    }
    if (head.key != expected.key || head.version != expected.version ||
        head.part != expected.part) {
        throw std::runtime_error(file.words_about(
            where, fmt::format("has part {} of key {}, version {}, and not part {} of key {}, "
                               "version {}",
                               head.part, head.key, head.version, expected.part, expected.key,
                               expected.version)));
    }
}

void check_closed(const block_file& file, const closed_file& closed, const closed_file& now) {
    if (now.bytes != closed.bytes) {
        throw std::runtime_error(fmt::format("{}: has {} bytes, but had {} when it was closed",
                                             file.path(), now.bytes, closed.bytes));
    }
    if (now.values != closed.values) {
        throw std::runtime_error(fmt::format("{}: has {} values, but had {} when it was closed",
                                             file.path(), now.values, closed.values));
    }
}

contents recovered(block_file& file, const std::optional<closed_file>& closed) {
    if (closed) {
        check_closed(file, *closed, {file.bytes(), closed->values});
    }
    contents found = recover(file, closed.has_value());
    if (closed) {
        check_closed(file, *closed, {closed->bytes, found.index.size()});
    }
    return found;
}

block_header header_of(key_type key, const stored_value& of, std::uint64_t part) {
    return {block_magic, 0, key, of.version, of.bytes, part, of.places.size(), 0};
}

}  // namespace

shard::shard(const std::string& path, const store_settings& with,
             const std::optional<closed_file>& closed)
    : file_(path, with.direct, *with.by), syncs_(with.sync), found_(recovered(file_, closed)) {}

std::optional<value> shard::get(key_type key) {
    const std::optional<stored_value> found = find(key);
    if (!found) {
        return std::nullopt;
    }
    value got(found->bytes);
    for (std::size_t part = 0; part < found->places.size(); ++part) {
        if (!file_.read(found->places[part], got.part(part))) {
            throw std::runtime_error(
                file_.words_about(found->places[part], "is cut off: the file ends in it"));
        }
        check(file_, found->places[part], got.part(part), header_of(key, *found, part));
    }
    return got;
}

void shard::put(key_type key, value& what) {
    const std::optional<stored_value> old = find(key);
    const stored_value fresh = allocate(what.bytes(), what.parts());
    write_or_release(key, fresh, what);
    {
        const std::lock_guard<mutex> held(lock_);
        found_.index[key] = fresh;
    }
    if (old) {
        release(*old);
    }
}

// The erasures of older values reach the device before that of the newest one, else a crash between
// them would bring an older value back.
bool shard::erase(key_type key) {
    const std::optional<stored_value> old = find(key);
    if (!old) {
        return false;
    }
    sync();
    {
        const std::lock_guard<mutex> held(lock_);
        found_.index.erase(key);
    }
    release(*old);
    sync();
    return true;
}

std::vector<key_type> shard::keys() {
    const std::lock_guard<mutex> held(lock_);
    std::vector<key_type> all;
    for (const auto& [key, unused] : found_.index) {
        all.push_back(key);
    }
    return all;
}

std::optional<closed_file> shard::close() {
    file_.sync();
    const std::lock_guard<mutex> held(lock_);
    return remains_ != 0 ? std::nullopt
                         : std::optional(closed_file{file_.bytes(), found_.index.size()});
}

std::optional<stored_value> shard::find(key_type key) {
    const std::lock_guard<mutex> held(lock_);
    const auto found = found_.index.find(key);
    return found == found_.index.end() ? std::nullopt : std::optional(found->second);
}

stored_value shard::allocate(std::uint64_t bytes, std::size_t parts) {
    const std::lock_guard<mutex> held(lock_);
    stored_value made{++found_.last_version, bytes, {}};
    while (made.places.size() < parts) {
        if (found_.free.empty()) {
            made.places.push_back(found_.end++);
        } else {
            made.places.push_back(found_.free.back());
            found_.free.pop_back();
        }
    }
    return made;
}

// A unit must not suspend in a handler: it might leave that on another OS thread.
void shard::write_or_release(key_type key, const stored_value& to, value& what) {
    std::exception_ptr error;
    try {
        write(key, to, what);
        sync();
    } catch (...) {
        error = std::current_exception();
    }
    if (error) {
        release(to);
        std::rethrow_exception(error);
    }
}

void shard::write(key_type key, const stored_value& to, value& what) {
    for (std::size_t part = 0; part < to.places.size(); ++part) {
        block& next = what.part(part);
        next.header = header_of(key, to, part);
        next.header.sum = next.right_sum();
        file_.write(to.places[part], next);
    }
}

// What cannot be erased is not used again, and looks as after a crash.
void shard::release(const stored_value& old) {
    {
        const std::lock_guard<mutex> held(lock_);
        ++remains_;
    }
    for (const place where : old.places) {
        file_.erase(where);
    }
    const std::lock_guard<mutex> held(lock_);
    --remains_;
    found_.free.insert(found_.free.end(), old.places.begin(), old.places.end());
}

void shard::sync() {
    if (syncs_) {
        file_.sync();
    }
}

}  // namespace ioservice
