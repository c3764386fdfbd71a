// SPDX-License-Identifier: BSD-3-Clause
#include "apps/flights/flights.hpp"

#include <zlib.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <system_error>
#include <type_traits>

namespace flights {
namespace {

struct close_file {
    void operator()(gzFile file) const { gzclose(file); }
};

// zlib reads plain files too, so one path serves both.
class line_reader {
public:
    explicit line_reader(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
        if (file_ == nullptr) {
            throw read_error(path + ": cannot be opened: " + std::strerror(errno));
        }
    }

    bool next(std::string& line) {
        line.clear();
        std::array<char, 256> piece;
        while (gzgets(file_.get(), piece.data(), static_cast<int>(piece.size())) != nullptr) {
            line += piece.data();
            if (line.ends_with('\n')) {
                line.pop_back();
                ++number_;
                return true;
            }
        }
        check();
        if (line.empty()) return false;
        ++number_;
        return true;
    }

    [[noreturn]] void fail(const std::string& problem) const {
        throw read_error(path_ + ":" + std::to_string(number_) + ": " + problem);
    }

private:
    // gzgets gives nullptr both at the end and at an error, such as a file cut short.
    void check() const {
        int code = Z_OK;
        const char* message = gzerror(file_.get(), &code);
        if (code == Z_ERRNO) {
            throw read_error(path_ + ": cannot be read: " + std::strerror(errno));
        }
        if (code != Z_OK && code != Z_STREAM_END) {
            // zlib puts the path first
            throw read_error(std::string(message) + ": the file is damaged");
        }
    }

    std::string path_;
    std::unique_ptr<std::remove_pointer_t<gzFile>, close_file> file_;
    std::size_t number_ = 0;
};

std::string header() {
    std::string line;
    for (const std::string_view name : columns) {
        line += (line.empty() ? "" : ",");
        line += name;
    }
    return line;
}

void check_header(line_reader& lines) {
    std::string line;
    if (!lines.next(line)) {
        lines.fail("the file is empty");
    }
    if (line != header()) {
        lines.fail("the header is '" + line + "', expected '" + header() + "'");
    }
}

std::int32_t parse_field(std::string_view field, std::string_view column,
                         const line_reader& lines) {
    std::int32_t value = 0;
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error == std::errc::result_out_of_range) {
        lines.fail(std::string(column) + " is '" + std::string(field) + "', which is out of range");
    }
    if (error != std::errc() || stop != end) {
        lines.fail(std::string(column) + " is '" + std::string(field) +
                   "', which is not a whole number");
    }
    return value;
}

void parse_row(std::string_view line, const line_reader& lines, std::vector<std::int32_t>& values) {
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const bool last = column + 1 == columns.size();
        const std::size_t comma = line.find(',');
        if ((comma == std::string_view::npos) != last) {
            lines.fail(last ? "more than " + std::to_string(columns.size()) + " fields"
                            : "only " + std::to_string(column + 1) + " of " +
                                  std::to_string(columns.size()) + " fields");
        }
        values.push_back(parse_field(line.substr(0, comma), columns[column], lines));
        line.remove_prefix(last ? line.size() : comma + 1);
    }
}

struct moments {
    double mean;
    double deviation;
};

moments measure(const table& flights, std::size_t column) {
    const auto count = static_cast<double>(flights.rows());
    double sum = 0;
    for (std::size_t row = 0; row < flights.rows(); ++row) {
        sum += flights.values[row * columns.size() + column];
    }
    const double mean = sum / count;
    double squares = 0;
    for (std::size_t row = 0; row < flights.rows(); ++row) {
        const double difference = flights.values[row * columns.size() + column] - mean;
        squares += difference * difference;
    }
    return {mean, std::sqrt(squares / count)};
}

}  // namespace

table read(const std::string& path) {
    line_reader lines(path);
    check_header(lines);
    table flights;
    std::string line;
    while (lines.next(line)) {
        parse_row(line, lines, flights.values);
    }
    if (flights.values.empty()) {
        lines.fail("no flight follows the header");
    }
    return flights;
}

std::vector<double> standardise(const table& flights) {
    std::vector<double> features(flights.values.size());
    for (std::size_t column = 0; column < columns.size(); ++column) {
        const moments of = measure(flights, column);
        for (std::size_t at = column; at < features.size(); at += columns.size()) {
            features[at] = of.deviation > 0 ? (flights.values[at] - of.mean) / of.deviation : 0;
        }
    }
    return features;
}

}  // namespace flights
