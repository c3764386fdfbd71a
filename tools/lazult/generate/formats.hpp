// SPDX-License-Identifier: BSD-3-Clause
// What is made from the options: a text for each reader.
#pragma once

#include <string>

#include "tools/lazult/generate/command_tree.hpp"

namespace lazult::tool {

std::string man_page(const command_facts& program);
std::string bash_completion(const command_facts& program);
std::string zsh_completion(const command_facts& program);
std::string fish_completion(const command_facts& program);

}  // namespace lazult::tool
