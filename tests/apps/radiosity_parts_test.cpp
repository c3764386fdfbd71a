// SPDX-License-Identifier: BSD-3-Clause
// The parts of the radiosity program: elements, form factors, rays, the oracle and the scenes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include "apps/radiosity/builder.hpp"
#include "apps/radiosity/canvas.hpp"
#include "apps/radiosity/element.hpp"
#include "apps/radiosity/refine.hpp"
#include "apps/radiosity/scene.hpp"
#include "apps/radiosity/vertex_colours.hpp"
#include "apps/radiosity/visibility.hpp"
#include "apps/radiosity/world.hpp"

namespace {

using namespace radiosity;

constexpr colour grey{0.5, 0.5, 0.5};

record patch_of(const triangle& corners, std::uint32_t number) {
    return record_of(corners, grey, {}, number);
}

// Two that face each other, at a distance of 100.
const record lower = patch_of({{{0, 0, 0}, {100, 0, 0}, {0, 100, 0}}}, 0);
const record upper = patch_of({{{0, 0, 100}, {0, 100, 100}, {100, 0, 100}}}, 1);

TEST(radiosity_record, quarters_have_a_quarter_each_and_lie_in_the_plane) {
    const record whole = patch_of({{{0, 0, 0}, {8, 0, 4}, {0, 8, 2}}}, 3);
    for (std::size_t i = 0; i < 4; ++i) {
        const record part = quarter(whole, i);
        EXPECT_NEAR(area(part.corners), whole.area / 4, 1e-12);
        EXPECT_EQ(part.area, whole.area / 4);
        EXPECT_GT(dot(plane_of(part.corners).normal, whole.in.normal), 0.999999);
        EXPECT_EQ(part.patch, 3U);
        EXPECT_LT(length(centroid(part.corners) - centroids_of_quarters(whole.corners)[i]), 1e-12);
    }
}

TEST(radiosity_record, what_is_behind_is_completely_invisible) {
    EXPECT_FALSE(completely_invisible(lower, upper));
    const record turned = patch_of({upper.corners[0], upper.corners[2], upper.corners[1]}, 1);
    EXPECT_TRUE(completely_invisible(lower, turned));
    EXPECT_TRUE(completely_invisible(turned, lower));
    const record beside = patch_of({{{200, 0, 0}, {300, 0, 0}, {200, 100, 0}}}, 1);
    EXPECT_TRUE(completely_invisible(lower, beside));
}

TEST(radiosity_element, is_divided_once) {
    element whole(lower);
    EXPECT_EQ(whole.children(), nullptr);
    whole.set_radiosity({1, 2, 3});
    element* parts = whole.divide();
    EXPECT_EQ(parts, whole.divide());
    EXPECT_EQ(parts, whole.children());
    EXPECT_EQ(parts[3].radiosity().blue, 3);
}

TEST(radiosity_disc, form_factor_is_that_of_the_formula) {
    // A disc of area pi at distance 2, face to face: 1 * 1 * pi / (pi 4 + pi).
    EXPECT_NEAR(point_to_disc({0, 0, 0}, {0, 0, 1}, {0, 0, 2}, {0, 0, -1}, std::numbers::pi), 0.2,
                1e-12);
    EXPECT_EQ(point_to_disc({0, 0, 0}, {0, 0, -1}, {0, 0, 2}, {0, 0, -1}, std::numbers::pi), 0);
    EXPECT_EQ(point_to_disc({0, 0, 0}, {0, 0, -1}, {0, 0, 2}, {0, 0, 1}, std::numbers::pi), 0);
}

TEST(radiosity_oracle, errors_are_those_of_the_formula) {
    const form_factor factor{0.5, 0.2};
    EXPECT_NEAR(error_of({factor, 0}, 10), 10 * 0.1 * (0.5 + 0.2), 1e-12);
    EXPECT_NEAR(error_of({factor, 1}, 10), 10 * (0.2 + 0.1 * (0.5 + 0.2)), 1e-12);
    EXPECT_NEAR(error_of({factor, 0.5}, 10), 10 * (0.5 * 0.2 + 0.5 + 0.2), 1e-12);
}

TEST(radiosity_oracle, divides_the_larger_one_where_the_error_is_large) {
    const coupling with{{0.5, 0.2}, 1};  // its error is 0.27 times the brightness
    const record small = quarter(upper, 0);
    const limits within{0.3, 10};
    EXPECT_EQ(judge(with, lower, small, 1, 10, within), verdict::keep);
    EXPECT_EQ(judge(with, lower, small, 1, 11, within), verdict::divide_receiver);
    EXPECT_EQ(judge(with, lower, small, 0.5, 11, within), verdict::keep);
    EXPECT_EQ(judge(with, small, upper, 2, 1, within), verdict::divide_source);
    EXPECT_EQ(judge(with, lower, small, 2, 1, {0.3, lower.area}), verdict::keep);
    EXPECT_EQ(judge(with, lower, small, 2, 1, {0.3, lower.area - 1}), verdict::divide_receiver);
}

occluders tree_of(const std::vector<record>& patches) {
    occluders among;
    for (const record& patch : patches) {
        among.insert(patch);
    }
    return among;
}

TEST(radiosity_visibility, a_plate_between_stops_what_it_covers) {
    EXPECT_EQ(visibility_between(lower, upper, tree_of({lower, upper})), 1);
    const record plate = patch_of({{{-50, -50, 50}, {250, -50, 50}, {-50, 250, 50}}}, 2);
    EXPECT_EQ(visibility_between(lower, upper, tree_of({lower, upper, plate})), 0);
    const record half = patch_of({{{-50, 40, 50}, {250, 40, 50}, {-50, 340, 50}}}, 2);
    const double partial = visibility_between(lower, upper, tree_of({lower, upper, half}));
    EXPECT_GE(partial, 0.2);
    EXPECT_LE(partial, 0.8);
}

TEST(radiosity_visibility, what_touches_an_element_counts_and_what_is_behind_does_not) {
    for (const double z : {-0.5, 100.5}) {
        const record behind = patch_of({{{-50, -50, z}, {250, -50, z}, {-50, 250, z}}}, 2);
        EXPECT_EQ(visibility_between(lower, upper, tree_of({lower, upper, behind})), 1);
    }
    const record touching =
        patch_of({{{-50, -50, -0.02}, {250, -50, -0.02}, {-50, 250, -0.02}}}, 2);
    EXPECT_EQ(visibility_between(lower, upper, tree_of({lower, upper, touching})), 0);
}

TEST(radiosity_visibility, no_ray_fits_between_elements_that_look_away) {
    const record away = patch_of({upper.corners[0], upper.corners[2], upper.corners[1]}, 1);
    EXPECT_EQ(visibility_between(lower, away, tree_of({lower, away})), 0.1);
}

class random_points {
public:
    double number() { return static_cast<double>(random_() >> 11U) * 0x1p-53; }
    vec3 in(const triangle& corners) {
        double a = number();
        double b = number();
        if (a + b > 1) {
            a = 1 - a;
            b = 1 - b;
        }
        return corners[0] + a * (corners[1] - corners[0]) + b * (corners[2] - corners[0]);
    }
    std::size_t index(std::size_t count) { return random_() % count; }

private:
    std::mt19937_64 random_{4711};
};

bool is_stopped_by_any(const occluders& among, const ray& r) {
    for (std::uint32_t patch = 0; patch < among.count(); ++patch) {
        if (among.stops(patch, r)) {
            return true;
        }
    }
    return false;
}

class every_scene : public testing::TestWithParam<std::string> {};

TEST_P(every_scene, the_tree_finds_what_a_look_at_all_patches_finds) {
    const std::vector<record> patches = patches_of(make_scene(GetParam()));
    const occluders among = tree_of(patches);
    random_points random;
    int stopped = 0;
    constexpr int rays = 10000;
    std::uint64_t nodes = 0;
    for (int i = 0; i < rays; ++i) {
        const record& from = patches[random.index(patches.size())];
        const record& to = patches[random.index(patches.size())];
        const ray r = ray_between(random.in(from.corners), from, random.in(to.corners), to);
        const std::uint32_t found = among.find(r, nodes);
        const bool any = is_stopped_by_any(among, r);
        ASSERT_EQ(found != occluders::none, any) << "ray " << i;
        ASSERT_TRUE(!any || among.stops(found, r));
        stopped += any ? 1 : 0;
    }
    EXPECT_GT(stopped, rays / 10);
    EXPECT_LT(stopped, rays * 9 / 10);
    EXPECT_GT(nodes, static_cast<std::uint64_t>(rays));
}

INSTANTIATE_TEST_SUITE_P(radiosity, every_scene,
                         testing::Values("room", "largeroom", "furnished:30:1"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, ':', '_');
                             return name;
                         });

