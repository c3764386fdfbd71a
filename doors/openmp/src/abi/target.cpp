// SPDX-License-Identifier: BSD-3-Clause
// Functions of gcc's interface: target constructs. There are no devices: the host runs the regions,
// on the program's own memory.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "abi/export.hpp"
#include "environment/environment.hpp"
#include "loops/work_sharing.hpp"
#include "tasks/awaiting.hpp"
#include "tasks/caller.hpp"
#include "tasks/implicit_task.hpp"

using namespace lazult::omp;

namespace {

void await(void** depend) {
    if (depend != nullptr) {
        wait_for_dependences(me(), {depend});
    }
}

// Never refuses 0, which is the host, nor negative numbers: the default, and `if (false)`.
void refuse_if_mandatory(int device) {
    if (device > 0 && variables().offload == offload_policy::mandatory) LAZULT_UNLIKELY {
        base::fatal_misuse("OpenMP target",
                           "OMP_TARGET_OFFLOAD is MANDATORY, and there is no device",
                           "unset it, to run target regions on the host");
    }
}

// Copies of a region's firstprivate variables, for as long as the region runs.
class private_copies {
public:
    private_copies(std::size_t count, void** addresses, const std::size_t* sizes,
                   const unsigned short* kinds) {
        constexpr unsigned short type_mask = 0xff;
        constexpr unsigned short firstprivate = 12;
        for (std::size_t i = 0; i < count; ++i) {
            if ((kinds[i] & type_mask) == firstprivate && addresses[i] != nullptr) {
                addresses[i] = copy(addresses[i], sizes[i], std::size_t{1} << (kinds[i] >> 8));
            }
        }
    }
    private_copies(const private_copies&) = delete;
    private_copies& operator=(const private_copies&) = delete;
    ~private_copies() {
        for (void* each : copies_) {
            std::free(each);
        }
    }

private:
    void* copy(const void* from, std::size_t bytes, std::size_t alignment) {
        alignment = alignment < sizeof(void*) ? sizeof(void*) : alignment;
        void* made = std::aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
        if (made == nullptr) {
            base::fatal_misuse("OpenMP target", "no memory for its private variables",
                               "make them smaller");
        }
        copies_.push_back(made);
        return std::memcpy(made, from, bytes);
    }

    std::vector<void*> copies_;
};

// Runs a target region as an initial task of its own, because it must not see what surrounds it.
void run_on_host(region_function fn, void* data, std::uint32_t thread_limit) {
    unit_data& mine = me();
    const unit_data outside = mine;
    auto region = std::make_unique<team>();
    auto self = std::make_unique<thread>();
    contention_group group;
    region->parent_task = outside.running;
    region->root = outside.here->its_team->root;
    region->variables = variables().first;
    region->group = &group;
    region->members.assign(1, self.get());
    if (thread_limit != 0) {
        region->variables.thread_limit = thread_limit;
    }
    reset_shares(*region);
    self->scheduler = outside.here->scheduler;
    self->cache = outside.here->cache;
    begin_implicit(*self, *region, 0);
    mine = unit_data{&self->implicit, self.get(), 0, 1};
    fn(data);
    reset_shares(*region);  // frees what constructs that ended with a barrier have left
    me() = outside;
}

// Returns the region's thread limit, or 0. An argument's value is in its word or in the next.
std::uint32_t thread_limit_in(void** arguments) noexcept {
    constexpr std::uintptr_t device_mask = 0x7f;
    constexpr std::uintptr_t value_follows = 0x80;
    constexpr std::uintptr_t id_mask = 0xff00;
    constexpr std::uintptr_t thread_limit = 0x200;
    for (; arguments != nullptr && *arguments != nullptr; ++arguments) {
        const auto id = reinterpret_cast<std::uintptr_t>(*arguments);
        const bool follows = (id & value_follows) != 0;
        const std::uintptr_t value =
            follows ? reinterpret_cast<std::uintptr_t>(*++arguments)
                    : static_cast<std::uintptr_t>(static_cast<std::intptr_t>(id) >> 16);
        if ((id & device_mask) == 0 && (id & id_mask) == thread_limit) {
            return value > INT_MAX ? UINT_MAX : static_cast<std::uint32_t>(value);
        }
    }
    return 0;
}

}  // namespace

extern "C" {

OMP_API void GOMP_target(int device, region_function fn, const void*, std::size_t, void** addresses,
                         std::size_t*, unsigned char*) {
    refuse_if_mandatory(device);
    run_on_host(fn, addresses, 0);
}

OMP_API void GOMP_target_ext(int device, region_function fn, std::size_t count, void** addresses,
                             std::size_t* sizes, unsigned short* kinds, unsigned, void** depend,
                             void** arguments) {
    refuse_if_mandatory(device);
    await(depend);
    const private_copies copies(count, addresses, sizes, kinds);
    run_on_host(fn, addresses, thread_limit_in(arguments));
}

OMP_API void GOMP_target_data(int device, const void*, std::size_t, void**, std::size_t*,
                              unsigned char*) {
    refuse_if_mandatory(device);
}
OMP_API void GOMP_target_data_ext(int device, std::size_t, void**, std::size_t*, unsigned short*) {
    refuse_if_mandatory(device);
}
OMP_API void GOMP_target_end_data() {}
OMP_API void GOMP_target_update(int, const void*, std::size_t, void**, std::size_t*,
                                unsigned char*) {}
OMP_API void GOMP_target_update_ext(int, std::size_t, void**, std::size_t*, unsigned short*,
                                    unsigned, void** depend) {
    await(depend);
}
OMP_API void GOMP_target_enter_exit_data(int, std::size_t, void**, std::size_t*, unsigned short*,
                                         unsigned, void** depend) {
    await(depend);
}

// The program's code for devices. There is no device to load it.
OMP_API void GOMP_offload_register(const void*, int, const void*) {}
OMP_API void GOMP_offload_register_ver(unsigned, const void*, int, const void*) {}
OMP_API void GOMP_offload_unregister(const void*, int, const void*) {}
OMP_API void GOMP_offload_unregister_ver(unsigned, const void*, int, const void*) {}
}
