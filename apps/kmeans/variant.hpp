// SPDX-License-Identifier: BSD-3-Clause
// A variant is one way to run k-means: sequential, OS threads, OpenMP tasks, or a technique of
// Lazult.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kmeans/kmeans.hpp"

namespace kmeans {

struct settings {
    std::size_t workers;
    std::size_t locks;
    std::size_t block;     // points to a ULT or task
    std::size_t os_block;  // points to an OS thread where there is one to each block
    std::size_t batch;     // ULTs that a worker creates before it joins them
};

struct unit_counts {
    std::uint64_t created;
    std::uint64_t suspended;
};

struct run {
    result found;
    std::optional<unit_counts> units;  // where the runtime counts them
};

enum class granularity { none, range, os_block, block };

struct variant {
    std::string family;     // sequential, os_threads, openmp, lazult
    std::string name;       // unique among all variants
    std::string technique;  // lazult's, else empty
    std::string description;
    granularity units;
    std::function<run(const problem&, const settings&)> execute;
};

// Part number `index` of `parts` of [0, count), as even as can be.
struct range {
    std::size_t first;
    std::size_t last;
};
constexpr range share(std::size_t count, std::size_t index, std::size_t parts) {
    return {count * index / parts, count * (index + 1) / parts};
}

std::vector<variant> sequential_variants();
std::vector<variant> os_thread_variants();
std::vector<variant> openmp_variants();  // empty if built without OpenMP
std::vector<variant> lazult_variants();
std::vector<variant> all_variants();

// The file that serves the OpenMP calls of this process; empty if built without OpenMP.
std::string openmp_library();
// Whether that is this project's.
bool openmp_is_lazult();

}  // namespace kmeans
