// SPDX-License-Identifier: BSD-3-Clause
#include "apps/ioservice/service.hpp"

#include <chrono>
#include <thread>

#include "apps/ioservice/clients.hpp"
#include "apps/ioservice/experiment.hpp"
#include "apps/ioservice/report.hpp"
#include "tests/apps/ioservice/support.hpp"

#include <nlohmann/json.hpp>

namespace ioservice {
namespace {

using ioservice_service = ioservice_base;

load_settings small_load() {
    load_settings load;
    load.clients = 4;
    load.keys = 20;
    load.most_blocks = 3;
    load.put_percent = 30;
    load.erase_percent = 10;
    return load;
}

load_result run_clients(store& of, bool os_threads, expected_stamps& expected,
                        const load_settings& load = small_load()) {
    const streams own(1);
    service tested(of);
    if (os_threads) {
        tested.start_os_threads(3);
    } else {
        tested.start_ults(own.pool(), 3);
    }
    clients all(tested, load, expected, 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    return all.stop();
}

TEST_F(ioservice_service, clients_find_what_they_put) {
    for (const bool os_threads : {false, true}) {
        for (const file_calls* by : {&plain_calls(), &suspending_calls()}) {
            store tested(path("s"), {false, false, by});
            expected_stamps expected = prepare(tested, small_load());
            const load_result found = run_clients(tested, os_threads, expected);
            EXPECT_EQ(found.error, "");
            EXPECT_EQ(found.wrong, 0U);
            EXPECT_GT(found.requests, found.get_us.size());
            EXPECT_GT(found.get_us.size(), 0U);
            for (key_type key = 0; key < expected.size(); ++key) {
                EXPECT_EQ(stamp_in(tested, key), expected[key]);
            }
            tested.close();
        }
    }
}

TEST_F(ioservice_service, clients_see_wrong_values) {
    store tested(path("s"), {});
    expected_stamps expected = prepare(tested, small_load());
    for (std::uint64_t& each : expected) {
        each += 1;
    }
    EXPECT_GT(run_clients(tested, false, expected).wrong, 0U);
}

TEST_F(ioservice_service, errors_reach_the_client) {
    store tested(path("s"), {});
    expected_stamps expected = prepare(tested, small_load());
    for (const auto& each : std::filesystem::directory_iterator(path("s"))) {
        std::filesystem::resize_file(each.path(), 0);
    }
    load_settings gets = small_load();
    gets.put_percent = gets.erase_percent = 0;
    const std::string error = run_clients(tested, false, expected, gets).error;
    EXPECT_NE(error.find("is cut off"), std::string::npos) << error;
}

TEST_F(ioservice_service, foreign_values_are_refused) {
    store tested(path("s"), {});
    value foreign(100);
    tested.put(3, foreign);
    EXPECT_EQ(message_of([&] { prepare(tested, small_load()); }),
              "the value of key 3 is none of this program's");
}

plan small_plan(const std::string& folder) {
    plan made;
    made.folder = folder;
    made.modes = all_modes();
    made.load = small_load();
    made.grid = 66;
    made.tasks = 5;
    made.steps = 200;
    made.rounds = 2;
    return made;
}

TEST_F(ioservice_service, each_mode_runs_beside_the_computation) {
    const streams computing(2);
    int runs = 0;
    const plan as = small_plan(path("s"));
    const std::vector<outcome> all =
        conduct(as, computing.pool(), [&](int, const mode&) { ++runs; });
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(runs, 18);
    for (const outcome& each : all) {
        ASSERT_EQ(each.rounds.size(), 2U) << each.of.name;
        EXPECT_EQ(each.rounds[1].step_ms.size(), 200U);
        EXPECT_EQ(each.rounds[1].load.requests == 0, each.of.name == "off") << each.of.name;
        EXPECT_NE(table(all).find("| " + each.of.name), std::string::npos);
    }
    EXPECT_EQ(to_json(as, all)["modes"].size(), 6U);
    store left(path("s"), {});
    EXPECT_TRUE(left.was_closed());
}

TEST_F(ioservice_service, damage_ends_an_experiment) {
    const streams computing(1);
    plan as = small_plan(path("s"));
    as.modes = {mode_named("shared")};
    const auto cut = [&](int round, const mode&) {
        if (round == 1) {
            std::filesystem::resize_file(path("s/blocks-0"), 10);
        }
    };
    EXPECT_NE(
        message_of([&] { conduct(as, computing.pool(), cut); }).find("blocks-0: has 10 bytes"),
        std::string::npos);
}

TEST(ioservice_plan, must_make_sense) {
    plan as;
    check(as);
    as.load.put_percent = 99;
    EXPECT_NE(message_of([&] { check(as); }).find("more than 100 percent"), std::string::npos);
    as = {};
    as.load.keys = 7;
    EXPECT_NE(message_of([&] { check(as); }).find("each client needs one"), std::string::npos);
    EXPECT_NE(message_of([] { mode_named("fast"); }).find("'fast'; there are off, threads"),
              std::string::npos);
}

TEST(ioservice_report, has_percentiles_and_spreads) {
    std::vector<double> hundred;
    for (int i = 100; i > 0; --i) {
        hundred.push_back(i);
    }
    EXPECT_EQ(percentile(hundred, 0.99), 99);
    EXPECT_EQ(percentile(hundred, 0.5), 50);
    EXPECT_EQ(percentile({3}, 0.99), 3);
    EXPECT_EQ(percentile({}, 0.99), 0);
    const spread found = spread_of({4, 1, 2, 9});
    EXPECT_EQ(found.median, 3);
    EXPECT_EQ(found.least, 1);
    EXPECT_EQ(found.most, 9);
}

}  // namespace
}  // namespace ioservice
