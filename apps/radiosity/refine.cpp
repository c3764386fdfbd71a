// SPDX-License-Identifier: BSD-3-Clause
#include "apps/radiosity/refine.hpp"

#include <algorithm>

namespace radiosity {
namespace {

constexpr std::size_t few_interactions = 10;
constexpr double error_of_no_or_full_visibility = 0.1;

}  // namespace

std::optional<coupling> couple(const record& receiver, const record& source) {
    if (completely_invisible(receiver, source)) {
        return std::nullopt;
    }
    return coupling{form_factor_between(receiver, source)};
}

double error_of(const coupling& with, double brightness) {
    const bool partial = with.visibility > 0 && with.visibility < 1;
    const double visibility_error = partial ? 1 : error_of_no_or_full_visibility;
    const form_factor& factor = with.factor;
    return (with.visibility * factor.error + visibility_error * factor.value +
            visibility_error * factor.error) *
           brightness;
}

verdict judge(const coupling& with, double receiver_area, double source_area, double brightness,
              std::size_t interactions, const limits& within) {
    const double error = error_of(with, brightness);
    const double allowed = interactions <= few_interactions ? within.error : within.error / 2;
    if (error <= allowed || std::max(receiver_area, source_area) <= within.area) {
        return verdict::keep;
    }
    return receiver_area >= source_area ? verdict::divide_receiver : verdict::divide_source;
}

verdict judge(const coupling& with, const record& receiver, const record& source, double brightness,
              std::size_t interactions, const limits& within) {
    return judge(with, receiver.area, source.area, brightness, interactions, within);
}

}  // namespace radiosity
