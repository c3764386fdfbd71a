// SPDX-License-Identifier: BSD-3-Clause
// Whole runs of the radiosity program: that light is right, and that all versions agree.
#include "apps/radiosity/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <set>
#include <stdexcept>
#include <string>

#include "apps/radiosity/builder.hpp"
#include "apps/radiosity/picture.hpp"
#include "apps/radiosity/report.hpp"

namespace {

using namespace radiosity;

settings coarse() {
    settings with;
    with.within = {0.2, 8000};
    with.energy = 1e-3;
    with.workers = 2;
    return with;
}

struct solved {
    explicit solved(const scene& of, const settings& with = coarse(),
                    const std::string& version = "sequential")
        : all(of), found(version_named(version).solve(all, with)), counted(count(all)) {}
    world all;
    outcome found;
    census counted;
};

// Corners of a square whose edge is 1000, anticlockwise for those that it faces.
using square = std::array<vec3, 4>;

// What arrives at the first square of what the second emits: the form factor, since the second
// reflects nothing, and the first all.
double form_factor_of(const square& to, const square& from, double area_limit) {
    const colour all{1, 1, 1};
    const colour nothing{};
    scene two;
    two.polygons.push_back({{to.begin(), to.end()}, all, nothing});
    two.polygons.push_back({{from.begin(), from.end()}, nothing, all});
    settings with;
    with.within = {1e-12, area_limit};
    with.iterations = 1;
    const solved done(two, with);
    const record& first = done.all.roots[0]->seen;
    const record& second = done.all.roots[1]->seen;
    return (first.radiosity.red + second.radiosity.red) / 2;
}

constexpr square floor_square{{{0, 0, 0}, {1000, 0, 0}, {1000, 1000, 0}, {0, 1000, 0}}};

void expect_convergence(const square& other, double exact) {
    double last_error = std::numeric_limits<double>::infinity();
    for (const double area_limit : {300000.0, 60000.0, 12000.0}) {
        const double found = form_factor_of(floor_square, other, area_limit);
        const double error = std::abs(found / exact - 1);
        EXPECT_LT(error, last_error) << "area limit " << area_limit;
        last_error = error;
    }
    EXPECT_LT(last_error, 0.02);
}

// For unit squares at distance 1:
// 2/pi (ln sqrt(4/3) + 2 sqrt(2) atan(1/sqrt(2)) - 2 atan(1)).
TEST(radiosity_form_factor, of_parallel_squares_is_that_of_the_closed_form) {
    const double exact = 2 / std::numbers::pi *
                         (std::log(std::sqrt(4.0 / 3)) +
                          2 * std::sqrt(2.0) * std::atan(1 / std::sqrt(2.0)) - 2 * std::atan(1.0));
    EXPECT_NEAR(exact, 0.19982, 1e-5);
    expect_convergence({{{0, 0, 1000}, {0, 1000, 1000}, {1000, 1000, 1000}, {1000, 0, 1000}}},
                       exact);
}

// For unit squares that share an edge:
// 1/pi (2 atan(1) - sqrt(2) atan(1/sqrt(2)) + ln(3/4) / 4).
TEST(radiosity_form_factor, of_perpendicular_squares_is_that_of_the_closed_form) {
    const double exact =
        (2 * std::atan(1.0) - std::sqrt(2.0) * std::atan(1 / std::sqrt(2.0)) + std::log(0.75) / 4) /
        std::numbers::pi;
    EXPECT_NEAR(exact, 0.20004, 1e-5);
    expect_convergence({{{0, 0, 0}, {0, 1000, 0}, {0, 1000, 1000}, {0, 0, 1000}}}, exact);
}

TEST(radiosity_energy, a_closed_white_box_absorbs_what_it_emits) {
    settings with;
    with.within = {0.3, 2000};
    with.energy = 1e-4;
    const solved done(make_scene("white"), with);
    EXPECT_TRUE(done.found.converged);
    const balance light = balance_of(done.all);
    EXPECT_DOUBLE_EQ(light.emitted, 3 * 1000.0 * 1000.0 * 100);
    EXPECT_NEAR(light.absorbed / light.emitted, 1, 0.01);
}

TEST(radiosity_energy, an_open_box_loses_some) {
    const solved done(make_scene("box"));
    const balance light = balance_of(done.all);
    EXPECT_GT(light.absorbed / light.emitted, 0.2);
    EXPECT_LT(light.absorbed / light.emitted, 0.9);
}

// A box with a pillar in its middle, whose triangles a half turn maps to each other.
scene symmetric_scene() {
    const material white{{0.7, 0.6, 0.5}};
    const material bright{{0.5, 0.5, 0.5}, {100, 90, 80}};
    builder into;
    into.walls({{0, 0, 0}, {1000, 1000, 800}}, {white, bright, white, white, white, white},
               all_faces);
    into.cuboid({{350, 420, 0}, {650, 580, 500}}, white, without_bottom);
    return {into.take(), {}};
}

// The leaf that has this centroid; null if there is none.
const element* find_leaf(const world& all, const vec3& middle) {
    const element* found = nullptr;
    for (const auto& root : all.roots) {
        for_each_element(*root, [&](const element& e) {
            if (e.children() == nullptr && length(centroid(e.seen.corners) - middle) < 1e-6) {
                found = &e;
            }
        });
    }
    return found;
}

TEST(radiosity_symmetry, a_half_turn_maps_the_result_to_itself) {
    const solved done(symmetric_scene());
    std::size_t leaves = 0;
    for (const auto& root : done.all.roots) {
        for_each_element(*root, [&](const element& e) {
            if (e.children() != nullptr) {
                return;
            }
            const vec3 middle = centroid(e.seen.corners);
            const element* other =
                find_leaf(done.all, {1000 - middle.x, 1000 - middle.y, middle.z});
            ASSERT_NE(other, nullptr);
            EXPECT_NEAR(other->seen.radiosity.green, e.seen.radiosity.green, 1e-9);
            ++leaves;
        });
    }
    EXPECT_GT(leaves, 500U);
}

TEST(radiosity_versions, agree_on_every_bit_in_jacobi_mode) {
    for (const std::string scene : {"box", "furnished:12:3"}) {
        const solved reference(make_scene(scene));
        EXPECT_TRUE(reference.found.converged);
        for (const version& one : versions()) {
            for (int repetition = 0; repetition < 3; ++repetition) {
                const solved done(make_scene(scene), coarse(), one.name);
                EXPECT_EQ(done.counted.checksum, reference.counted.checksum) << one.name;
                EXPECT_EQ(done.counted.elements, reference.counted.elements) << one.name;
                EXPECT_EQ(done.counted.interactions, reference.counted.interactions) << one.name;
                EXPECT_EQ(done.found.energy, reference.found.energy) << one.name;
            }
        }
    }
}

TEST(radiosity_versions, agree_on_the_energy_in_place) {
    settings with = coarse();
    const solved reference(make_scene("furnished:12:3"), with);
    with.how = update::in_place;
    for (const version& one : versions()) {
        const solved done(make_scene("furnished:12:3"), with, one.name);
        EXPECT_NEAR(done.found.energy / reference.found.energy, 1, 0.005) << one.name;
        EXPECT_LT(done.found.iterations, reference.found.iterations) << one.name;
        EXPECT_NE(done.counted.checksum, reference.counted.checksum) << one.name;
    }
}

// In the first iteration the source of an interaction is as bright as it emits.
TEST(radiosity_refinement, ends_within_its_limits) {
    settings with = coarse();
    with.iterations = 1;
    const solved done(make_scene("box"), with);
    std::size_t divided = 0;
    for (const auto& root : done.all.roots) {
        for_each_element(*root, [&](const element& e) {
            if (e.children() != nullptr) {
                EXPECT_GT(e.seen.area, with.within.area);
                ++divided;
            }
            for (const interaction& one : e.interactions) {
                EXPECT_GE(one.with.visibility, 0);
                EXPECT_LE(one.with.visibility, 1);
                const record& source = one.source->seen;
                const bool is_exact =
                    error_of(one.with, mean(source.emittance)) <= with.within.error;
                EXPECT_TRUE(is_exact || std::max(e.seen.area, source.area) <= with.within.area);
            }
        });
    }
    EXPECT_GT(divided, 50U);
}

TEST(radiosity_refinement, is_finer_with_narrower_limits) {
    const auto elements = [](const limits& within) {
        settings with = coarse();
        with.within = within;
        return solved(make_scene("box"), with).counted.elements;
    };
    const std::size_t reference = elements({0.4, 8000});
    EXPECT_GT(elements({0.1, 8000}), reference);
    EXPECT_GT(elements({0.4, 2000}), reference);
}

TEST(radiosity_energy, steady_is_a_small_relative_change) {
    EXPECT_TRUE(is_steady(1000, 1004.9, 0.005));
    EXPECT_FALSE(is_steady(1000, 1005.1, 0.005));
    EXPECT_TRUE(is_steady(0, 0, 0.005));
}

std::array<double, 3> mean_colour(const picture& drawn, std::size_t first_x, std::size_t last_x) {
    std::array<double, 3> total{};
    for (std::size_t y = 0; y < drawn.height; ++y) {
        for (std::size_t x = first_x; x < last_x; ++x) {
            for (std::size_t part = 0; part < 3; ++part) {
                total[part] += drawn.bytes[3 * (y * drawn.width + x) + part];
            }
        }
    }
    for (double& part : total) {
        part /= static_cast<double>(drawn.height * (last_x - first_x));
    }
    return total;
}

TEST(radiosity_picture, shows_the_walls_of_the_box) {
    const scene box = make_scene("box");
    const solved done(box);
    const picture drawn = draw(done.all, box.from, 160, 120);
    ASSERT_EQ(drawn.bytes.size(), 160U * 120U * 3U);
    const std::array<double, 3> left = mean_colour(drawn, 20, 40);
    EXPECT_GT(left[0], 1.3 * left[2]) << "the left wall is red";
    const std::array<double, 3> right = mean_colour(drawn, 120, 140);
    EXPECT_GT(right[2], 1.3 * right[0]) << "the right wall is blue";
    EXPECT_EQ(mean_colour(drawn, 0, 5)[0], 0) << "there is nothing beside the box";
    std::set<std::array<std::uint8_t, 3>> colours;
    for (std::size_t i = 0; i < drawn.bytes.size(); i += 3) {
        colours.insert({drawn.bytes[i], drawn.bytes[i + 1], drawn.bytes[i + 2]});
    }
    EXPECT_GT(colours.size(), 500U);
}

TEST(radiosity_picture, is_written_as_ppm) {
    const picture drawn{2, 1, {1, 2, 3, 4, 5, 255}};
    const std::string file = testing::TempDir() + "radiosity_test.ppm";
    write_ppm(drawn, file);
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_EQ(text, std::string("P6\n2 1\n255\n\x01\x02\x03\x04\x05\xff"));
    std::filesystem::remove(file);
    EXPECT_THROW(write_ppm(drawn, "no-such-folder/x.ppm"), std::runtime_error);
}

TEST(radiosity_report, has_what_was_found) {
    solved done(make_scene("box"));
    const report made{"box", "sequential", coarse(),     done.all.roots.size(),
                      0.5,   done.found,   done.counted, balance_of(done.all)};
    const nlohmann::json json = to_json(made);
    EXPECT_EQ(json["patches"], 16);
    EXPECT_EQ(json["elements"], done.counted.elements);
    EXPECT_EQ(json["mode"], "jacobi");
    EXPECT_EQ(json["seconds_by_iteration"].size(), done.found.iterations);
    EXPECT_NE(describe(made).find(std::to_string(done.counted.interactions)), std::string::npos);
    EXPECT_THROW(write_json(made, "no-such-folder/x.json"), std::runtime_error);
}

// The message of the exception that this throws.
template <class F>
std::string message_of(const F& function) {
    try {
        function();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "none";
}

TEST(radiosity_options, errors_say_what_is_possible) {
    const auto version_error = message_of([] { version_named("fast"); });
    EXPECT_NE(version_error.find("'fast'"), std::string::npos);
    EXPECT_NE(version_error.find("sequential, tasks"), std::string::npos);
    EXPECT_NE(message_of([] { update_named("x"); }).find("jacobi, in-place"), std::string::npos);
    EXPECT_EQ(update_named("in-place"), update::in_place);
    EXPECT_NE(message_of([] { make_scene("moon"); }).find("largeroom"), std::string::npos);
    for (const std::string bad : {"furnished:", "furnished:3", "furnished:3:", "furnished:0:1",
                                  "furnished:3:1x", "furnished:-1:1", "furnished:99999999:1"}) {
        EXPECT_NE(message_of([&] { make_scene(bad); }).find("furnished:N:SEED takes"),
                  std::string::npos)
            << bad;
    }
}

TEST(radiosity_options, numbers_must_make_sense) {
    const auto message_with = [](const auto& change) {
        settings with;
        change(with);
        return message_of([&] { check(with); });
    };
    EXPECT_EQ(message_with([](settings&) {}), "none");
    EXPECT_NE(message_with([](settings& with) { with.within.error = 0; }), "none");
    EXPECT_NE(message_with([](settings& with) { with.within.area = -1; }), "none");
    EXPECT_NE(message_with([](settings& with) { with.energy = std::nan(""); }), "none");
    EXPECT_NE(message_with([](settings& with) { with.iterations = 0; }), "none");
    EXPECT_NE(message_with([](settings& with) { with.workers = 0; }), "none");
}

}  // namespace
