// SPDX-License-Identifier: BSD-3-Clause
// Flight records: whole numbers in a CSV file, plain or compressed by gzip.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace flights {

inline constexpr std::array<std::string_view, 8> columns{
    "month", "day", "hour", "minute", "dep_delay", "arr_delay", "air_time", "distance"};

struct table {
    std::vector<std::int32_t> values;  // row after row, columns.size() to each

    std::size_t rows() const { return values.size() / columns.size(); }
};

// what() names the file, the line where there is one, and what is wrong there.
class read_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

table read(const std::string& path);

// Each column shifted to mean 0 and scaled to standard deviation 1; a constant column becomes 0.
std::vector<double> standardise(const table& flights);

}  // namespace flights
