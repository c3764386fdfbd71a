// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/furniture.hpp"

namespace radiosity {

namespace {

constexpr double leg_width = 40;

// Four sides of a leg; its ends are hidden.
void leg(builder& into, double x, double y, double height, const material& of) {
    const double half = leg_width / 2;
    into.cuboid({{x - half, y - half, 0}, {x + half, y + half, height}}, of, upright_faces);
}

void legs(builder& into, double width, double depth, double height, const material& of) {
    const double x = (width - leg_width) / 2 - 10;
    const double y = (depth - leg_width) / 2 - 10;
    for (const double side : {-x, x}) {
        leg(into, side, -y, height, of);
        leg(into, side, y, height, of);
    }
}

extent centred(double width, double depth, double low, double high) {
    return {{-width / 2, -depth / 2, low}, {width / 2, depth / 2, high}};
}

}  // namespace

void table(builder& into, double width, double depth, double height) {
    into.cuboid(centred(width, depth, height - 30, height), wood, all_faces);
    legs(into, width, depth, height - 30, wood);
}

void chair(builder& into) {
    constexpr double seat = 230;
    into.cuboid(centred(240, 240, seat - 25, seat), dark_wood, all_faces);
    into.cuboid({{-120, 90, seat + 60}, {120, 120, seat + 290}}, dark_wood, all_faces);
    legs(into, 240, 240, seat - 25, dark_wood);
}

void shelf(builder& into, double width, double height) {
    constexpr double depth = 200;
    constexpr double board = 25;
    const double half = width / 2;
    for (const double side : {-half, half - board}) {
        into.cuboid({{side, 0, 0}, {side + board, depth, height}}, wood, without_bottom);
    }
    for (int i = 1; i <= 3; ++i) {
        const double low = i * height / 3 - board - 15;
        into.cuboid({{-half + board, 0, low}, {half - board, depth, low + board}}, wood, all_faces);
    }
}

void sofa(builder& into) {
    into.cuboid(centred(700, 300, 0, 180), cloth, without_bottom);
    into.cuboid({{-350, 150, 0}, {350, 240, 420}}, cloth, without_bottom);
}

void ceiling_lamp(builder& into, double width, double depth, const colour& emittance) {
    const material frame{{0.7, 0.7, 0.7}};
    const material glass{{0.5, 0.5, 0.5}, emittance};
    const double x = width / 2;
    const double y = depth / 2;
    into.rectangle({-x, -y, -30}, {-x, y, -30}, {x, y, -30}, {x, -y, -30}, glass);
    into.cuboid(centred(width, depth, -30, 0), frame, upright_faces);
}

}  // namespace radiosity
