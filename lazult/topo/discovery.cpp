// SPDX-License-Identifier: BSD-3-Clause
#include "lazult/topo/discovery.hpp"

#include "lazult/os/os.hpp"

#include <algorithm>

#if defined(LAZULT_HAVE_HWLOC) && LAZULT_HAVE_HWLOC == 1

#include <hwloc.h>

namespace lazult::topo {
namespace {

class hwloc_handle {
public:
    explicit hwloc_handle(const std::string* synthetic) {
        if (hwloc_topology_init(&topology_) != 0) {
            return;
        }
        initialised_ = true;
        leave_threads_where_they_are();
        if (synthetic == nullptr ||
            hwloc_topology_set_synthetic(topology_, synthetic->c_str()) == 0) {
            loaded_ = hwloc_topology_load(topology_) == 0;
        }
    }
    ~hwloc_handle() {
        if (initialised_) {
            hwloc_topology_destroy(topology_);
        }
    }
    hwloc_handle(const hwloc_handle&) = delete;
    hwloc_handle& operator=(const hwloc_handle&) = delete;

    bool loaded() const noexcept { return loaded_; }
    hwloc_topology_t get() const noexcept { return topology_; }

private:
    // hwloc's component "x86" binds its caller to one processor after the other. The system may
    // then leave several processes on one processor for milliseconds. The component is wanted only
    // where the system does not describe its processors itself, as Linux does in sysfs.
    void leave_threads_where_they_are() noexcept {
        if (os::describes_processors()) {
            hwloc_topology_set_components(topology_, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
                                          "x86");
        }
    }

    hwloc_topology_t topology_ = nullptr;
    bool initialised_ = false;
    bool loaded_ = false;
};

int ancestor(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_obj_t processor) {
    const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, processor);
    return found == nullptr ? -1 : static_cast<int>(found->logical_index);
}

// Returns the outermost cache: L3 if there is an L3. It is named by its global index, which differs
// between caches of different levels.
int outermost_cache(hwloc_obj_t processor) {
    int found = -1;
    for (hwloc_obj_t above = processor->parent; above != nullptr; above = above->parent) {
        if (hwloc_obj_type_is_dcache(above->type) != 0) {
            found = static_cast<int>(above->gp_index);
        }
    }
    return found;
}

location location_of(hwloc_topology_t topology, hwloc_obj_t processor) {
    return {static_cast<int>(processor->os_index), ancestor(topology, HWLOC_OBJ_CORE, processor),
            outermost_cache(processor),
            processor->nodeset == nullptr ? -1 : hwloc_bitmap_first(processor->nodeset),
            ancestor(topology, HWLOC_OBJ_PACKAGE, processor)};
}

// Removes processors that taskset or a launcher took from this process. hwloc shows them, though it
// honours control groups.
void keep_allowed(std::vector<location>& processors) {
    const std::vector<int> allowed = os::allowed_processors();
    std::vector<location> kept;
    std::ranges::copy_if(processors, std::back_inserter(kept), [&](const location& each) {
        return std::ranges::binary_search(allowed, each.system_processor);
    });
    if (!kept.empty()) {
        processors = std::move(kept);
    }
}

}  // namespace

std::optional<discovery> discover_with_hwloc(const std::string* synthetic) {
    const hwloc_handle handle(synthetic);
    if (!handle.loaded()) {
        return std::nullopt;
    }
    discovery found;
    hwloc_obj_t processor = nullptr;
    while ((processor = hwloc_get_next_obj_by_type(handle.get(), HWLOC_OBJ_PU, processor)) !=
           nullptr) {
        found.processors.push_back(location_of(handle.get(), processor));
    }
    found.synthetic = hwloc_topology_is_thissystem(handle.get()) == 0;
    found.origin = found.synthetic ? "hwloc, a synthetic machine" : "hwloc, this machine";
    if (!found.synthetic) {
        keep_allowed(found.processors);
    }
    return found.processors.empty() ? std::nullopt : std::optional(std::move(found));
}

}  // namespace lazult::topo

#else

namespace lazult::topo {

std::optional<discovery> discover_with_hwloc(const std::string*) { return std::nullopt; }

}  // namespace lazult::topo

#endif

namespace lazult::topo {

discovery discover_plainly() {
    discovery found;
    for (int processor : os::allowed_processors()) {
        found.processors.push_back({processor, -1, -1, 0, 0});
    }
    found.origin = "the scheduler's affinity mask, this machine";
    return found;
}

}  // namespace lazult::topo
