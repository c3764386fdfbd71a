// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/scene.hpp"

#include <charconv>
#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "apps/radiosity/builder.hpp"
#include "apps/radiosity/rooms.hpp"

namespace radiosity {
namespace {

constexpr std::string_view furnished = "furnished:";
constexpr std::size_t most_pieces = 10000;

// It is open towards low y, where the camera is.
scene make_box() {
    const material white{{0.8, 0.8, 0.8}};
    const material red{{0.8, 0.2, 0.2}};
    const material blue{{0.2, 0.2, 0.8}};
    builder into;
    into.walls({{0, 0, 0}, {1000, 1000, 1000}}, {white, white, red, blue, white, white},
               {true, true, true, true, false, true});
    const material plate{{0.6, 0.5, 0.3}};
    into.rectangle({250, 300, 400}, {750, 300, 400}, {750, 700, 400}, {250, 700, 400}, plate);
    into.rectangle({250, 300, 380}, {250, 700, 380}, {750, 700, 380}, {750, 300, 380}, plate);
    into.rectangle({350, 350, 990}, {350, 650, 990}, {650, 650, 990}, {650, 350, 990},
                   {{0.5, 0.5, 0.5}, {200, 200, 200}});
    return {into.take(), {{500, -1300, 600}, {500, 500, 480}, 50}};
}

// Turned by 180 degrees about its vertical axis, each of its triangles is another.
scene make_white_box() {
    const material white{{0.5, 0.5, 0.5}};
    const material bright{{0.5, 0.5, 0.5}, {100, 100, 100}};
    builder into;
    into.walls({{0, 0, 0}, {1000, 1000, 1000}}, {white, bright, white, white, white, white},
               all_faces);
    return {into.take(), {{100, 100, 500}, {800, 900, 450}, 90}};
}

// Takes a number off the front of a text.
std::uint64_t take_number(std::string_view& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{}) {
        throw std::invalid_argument("furnished:N:SEED takes two numbers");
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

scene make_furnished(std::string_view numbers) {
    const std::uint64_t pieces = take_number(numbers);
    if (!numbers.starts_with(':')) {
        throw std::invalid_argument("furnished:N:SEED takes two numbers");
    }
    numbers.remove_prefix(1);
    const std::uint64_t seed = take_number(numbers);
    if (!numbers.empty() || pieces == 0 || pieces > most_pieces) {
        throw std::invalid_argument("furnished:N:SEED takes an N from 1 to " +
                                    std::to_string(most_pieces) + ", and nothing after SEED");
    }
    return make_furnished_room(pieces, seed);
}

}  // namespace

scene make_scene(const std::string& name) {
    if (name == "box") {
        return make_box();
    }
    if (name == "white") {
        return make_white_box();
    }
    if (name == "room") {
        return make_room();
    }
    if (name == "largeroom") {
        return make_large_room();
    }
    if (name.starts_with(furnished)) {
        return make_furnished(std::string_view(name).substr(furnished.size()));
    }
    throw std::invalid_argument("there is no scene '" + name +
                                "': box, white, room, largeroom, furnished:N:SEED");
}

}  // namespace radiosity
