// SPDX-License-Identifier: BSD-3-Clause
#include "model/dependences.hpp"

#include <algorithm>
#include <unordered_map>

namespace lazult::omp {

namespace {

void name(dependence_node* node) noexcept {
    node->references.fetch_add(1, std::memory_order_relaxed);
}

// A counted reference to a node.
class node_name {
public:
    node_name() noexcept = default;
    explicit node_name(dependence_node* node) noexcept : node_(node) { name(node); }
    node_name(node_name&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
    node_name& operator=(node_name&& other) noexcept {
        std::swap(node_, other.node_);
        return *this;
    }
    ~node_name() {
        if (node_ != nullptr) {
            release_node(node_);
        }
    }
    dependence_node* get() const noexcept { return node_; }

private:
    dependence_node* node_ = nullptr;
};

// The last accesses to an address, by the clauses of the children.
struct address_history {
    std::vector<node_name> writers;  // the last writer
    std::vector<node_name> readers;  // the readers since then
    std::size_t many_readers = 16;   // at so many readers, those that are done are dropped
};

enum class access : std::uint8_t { in = 1, out = 2, inout = 3, mutex_set = 4 };

struct depend_object {
    void* address;
    std::uintptr_t kind;
};

}  // namespace

struct dependences {
    std::unordered_map<void*, address_history> by_address;
};

namespace {

void add_edge(dependence_node* from, dependence_node* to) {
    if (from == to) {
        return;
    }
    const std::lock_guard hold(from->lock);
    if (!from->done) {
        from->successors.push_back(to);
        name(to);
        // relaxed: the creator's own count keeps `pending` above 0
        to->pending.fetch_add(1, std::memory_order_relaxed);
    }
}

void add_edges(const std::vector<node_name>& from, dependence_node* to) {
    for (const node_name& each : from) {
        add_edge(each.get(), to);
    }
}

bool is_done(dependence_node& node) noexcept {
    const std::lock_guard hold(node.lock);
    return node.done;
}

void drop_done(std::vector<node_name>& nodes) {
    std::erase_if(nodes, [](const node_name& each) { return is_done(*each.get()); });
}

void note_reader(address_history& history, dependence_node* node) {
    add_edges(history.writers, node);
    if (history.readers.size() >= history.many_readers) {
        drop_done(history.readers);
        history.many_readers = std::max<std::size_t>(16, 2 * history.readers.size());
    }
    history.readers.emplace_back(node);
}

// Also for mutexinoutset: the members of such a set run one after another, in order of creation.
void note_writer(address_history& history, dependence_node* node) {
    add_edges(history.readers, node);
    add_edges(history.writers, node);
    history.readers.clear();
    history.writers.clear();
    history.writers.emplace_back(node);
}

void note_access(dependences& table, dependence_node* node, void* address, access how) {
    address_history& history = table.by_address[address];
    if (how == access::in) {
        note_reader(history, node);
    } else {
        note_writer(history, node);
    }
}

// Parses a depend list. Older form: the numbers of all addresses and of those written, the
// addresses. Newer form: 0, the numbers of all, of `out` and `inout`, of `mutexinoutset` and of
// `in` addresses, the addresses, depend objects.
struct parsed_clauses {
    std::size_t writers;
    std::size_t readers;
    std::size_t objects;
    void* const* first;
};

parsed_clauses parse(depend_clauses clauses) noexcept {
    void* const* list = clauses.list;
    const auto number = [list](int i) { return reinterpret_cast<std::uintptr_t>(list[i]); };
    if (number(0) != 0) {
        return {number(1), number(0) - number(1), 0, list + 2};
    }
    if (number(1) == 0) {
        return {0, 0, 0, list};  // no dependences: an iterator without values
    }
    const std::size_t writers = number(2) + number(3);
    return {writers, number(4), number(1) - writers - number(4), list + 5};
}

void note_all(dependences& table, dependence_node* node, depend_clauses clauses) {
    const parsed_clauses all = parse(clauses);
    void* const* at = all.first;
    for (std::size_t i = 0; i < all.writers; ++i) {
        note_access(table, node, *at++, access::out);
    }
    for (std::size_t i = 0; i < all.readers; ++i) {
        note_access(table, node, *at++, access::in);
    }
    for (std::size_t i = 0; i < all.objects; ++i) {
        const auto* object = static_cast<const depend_object*>(*at++);
        note_access(table, node, object->address, static_cast<access>(object->kind));
    }
}

dependence_node* make_node(task& parent, depend_clauses clauses, task* what) {
    if (parent.children_by_address == nullptr) {
        parent.children_by_address = new dependences;
    }
    auto* node = new dependence_node(what, &parent);
    note_all(*parent.children_by_address, node, clauses);
    return node;
}

}  // namespace

bool add_dependences(task& parent, task& child, depend_clauses clauses) {
    child.node = make_node(parent, clauses, &child);
    return take_pending(*child.node);
}

dependence_node* node_for_wait(task& parent, depend_clauses clauses) {
    dependence_node* node = make_node(parent, clauses, nullptr);
    take_pending(*node);
    return node;
}

void forget_dependences(task& parent) noexcept {
    delete std::exchange(parent.children_by_address, nullptr);
}

}  // namespace lazult::omp
