// SPDX-License-Identifier: BSD-3-Clause
// Settings for new schedulers and pools: a small table from numbers to values, searched linearly.
#pragma once

#include "handles/handles.hpp"

#include <array>
#include <cstddef>

namespace lazult::abt {

// The values are those of ABT_sched_config_type and of ABT_pool_config_type.
enum class config_type : int { integer = 0, real = 1, pointer = 2 };
static_assert(ABT_SCHED_CONFIG_INT == 0 && ABT_SCHED_CONFIG_DOUBLE == 1 &&
              ABT_SCHED_CONFIG_PTR == 2);
static_assert(ABT_POOL_CONFIG_INT == 0 && ABT_POOL_CONFIG_DOUBLE == 1 && ABT_POOL_CONFIG_PTR == 2);

inline bool is_config_type(int type) noexcept { return type >= 0 && type <= 2; }

struct config_value {
    config_type type = config_type::integer;
    union {
        int integer;
        double real;
        void* pointer = nullptr;
    };

    // from() copies the value of a variable of that type; write_to() copies the value to such a
    // variable.
    static config_value from(config_type type, const void* variable) noexcept;
    void write_to(void* variable) const noexcept;
};

class config_map {
public:
    config_map() = default;
    config_map(const config_map&) = delete;
    config_map& operator=(const config_map&) = delete;
    ~config_map();

    // Returns false when memory is exhausted.
    bool set(int key, const config_value& value) noexcept;
    void erase(int key) noexcept;
    // Returns the value, or nullptr if the setting is absent.
    const config_value* find(int key) const noexcept;
    // Returns the value if it is set and is an int, else `otherwise`.
    int integer_or(int key, int otherwise) const noexcept;

private:
    struct entry {
        int key;
        config_value value;
    };
    static constexpr std::size_t inline_entries = 8;

    bool grow() noexcept;

    std::array<entry, inline_entries> few_;
    entry* all_ = few_.data();  // few_, or an array from malloc
    std::size_t count_ = 0;
    std::size_t capacity_ = inline_entries;
};

struct sched_config_object : config_map {
    static constexpr kind arena_kind = kind::sched_config;
};

struct pool_config_object : config_map {
    static constexpr kind arena_kind = kind::pool_config;
};

}  // namespace lazult::abt
