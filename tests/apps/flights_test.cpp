// SPDX-License-Identifier: BSD-3-Clause
#include "apps/flights/flights.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace {

const std::string header = "month,day,hour,minute,dep_delay,arr_delay,air_time,distance\n";

class flights_file : public testing::Test {
protected:
    std::string write(const std::string& content) {
        std::ofstream(path_, std::ios::binary) << content;
        return path_;
    }

    std::string error_of(const std::string& content) {
        try {
            flights::read(write(content));
        } catch (const flights::read_error& error) {
            return error.what();
        }
        return "no error";
    }

    void TearDown() override { std::filesystem::remove(path_); }

    const std::string path_ = testing::TempDir() + "flights_" +
                              testing::UnitTest::GetInstance()->current_test_info()->name() +
                              ".csv";
};

TEST_F(flights_file, plain_rows_are_read) {
    const flights::table table =
        flights::read(write(header + "1,2,3,4,-5,6,7,8\n12,31,23,59,1301,-86,20,4983\n"));
    EXPECT_EQ(table.rows(), 2U);
    EXPECT_EQ(table.values, (std::vector<std::int32_t>{1, 2, 3, 4, -5, 6, 7, 8, 12, 31, 23, 59,
                                                       1301, -86, 20, 4983}));
}

TEST_F(flights_file, last_line_may_lack_its_end) {
    EXPECT_EQ(flights::read(write(header + "1,2,3,4,5,6,7,8")).rows(), 1U);
}

TEST_F(flights_file, missing_file_is_named) {
    try {
        flights::read("no-such-file.csv.gz");
        FAIL();
    } catch (const flights::read_error& error) {
        EXPECT_STREQ(error.what(),
                     "no-such-file.csv.gz: cannot be opened: No such file or directory");
    }
}

TEST_F(flights_file, errors_name_line_and_column) {
    EXPECT_EQ(error_of(header + "1,2,3,4,5,6,7,8\n1,2,3,4,NA,6,7,8\n"),
              path_ + ":3: dep_delay is 'NA', which is not a whole number");
    EXPECT_EQ(error_of(header + "1,2,3,4,5,6,7.5,8\n"),
              path_ + ":2: air_time is '7.5', which is not a whole number");
    EXPECT_EQ(error_of(header + "1,2,3,4,5,6,7,\n"),
              path_ + ":2: distance is '', which is not a whole number");
    EXPECT_EQ(error_of(header + "1,2,3,4,5,6,7,99999999999\n"),
              path_ + ":2: distance is '99999999999', which is out of range");
}

TEST_F(flights_file, wrong_number_of_fields) {
    EXPECT_EQ(error_of(header + "1,2,3\n"), path_ + ":2: only 3 of 8 fields");
    EXPECT_EQ(error_of(header + "1,2,3,4,5,6,7,8,9\n"), path_ + ":2: more than 8 fields");
    EXPECT_EQ(error_of(header + "\n"), path_ + ":2: only 1 of 8 fields");
}

TEST_F(flights_file, empty_files_and_foreign_headers) {
    EXPECT_EQ(error_of(""), path_ + ":0: the file is empty");
    EXPECT_EQ(error_of(header), path_ + ":1: no flight follows the header");
    EXPECT_NE(error_of("a,b\n1,2\n").find(":1: the header is 'a,b', expected 'month,"),
              std::string::npos);
}

TEST_F(flights_file, zero_byte_is_refused) {
    EXPECT_NE(error_of(header + std::string("1,2\0,3,4,5,6,7,8\n", 17)), "no error");
    EXPECT_NE(error_of(header + std::string("\0\n", 2)), "no error");
}

TEST_F(flights_file, cut_archive_is_damaged) {
    std::ifstream sample(FLIGHTS_SAMPLE, std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(sample), {});
    ASSERT_GT(bytes.size(), 1000U);
    bytes.resize(bytes.size() / 2);
    EXPECT_NE(error_of(bytes).find("the file is damaged"), std::string::npos);
}

TEST(flights_sample, is_what_its_readme_says) {
    const flights::table table = flights::read(FLIGHTS_SAMPLE);
    ASSERT_EQ(table.rows(), 65470U);
    const std::vector<std::int32_t> first(table.values.begin(), table.values.begin() + 8);
    EXPECT_EQ(first, (std::vector<std::int32_t>{1, 1, 5, 15, 2, 11, 227, 1400}));
}

TEST(standardise, mean_zero_deviation_one) {
    const flights::table table = flights::read(FLIGHTS_SAMPLE);
    const std::vector<double> features = flights::standardise(table);
    const std::size_t width = flights::columns.size();
    for (std::size_t column = 0; column < width; ++column) {
        double sum = 0;
        double squares = 0;
        for (std::size_t at = column; at < features.size(); at += width) {
            sum += features[at];
            squares += features[at] * features[at];
        }
        EXPECT_NEAR(sum / static_cast<double>(table.rows()), 0, 1e-9);
        EXPECT_NEAR(squares / static_cast<double>(table.rows()), 1, 1e-9);
    }
}

TEST(standardise, constant_column_becomes_zero) {
    const flights::table table{{1, 2, 3, 4, 5, 6, 7, 8, 3, 2, 3, 4, 5, 6, 7, 8}};
    EXPECT_EQ(flights::standardise(table),
              (std::vector<double>{-1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
}

}  // namespace
