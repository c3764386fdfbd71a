// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/picture.hpp"

#include <array>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include "apps/radiosity/canvas.hpp"
#include "apps/radiosity/vertex_colours.hpp"

namespace radiosity {
namespace {

constexpr double gamma_of_screens = 2.2;
constexpr double exposure = 0.4;  // of the mean

// The mean radiosity of what does not emit itself: it will be of medium brightness.
double medium_light(const world& all) {
    double light = 0;
    double area = 0;
    for (const auto& root : all.roots) {
        if (sum(root->seen.emittance) == 0) {
            light += root->seen.area * mean(root->seen.radiosity);
            area += root->seen.area;
        }
    }
    return light > 0 ? light / area : 1;
}

std::uint8_t byte_of(double light, double medium) {
    const double exposed = 1 - std::exp(-exposure * light / medium);
    return static_cast<std::uint8_t>(std::lround(255 * std::pow(exposed, 1 / gamma_of_screens)));
}

void draw_leaf(canvas& on, const vertex_colours& colours, const record& leaf) {
    const std::vector<vertex> outline = colours.outline(leaf);
    if (outline.size() == 3) {
        on.fill(outline);
        return;
    }
    const vertex middle{centroid(leaf.corners), leaf.radiosity};
    for (std::size_t i = 0; i < outline.size(); ++i) {
        on.fill({middle, outline[i], outline[(i + 1) % outline.size()]});
    }
}

}  // namespace

picture draw(const world& all, const camera& from, std::size_t width, std::size_t height) {
    canvas on(from, width, height);
    const vertex_colours colours(all);
    for (const auto& root : all.roots) {
        if (on.faces_camera(root->seen.in)) {
            for_each_element(*root, [&](const element& e) {
                if (e.children() == nullptr) {
                    draw_leaf(on, colours, e.seen);
                }
            });
        }
    }
    const double medium = medium_light(all);
    picture drawn{width, height, {}};
    drawn.bytes.reserve(3 * width * height);
    for (const colour& light : on.lights()) {
        for (const double part : {light.red, light.green, light.blue}) {
            drawn.bytes.push_back(byte_of(part, medium));
        }
    }
    return drawn;
}

void write_ppm(const picture& drawn, const std::string& file) {
    std::ofstream out(file, std::ios::binary);
    out << "P6\n" << drawn.width << ' ' << drawn.height << "\n255\n";
    out.write(reinterpret_cast<const char*>(drawn.bytes.data()),
              static_cast<std::streamsize>(drawn.bytes.size()));
    out.close();
    if (!out) {
        throw std::runtime_error("cannot write the picture to " + file);
    }
}

}  // namespace radiosity
