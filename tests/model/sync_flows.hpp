// SPDX-License-Identifier: BSD-3-Clause
// Floor 7 under the model: its flows are the model's threads, which sleep on futexes, and the plain fields of records
// are watched for races.
#pragma once

#include "lazult/sync/condition_slow.hpp"
#include "lazult/sync/mutex_slow.hpp"
#include "lazult/sync/semaphore.hpp"
#include "tests/model/mutation.hpp"

namespace lazult::sync {

template <class T>
struct plain_field<model::model_atomics, T> {
    using type = model::model_var<T>;
};

}  // namespace lazult::sync

namespace lazult::model {

// A deadline that may pass at any moment.
inline constexpr std::int64_t some_time = 1;

// The mistakes that nobody notices, but for those in the functions named: compilers spell the arguments of function
// templates, which follow the name, differently.
inline std::vector<std::string> unnoticed_but_in(const std::vector<scenario>& scenarios,
                                                 const std::vector<std::string>& functions) {
    std::vector<std::string> rest;
    for (const std::string& each : unnoticed_mistakes(scenarios)) {
        if (std::none_of(functions.begin(), functions.end(),
                         [&](const std::string& name) { return each.starts_with(name); })) {
            rest.push_back(each);
        }
    }
    return rest;
}

}  // namespace lazult::model
