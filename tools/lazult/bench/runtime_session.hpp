// SPDX-License-Identifier: BSD-3-Clause
// The runtime under the settings that a configuration wants. It restarts only when they differ from
// the last ones.
#pragma once

#include <optional>

#include "lazult/base/base.hpp"

namespace lazult::tool {

class runtime_session {
public:
    runtime_session() = default;
    runtime_session(const runtime_session&) = delete;
    runtime_session& operator=(const runtime_session&) = delete;
    ~runtime_session() { stop(); }

    void want(const base::settings& wanted);
    void stop() noexcept;

private:
    std::optional<base::settings> running_;
};

}  // namespace lazult::tool