TEST(radiosity_scene, rooms_have_the_sizes_that_they_are_to_have) {
    EXPECT_EQ(patches_of(make_scene("box")).size(), 16U);
    EXPECT_EQ(patches_of(make_scene("white")).size(), 12U);
    EXPECT_NEAR(static_cast<double>(patches_of(make_scene("room")).size()), 350, 10);
    EXPECT_NEAR(static_cast<double>(patches_of(make_scene("largeroom")).size()), 500, 25);
}

TEST(radiosity_scene, what_is_in_a_room_stays_in_it) {
    for (const std::string name : {"room", "furnished:50:9"}) {
        for (const record& patch : patches_of(make_scene(name))) {
            EXPECT_GT(patch.area, 1);
            for (const vec3& corner : patch.corners) {
                EXPECT_GE(std::min({corner.x, corner.y, corner.z}), 0) << name;
                EXPECT_LE(std::max({corner.x / 1700, corner.y / 1600, corner.z / 1700}), 1) << name;
            }
        }
    }
}

TEST(radiosity_scene, a_seed_makes_a_furnished_room) {
    const auto first_corner = [](const std::string& name) {
        return patches_of(make_scene(name)).back().corners[0];
    };
    EXPECT_EQ(first_corner("furnished:5:1"), first_corner("furnished:5:1"));
    EXPECT_FALSE(first_corner("furnished:5:1") == first_corner("furnished:5:2"));
}

