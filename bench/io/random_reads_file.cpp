// SPDX-License-Identifier: BSD-3-Clause
#include "bench/io/random_reads.hpp"
#include "bench/io/system.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lazult::bench {
namespace {

constexpr std::uint64_t part_blocks = 256;

std::uint64_t word(std::uint64_t number, std::size_t at) { return mixed(number * 512 + at); }

// An old file will do if it is long enough, holds our blocks, and has no holes.
bool is_there(const char* name, std::uint64_t blocks) {
    struct stat found{};
    const int file = open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    must(fstat(file, &found), "fstat");
    const auto bytes = static_cast<off_t>(blocks * block_bytes);
    block last{};
    const bool good =
        found.st_size >= bytes && found.st_blocks * 512 >= bytes &&
        pread(file, last.data(), block_bytes, bytes - off_t{block_bytes}) == ssize_t{block_bytes} &&
        is_block(last, blocks - 1);
    close(file);
    return good;
}

void write_part(int file, const std::vector<block>& part) {
    const auto* data = reinterpret_cast<const char*>(part.data());
    for (std::size_t rest = part.size() * block_bytes; rest > 0;) {
        const auto written = static_cast<std::size_t>(
            must(static_cast<int>(write(file, data, rest)), "writing the file of random_reads"));
        data += written;
        rest -= written;
    }
}

void create(const char* name, std::uint64_t blocks) {
    const int file = must(open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), name);
    std::vector<block> part;
    for (std::uint64_t first = 0; first < blocks; first += part.size()) {
        part.resize(std::min(part_blocks, blocks - first));
        for (std::size_t i = 0; i < part.size(); ++i) {
            fill(part[i], first + i);
        }
        write_part(file, part);
    }
    must(fsync(file), "fsync");
    close(file);
}

void read_once(const block_file& all) {
    std::vector<block> part(part_blocks);
    off_t at = 0;
    const auto end = static_cast<off_t>(all.blocks * block_bytes);
    while (at < end) {
        const ssize_t got = pread(all.descriptor, part.data(), part.size() * block_bytes, at);
        at += must(static_cast<int>(got), "pread");
    }
}

}  // namespace

void fill(block& into, std::uint64_t number) {
    into[0] = number;
    for (std::size_t i = 1; i < into.size(); ++i) {
        into[i] = word(number, i);
    }
}

bool is_block(const block& what, std::uint64_t number) {
    const std::size_t middle = what.size() / 2;
    return what[0] == number && what[middle] == word(number, middle) &&
           what.back() == word(number, what.size() - 1);
}

block_file open_blocks(const std::string& name, double gib, bool direct) {
    const auto blocks = static_cast<std::uint64_t>(gib * (1 << 30) / block_bytes);
    if (!is_there(name.c_str(), blocks)) {
        create(name.c_str(), blocks);
    }
    const int flags = O_RDONLY | O_CLOEXEC | (direct ? O_DIRECT : 0);
    const block_file opened{must(open(name.c_str(), flags), name.c_str()), blocks};
    if (!direct) {
        read_once(opened);
    }
    return opened;
}

}  // namespace lazult::bench
