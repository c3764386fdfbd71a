// SPDX-License-Identifier: BSD-3-Clause
// An amount of light, or a share of it, in red, green and blue.
#pragma once

namespace radiosity {

struct colour {
    double red, green, blue;
};

constexpr colour operator+(const colour& a, const colour& b) {
    return {a.red + b.red, a.green + b.green, a.blue + b.blue};
}
constexpr colour operator*(const colour& a, const colour& b) {
    return {a.red * b.red, a.green * b.green, a.blue * b.blue};
}
constexpr colour operator*(double s, const colour& a) {
    return {s * a.red, s * a.green, s * a.blue};
}
constexpr double sum(const colour& a) { return a.red + a.green + a.blue; }
constexpr double mean(const colour& a) { return sum(a) / 3; }

}  // namespace radiosity
