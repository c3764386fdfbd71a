// SPDX-License-Identifier: BSD-3-Clause
// Depend clauses. Each task has a table of what its children said of addresses, which its own flow
// alone uses. Each child with such clauses has a node, which knows its successors; nodes live as
// long as a table or a task names them.
#pragma once

#include "teams/team.hpp"

namespace lazult::omp {

// The lists of a depend clause as the interface passes them.
struct depend_clauses {
    void* const* list;
};

// Makes the task's node, with edges from all nodes that it must wait for. True if the task may
// start at once. Otherwise the thread that finishes its last predecessor makes it available.
bool add_dependences(task& parent, task& child, depend_clauses clauses);
// Makes a node for a construct of the parent itself, which then waits for the node. Give it back
// with finish_wait_node().
dependence_node* node_for_wait(task& parent, depend_clauses clauses);
bool is_waiting(const dependence_node& node) noexcept;
void release_node(dependence_node* node) noexcept;
// The construct that waited is done.
void finish_wait_node(thread& t, dependence_node* node);

void wait_for_predecessors(thread& t, task& self, const dependence_node& node);

// The task has completed: its successors may start.
void finish_node(thread* t, task& what) noexcept;
void forget_dependences(task& parent) noexcept;

}  // namespace lazult::omp
