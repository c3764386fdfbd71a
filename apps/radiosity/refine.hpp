// SPDX-License-Identifier: BSD-3-Clause
// The oracle: whether an interaction is exact enough, or which of its elements is to be divided.
#pragma once

#include <cstddef>
#include <optional>
#include <type_traits>

#include "apps/radiosity/form_factor.hpp"
#include "apps/radiosity/record.hpp"

namespace radiosity {

// How much of a source's light arrives at a receiver. It can be copied as bytes, too.
struct coupling {
    static constexpr double undefined = -1;

    form_factor factor;  // from the receiver to the source
    double visibility = undefined;
};
static_assert(std::is_trivially_copyable_v<coupling>);

struct limits {
    double error = 0.015;  // of radiosity, by one interaction ("BFeps")
    double area = 2000;    // smaller elements are not divided ("Aeps")
};

enum class verdict { keep, divide_receiver, divide_source };

// Nothing if they are completely invisible to each other. The visibility is undefined.
std::optional<coupling> couple(const record& receiver, const record& source);

// How much light, of a source as bright as this, an interaction may have wrong.
double error_of(const coupling& with, double brightness);

// `interactions` is the number of those that the receiver has.
verdict judge(const coupling& with, const record& receiver, const record& source, double brightness,
              std::size_t interactions, const limits& within);
// The same of the two areas, which is all that it depends on.
verdict judge(const coupling& with, double receiver_area, double source_area, double brightness,
              std::size_t interactions, const limits& within);

}  // namespace radiosity
