// SPDX-License-Identifier: BSD-3-Clause
// Depend clauses. Each task has a table of the accesses that its children's clauses name; only the
// task's own unit uses it. Each child with such clauses has a node, which lists its successors. A
// node lives as long as a table, a task or a predecessor refers to it.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "model/task.hpp"

namespace lazult::omp {

// field        written by                       read by          order
// references   holders of a reference           the last holder  acq_rel
// pending      the creator, finishers of        finishers, and   seq_cst: see parking.hpp
//              predecessors                     the waiter
// done         the finisher, under lock         creators         the lock's
// successors   creators, under lock             the finisher     the lock's
// what, waiter the creator                      finishers of     a predecessor's lock, under
//                                               predecessors     which add_edge() lists this node
struct dependence_node {
    dependence_node(task* one, const task* parent) noexcept : what(one), waiter(parent) {}

    atomic<std::uint32_t> references{1};
    // unfinished predecessors, and 1 for the creator until all edges are there; at 0 the task may
    // start or go on
    atomic<std::uint32_t> pending{1};
    spin_lock lock;
    bool done = false;
    task* what;          // task to start; nullptr: task `waiter` itself waits for the node
    const task* waiter;  // the parent of the predecessors
    std::vector<dependence_node*> successors;
};

// The lists of a depend clause as the interface passes them.
struct depend_clauses {
    void* const* list;
};

// Makes the child's node, with edges from all nodes that it must wait for. Returns true if the
// child may start at once. Otherwise the end of its last predecessor makes it available.
bool add_dependences(task& parent, task& child, depend_clauses clauses);
// Makes a node for a construct at which the parent itself waits, such as taskwait with a depend
// clause. Release the node by finish_node().
dependence_node* node_for_wait(task& parent, depend_clauses clauses);
inline bool is_waiting(const dependence_node& node) noexcept {
    return node.pending.load(std::memory_order_seq_cst) != 0;  // pairs with: take_pending()
}
// Takes a predecessor away from those that the node waits for. Returns true if it was the last one.
inline bool take_pending(dependence_node& node) noexcept {
    // pairs with: itself, of the other predecessors, and is_waiting()
    return node.pending.fetch_sub(1, std::memory_order_seq_cst) == 1;
}
// Marks the node's task as completed, and returns its successors. For each of them the caller calls
// take_pending() and release_node().
inline std::vector<dependence_node*> end_node(dependence_node& node) noexcept {
    const std::lock_guard hold(node.lock);
    node.done = true;
    return std::move(node.successors);  // no thread adds one any more
}
inline void release_node(dependence_node* node) noexcept {
    // acq_rel pairs with: itself: what other holders did to the node
    if (node->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
        delete node;
    }
}

void forget_dependences(task& parent) noexcept;

}  // namespace lazult::omp
