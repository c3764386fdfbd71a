// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>

namespace cedar {

struct vector3 {
    double x = 0;
    double y = 0;
    double z = 0;

    vector3& operator+=(const vector3& other) {
        x += other.x;
        y += other.y;
        z += other.z;
        return *this;
    }
    vector3& operator-=(const vector3& other) {
        x -= other.x;
        y -= other.y;
        z -= other.z;
        return *this;
    }
    friend vector3 operator+(vector3 a, const vector3& b) { return a += b; }
    friend vector3 operator-(vector3 a, const vector3& b) { return a -= b; }
    friend vector3 operator-(const vector3& a) { return {-a.x, -a.y, -a.z}; }
    friend vector3 operator*(double factor, const vector3& a) {
        return {factor * a.x, factor * a.y, factor * a.z};
    }
    friend bool operator==(const vector3& a, const vector3& b) = default;
};

inline double dot(const vector3& a, const vector3& b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

inline vector3 cross(const vector3& a, const vector3& b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

inline double square(const vector3& a) { return dot(a, a); }
inline double length(const vector3& a) { return std::sqrt(square(a)); }
inline vector3 unit(const vector3& a) { return (1 / length(a)) * a; }

}  // namespace cedar