TEST(radiosity_canvas, the_nearest_polygon_is_on_top) {
    canvas on({{0, 0, 0}, {0, 1, 0}, 90}, 10, 10);
    const auto square_at = [](double y, double half, const colour& light) {
        return std::vector<vertex>{{{-half, y, -half}, light},
                                   {{half, y, -half}, light},
                                   {{half, y, half}, light},
                                   {{-half, y, half}, light}};
    };
    on.fill(square_at(10, 5, {1, 0, 0}));
    on.fill(square_at(20, 100, {0, 1, 0}));
    EXPECT_NEAR(on.lights()[5 * 10 + 5].red, 1, 1e-12);
    EXPECT_NEAR(on.lights()[0].green, 1, 1e-12);
    EXPECT_EQ(on.lights()[0].red, 0);
}

TEST(radiosity_canvas, what_is_behind_the_camera_is_cut_off) {
    canvas on({{0, 0, 0}, {0, 1, 0}, 90}, 10, 10);
    // A floor that begins behind the camera.
    on.fill({{{-50, -50, -5}, {1, 0, 0}}, {{50, -50, -5}, {1, 0, 0}}, {{0, 1000, -5}, {1, 0, 0}}});
    EXPECT_NEAR(on.lights()[9 * 10 + 5].red, 1, 1e-9);
    EXPECT_EQ(on.lights()[4 * 10 + 5].red, 0) << "above the horizon";
}

// Six times the volume that the triangles enclose. They must be closed.
double six_volumes(builder& of) {
    vec3 normals{};
    double volume = 0;
    for (const record& patch : patches_of({of.take(), {}})) {
        normals = normals + patch.area * patch.in.normal;
        volume += 2 * patch.area * dot(patch.corners[0], patch.in.normal);
    }
    EXPECT_LT(length(normals), 1e-9) << "they are not closed";
    return volume;
}

TEST(radiosity_builder, solids_are_closed_and_look_outwards) {
    builder into;
    into.place({100, 200, 300}, 30);
    into.cuboid({{0, 0, 0}, {2, 3, 4}}, {grey}, all_faces);
    EXPECT_NEAR(six_volumes(into), 6 * 24, 1e-8);
    into.octahedron({1, 2, 3}, 2, {grey});
    EXPECT_NEAR(six_volumes(into), 6 * 4 * 8 / 3.0, 1e-8);
    into.icosahedron({1, 2, 3}, 2, {grey});
    const double edge = 4 / std::sqrt(1 + std::numbers::phi * std::numbers::phi);
    EXPECT_NEAR(six_volumes(into), 6 * 5 * (3 + std::sqrt(5)) / 12 * edge * edge * edge, 1e-8);
    into.walls({{0, 0, 0}, {2, 3, 4}}, {}, all_faces);
    EXPECT_NEAR(six_volumes(into), -6 * 24, 1e-8);
    into.pyramid({0, 0, 0}, 2, 3, {grey});
    into.rectangle({-1, -1, 0}, {-1, 1, 0}, {1, 1, 0}, {1, -1, 0}, {grey});
    EXPECT_NEAR(six_volumes(into), 6 * 4, 1e-8);
}

TEST(radiosity_vertex_colours, are_means_by_area_and_meet_smaller_neighbours) {
    const scene square{{{{{0, 0, 0}, {100, 0, 0}, {100, 100, 0}, {0, 100, 0}}, grey, {}}}, {}};
    world all(square);
    element& divided = *all.roots[0];
    element& whole = *all.roots[1];
    whole.set_radiosity({8, 8, 8});
    divided.divide();
    const std::vector<vertex> outline = vertex_colours(all).outline(whole.seen);
    ASSERT_EQ(outline.size(), 4U);  // there is one on the diagonal
    for (const vertex& one : outline) {
        if (one.at == vec3{0, 100, 0}) {  // no other leaf is there
            EXPECT_EQ(one.light.red, 8);
        } else if (one.at == vec3{50, 50, 0}) {
            EXPECT_EQ(one.light.red, 0);
        } else {  // a leaf of a quarter of its area meets it here
            EXPECT_NEAR(one.light.red, 8 * 4 / 5.0, 1e-12);
        }
    }
}

}  // namespace
