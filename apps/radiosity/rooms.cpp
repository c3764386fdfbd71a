// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/rooms.hpp"

#include <cmath>
#include <random>

#include "apps/radiosity/builder.hpp"
#include "apps/radiosity/furniture.hpp"

namespace radiosity {
namespace {

constexpr vec3 room_size{1700, 1600, 1700};
constexpr colour lamp_light{200, 190, 170};
constexpr material plaster{{0.75, 0.74, 0.70}};
constexpr material parquet{{0.50, 0.36, 0.24}};
constexpr material red_paint{{0.70, 0.30, 0.26}};
constexpr material green_paint{{0.36, 0.58, 0.38}};
constexpr std::array<material, 6> wall_materials{parquet,     plaster, red_paint,
                                                 green_paint, plaster, plaster};

void add_walls(builder& into, const faces& present) {
    into.walls({{0, 0, 0}, room_size}, wall_materials, present);
}

// `corner` is the low corner of the room.
void add_lamps(builder& into, const vec3& corner) {
    for (const double x : {500.0, 1200.0}) {
        into.place(corner + vec3{x, 800, room_size.z}, 0);
        ceiling_lamp(into, 180, 180, lamp_light);
    }
}

void add_dinner_table(builder& into, const vec3& at) {
    into.place(at, 0);
    table(into, 640, 420, 400);
    into.octahedron({-200, 60, 460}, 58, jade);
    into.icosahedron({30, 20, 480}, 78, porcelain);
    into.place(at + vec3{-60, 400, 0}, 5);
    chair(into);
    into.place(at + vec3{90, -400, 0}, 170);
    chair(into);
}

void add_shelf(builder& into, const vec3& at, double degrees) {
    into.place(at, degrees);
    shelf(into, 620, 1000);
    into.icosahedron({-120, 100, 375}, 70, brass);
    into.pyramid({130, 100, 655}, 120, 150, porcelain);
    into.pyramid({-100, 100, 986}, 140, 190, jade);
}

void add_sofa(builder& into, const vec3& at, double degrees) {
    into.place(at, degrees);
    sofa(into);
}

void add_picture_frame(builder& into, const vec3& at) {
    into.place(at, 0);
    into.cuboid({{-220, -25, -150}, {220, 0, 150}}, brass, {true, true, true, true, true, false});
}

void add_sideboard(builder& into, const vec3& at) {
    into.place(at, 0);
    into.cuboid({{-130, -300, 0}, {130, 300, 380}}, dark_wood, without_bottom);
    into.pyramid({0, 120, 380}, 150, 210, brass);
}

}  // namespace

scene make_room() {
    builder into;
    add_walls(into, all_faces);
    add_lamps(into, {});
    add_dinner_table(into, {900, 760, 0});
    add_shelf(into, {520, 1395, 0}, 0);
    add_sofa(into, {260, 640, 0}, 90);
    add_picture_frame(into, {1200, room_size.y, 900});
    add_sideboard(into, {1560, 1050, 0});
    return {into.take(), {{1660, 70, 1150}, {700, 1000, 430}, 78}};
}

scene make_large_room() {
    builder into;
    add_walls(into, {true, true, true, false, true, true});
    add_lamps(into, {});
    add_dinner_table(into, {900, 760, 0});
    add_shelf(into, {520, 1395, 0}, 0);
    add_sofa(into, {260, 640, 0}, 90);
    add_picture_frame(into, {1200, room_size.y, 900});
    const vec3 second{room_size.x, 0, 0};
    into.place(second, 0);
    add_walls(into, {true, true, false, true, true, true});
    add_lamps(into, second);
    add_sideboard(into, second + vec3{1560, 1050, 0});
    add_shelf(into, second + vec3{600, 1395, 0}, 0);
    add_sofa(into, second + vec3{800, 500, 0}, 200);
    into.place(second + vec3{850, 900, 0}, 20);
    table(into, 420, 300, 240);
    return {into.take(), {{3250, 300, 1250}, {1500, 1000, 350}, 80}};
}

scene make_furnished_room(std::size_t pieces, std::uint64_t seed) {
    builder into;
    add_walls(into, all_faces);
    add_lamps(into, {});
    // Not a standard distribution: those differ from library to library.
    std::mt19937_64 random(seed);
    const auto between = [&](double low, double high) {
        return low + (high - low) * static_cast<double>(random() >> 11U) * 0x1p-53;
    };
    const auto columns = static_cast<std::size_t>(std::ceil(std::sqrt(pieces)));
    const double x_step = room_size.x / static_cast<double>(columns);
    const double y_step = room_size.y / static_cast<double>(columns);
    for (std::size_t i = 0; i < pieces; ++i) {
        const std::size_t row = i / columns;
        const double x = (static_cast<double>(i % columns) + 0.5) * x_step;
        const double y = (static_cast<double>(row) + 0.5) * y_step;
        // A square of this width stays in its cell however it is turned.
        const double width = between(0.3, 0.6) * y_step;
        const double height = between(150, 900);
        const material paint{{between(0.3, 0.8), between(0.3, 0.8), between(0.3, 0.8)}};
        into.place({x, y, 0}, between(0, 90));
        if (i % 4 == 3) {
            into.pyramid({0, 0, 0}, width, height, paint);
        } else {
            into.cuboid({{-width / 2, -width / 2, 0}, {width / 2, width / 2, height}}, paint,
                        without_bottom);
        }
    }
    return {into.take(), {{1660, 70, 1450}, {800, 900, 300}, 80}};
}

}  // namespace radiosity
