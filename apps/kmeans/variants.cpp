// SPDX-License-Identifier: BSD-3-Clause

#include "apps/kmeans/variant.hpp"

namespace kmeans {

std::vector<variant> all_variants() {
    std::vector<variant> all;
    for (auto&& family :
         {sequential_variants(), os_thread_variants(), openmp_variants(), lazult_variants()}) {
        all.insert(all.end(), family.begin(), family.end());
    }
    return all;
}

}  // namespace kmeans
