// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Simulated ranks: a program of methods and objects runs on any number of ranks in one process, in
/// virtual time. The runtime is the same as for real ranks; a table says what each operation costs.
///
///     concert::simulated_run run = concert::simulate(
///         concert::machine::t3d(), 32, {}, [](concert::simulated_rank& me) {
///             ... concert::run(...) ...
///             me.spend(10'000);  // computes for ten microseconds, by this rank's clock
///         });
///
/// Each rank has a clock. Each operation moves the clock forward by its cost. The rank with the
/// earliest clock runs next. So a run depends on the program and the table alone, and two runs give
/// the same clocks and counts.
///
/// Source: Karamcheti, Plevyak, Chien, "Runtime Mechanisms for Efficient Dynamic Multithreading",
/// Tables 1, 2, 4 and 5, for the costs of the Cray T3D.
#pragma once

#include <lazult_concert_methods.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace lazult::concert {

/// What a message of so many bytes costs, in nanoseconds. Between two sizes of a table the costs
/// lie on a line.
struct message_cost {
    double bytes = 0;           ///< of the message
    double source_ns = 0;       ///< the sender's time, where nothing is in its way
    double destination_ns = 0;  ///< the receiver's time, when it takes the message
    double wire_ns = 0;         ///< between the two, when nobody works for it
};

/// What things cost on a machine, in nanoseconds.
struct machine {
    std::string name;  ///< for reports

    /// A call in a context: its context, its run, its end, the future, and the caller's wait.
    double heap_call_ns = 0;
    /// A method that goes over from the stack to a context: what it keeps, without the context.
    double fallback_ns = 0;
    /// A context that no call begins in: made, run once, and given back.
    double context_ns = 0;
    /// The future of a call to another place, where calls run on the stack.
    double future_ns = 0;
    /// A call on the stack, more than a call of C: see simulated_rank::spend_calls().
    double stack_call_ns = 0;

    /// How long a loop of calls runs before it lets messages and other methods come in; 0: to its
    /// end.
    double slice_ns = 0;

    /// Receivers accept one pushed message at a time, at so many nanoseconds for each byte.
    double byte_ns = 0;
    std::vector<message_cost> push;  ///< sizes ascend; at least one
    std::vector<message_cost> pull;  ///< the same

    std::uint32_t ring_slots = 256;   ///< push: slots for messages that a receiver has not taken
    std::uint32_t slot_bytes = 1152;  ///< push: of one of these; a multiple of 64
    std::size_t pool_bytes = std::size_t{4} << 20;  ///< pull: what a sender may have under way

    /// The Cray T3D of the paper (150 MHz), by its Tables 1, 2, 4 and 5. Loops run to their end:
    /// the paper does not say that they let others come in.
    LAZULT_API static machine t3d();
    /// The same with loops that give way after 3.3 ms: 33 times as late as those of real ranks,
    /// because a heap call takes 33 times as long there.
    LAZULT_API static machine t3d_with_slices();
};

/// Of the runtime. The paper's four: base is {false, false}, stack {true, false}, pull {false,
/// true}, and stack+pull {true, true}.
struct simulated_version {
    bool calls_on_stack = true;  ///< false: each call begins in a context
    bool pulls = true;           ///< false: messages are pushed into the receiver's ring
};

/// What one rank did.
struct rank_report {
    double clock_ns = 0;        ///< at the end, before the last wait for others
    double spent_ns = 0;        ///< by spend()
    double idle_ns = 0;         ///< nothing had come, and nothing was ready
    double blocked_ns = 0;      ///< in senders that waited for a slot or for the receiver
    std::uint64_t sent = 0;     ///< messages to other ranks; each is one packet
    std::uint64_t bytes = 0;    ///< in them
    std::uint64_t blocked = 0;  ///< messages that waited
    method_counters methods;    ///< what the runtime has counted
};

/// What came of a simulation.
struct simulated_run {
    double elapsed_ns = 0;           ///< until the last rank was done
    std::vector<rank_report> ranks;  ///< by rank
    rank_report sum;                 ///< of all ranks; its clock is the largest
};

/// A rank of a simulation, as its program sees it. The program runs outside of methods. It makes
/// calls by run(), as in a session. A rank takes messages and runs contexts while it waits in
/// run(), in extract() and in quiesce().
class LAZULT_API simulated_rank {
public:
    simulated_rank(const simulated_rank&) = delete;
    simulated_rank& operator=(const simulated_rank&) = delete;

    /// From 0 to size() - 1.
    int rank() const noexcept;
    /// How many ranks there are.
    int size() const noexcept;
    /// This rank's clock.
    double now_ns() const noexcept;
    /// Takes messages and runs contexts, until no message has come and no context is ready.
    void extract();
    /// Waits until no rank has anything to do: each has called this or has ended, no message is
    /// under way, no context is ready. Then all clocks show the latest of them.
    void quiesce();
    /// Sends so many bytes, which the receiver takes and throws away. Returns the sender's time in
    /// nanoseconds. Throws error: invalid_argument.
    double send(int rank, std::size_t bytes);

protected:
    simulated_rank() = default;
    ~simulated_rank() = default;
};

/// Runs program(rank) for each rank, until all are done with everything. Each rank is a ULT with
/// one strand and 1 MiB of stack. All ranks are on one stream, which is made for them, and one runs
/// at a time. May suspend. A program that throws ends; when all have ended the first of these
/// exceptions is thrown. Not while a session exists, nor in a simulation: throws error:
/// not_supported. invalid_argument: fewer than 1 rank or more than 1024, or a table without sizes.
LAZULT_API simulated_run simulate(const machine& costs, int ranks, simulated_version version,
                                  const std::function<void(simulated_rank&)>& program);

/// Returns true in a simulated rank.
LAZULT_API bool is_simulated() noexcept;
/// In a simulated rank, inside a method or not: the clock goes on by so many nanoseconds, in which
/// the rank does nothing else. Elsewhere it does nothing.
LAZULT_API void spend(double ns) noexcept;
/// In a simulated rank: adds the cost of so many calls on the stack, if calls run there. The
/// runtime does not count these, because that would cost as much as the calls. Elsewhere it does
/// nothing.
LAZULT_API void spend_calls(unsigned count) noexcept;

}  // namespace lazult::concert
