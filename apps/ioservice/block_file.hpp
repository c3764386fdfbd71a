// SPDX-License-Identifier: BSD-3-Clause
// A file of blocks. Its functions throw std::runtime_error with the name of the file.
#pragma once

#include <cstdint>
#include <string>

#include "apps/ioservice/block.hpp"
#include "apps/ioservice/file_calls.hpp"

namespace ioservice {

using place = std::uint64_t;  // the number of a block in its file

class block_file {
public:
    // Makes the file where there is none.
    block_file(std::string path, bool direct, const file_calls& by);
    ~block_file();
    block_file(const block_file&) = delete;
    block_file& operator=(const block_file&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t bytes() const;
    // False: the file ends before the block does. Zeros stand for what it lacks.
    bool read(place where, block& into) const;
    void write(place where, const block& from);
    void erase(place where);
    void sync();
    // "PATH: block N ..."
    std::string words_about(place where, const std::string& words) const;

private:
    void write_bytes(place where, const void* from, std::size_t bytes);

    std::string path_;
    const file_calls& by_;
    int descriptor_;
};

}  // namespace ioservice
