// SPDX-License-Identifier: BSD-3-Clause
// Elements as objects of Concert: each has a name that is valid on every rank. Each element is one
// object, not each quadtree, because elements of other ranks read it by itself, and what
// call_cached() remembers is the result of one object. An element's children are where it is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <lazult_concert_objects.hpp>
#include <vector>

#include "apps/radiosity/record.hpp"
#include "apps/radiosity/refine.hpp"
#include "apps/radiosity/world.hpp"

namespace radiosity {

class shared_element;
using element_name = lazult::concert::global_ptr<shared_element>;
using element_array = lazult::concert::global_array<shared_element>;

// As interaction, with a source that may be on another rank.
struct shared_interaction {
    element_name source;
    coupling with;
    colour light{};  // of the source, as this iteration has read it
};
using interaction_list = std::vector<shared_interaction>;

struct brightness {
    colour radiosity;
    double area;
};

// What is counted over a tree.
struct tree_count {
    census counted;
    double absorbed = 0;
};

// Methods that are const read, the others write. Gathering goes on for long and reads other
// elements, which gather as well. So it is called unguarded: it must not keep others out. What it
// changes no other method looks at before all have gathered, but for children_, which divide()
// changes without a wait.
class shared_element {
public:
    // A root: the patch of this number.
    explicit shared_element(std::uint64_t patch);
    explicit shared_element(const record& of) : seen_(of) {}

    // What others need to know. It does not change while elements gather.
    record facts() const { return seen_; }
    // An interaction needs no more than this once its visibility is known.
    brightness bright() const { return {seen_.radiosity, seen_.area}; }
    double energy() const;
    // Makes the children, unless there are some, and gives their names.
    std::array<element_name, 4> divide();

    // Lists the interactions of a root with all others.
    void list_interactions(element_array roots);
    // Refines what the element has listed and what its parent has found for it. Then it sums up
    // what arrives, and its children do the same.
    lazult::concert::task<void> gather(interaction_list from_parent);
    // Sets the radiosity of the element and all below it, when all have gathered. `down` is what
    // the parents have gathered. Gives what these have gathered.
    lazult::concert::outcome<colour> settle(colour down);

    // Adds this element and all below it, parents first.
    lazult::concert::task<tree_count> count(tree_count so_far) const;
    // Ends all elements below this one.
    lazult::concert::outcome<void> end_children();

private:
    // An interaction that a division has made.
    struct part {
        std::size_t quarter;  // of the receiver, if that was divided
        shared_interaction made;
    };
    struct division {
        std::size_t index;  // of what was divided, in the list
        bool is_of_receiver;
        std::vector<part> parts;
    };
    // Interactions that are judged together, and what becomes of those that are not exact enough,
    // in the order in which it turns out.
    struct round {
        interaction_list list;
        std::vector<division> divisions;
        std::size_t count = 0;  // how many interactions the element has, with these
    };
    using lists_of_children = std::array<interaction_list, 4>;

    static lazult::concert::outcome<void> judge_all(shared_element* self, round* in);
    static lazult::concert::outcome<void> judge_one(std::int64_t i, shared_element* self,
                                                    round* in);
    lazult::concert::outcome<void> see(round& in, std::size_t i, const record& source);
    verdict judge(round& in, std::size_t i, const brightness& source) const;
    lazult::concert::outcome<void> read_and_divide(round& in, std::size_t i, verdict found) const;
    lazult::concert::outcome<void> divide_one(round& in, std::size_t i, verdict found,
                                              const record& source) const;
    division divide_receiver(const round& in, std::size_t i, const record& source) const;
    division divide_source(std::size_t i, const record& source,
                           const std::array<element_name, 4>& into) const;
    // Gives what is to be judged next.
    interaction_list sort_out(round& in, lists_of_children& for_children);
    colour sum_of_interactions() const;
    bool is_leaf() const { return !children_[0]; }

    record seen_;
    colour incoming_{};  // what its own interactions bring, reflected
    interaction_list interactions_;
    std::uint64_t visibilities_ = 0;  // computed so far, for its interactions
    std::array<element_name, 4> children_{};
};

}  // namespace radiosity
