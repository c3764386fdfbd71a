// SPDX-License-Identifier: BSD-3-Clause
// Elements: the quadtree of an input triangle.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "apps/radiosity/record.hpp"
#include "apps/radiosity/refine.hpp"

namespace radiosity {

class element;

// An element has a list of interactions. By each it receives light from a source.
struct interaction {
    element* source;
    coupling with;
};

// field           written by                      read by          order
// seen            its maker                       any thread       before it is published
// seen.radiosity  gather() or settle() of it      any thread       relaxed: an old value will do
// children_       the first thread to divide it   any thread       acquire, release
// the others      gather() of it and its parent   gather() of it   the parent's comes before
class element {
public:
    explicit element(const record& of) : seen(of) {}
    ~element();
    element(const element&) = delete;
    element& operator=(const element&) = delete;

    // The four of them, or null for a leaf.
    element* children() const;
    // Makes the children, unless there are some. Thread-safe.
    element* divide();

    // While another thread may write or read it.
    colour radiosity();
    void set_radiosity(const colour& value);

    record seen;
    colour incoming{};  // what its own interactions bring, reflected
    std::vector<interaction> interactions;
    std::uint64_t visibilities = 0;  // computed so far, for its interactions

private:
    struct quartet;
    std::atomic<quartet*> children_{nullptr};
};

// Calls visit(e) for an element and all below it, parents first.
template <class Visit>
void for_each_element(element& top, const Visit& visit) {
    visit(top);
    if (element* children = top.children()) {
        for (int i = 0; i < 4; ++i) {
            for_each_element(children[i], visit);
        }
    }
}

}  // namespace radiosity
