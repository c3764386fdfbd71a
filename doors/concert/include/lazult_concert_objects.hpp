// SPDX-License-Identifier: BSD-3-Clause
/// @file
/// Objects that live somewhere: each has one name that is valid on every rank, and methods that are
/// called from anywhere. A call goes to the object. Where that is in the caller's own strand it is
/// a plain call. On another rank it is a message; there the method runs inside the message's
/// handler, if no thread is inside the object's strand, and if it does not block its result goes
/// back at once.
///
///     struct counter {
///         long sum = 0;
///         long add(long n) { return sum += n; }
///         long value() const { return sum; }
///     };
///
///     concert::session world;
///     if (world.rank() == 0) {
///         const auto c = concert::run(concert::on(1), concert::create<counter>);
///         concert::run(&counter::add, c, 5L);
///     }
///     world.quiesce();  // here other ranks serve calls
///
/// Calls between ranks need a session (<lazult_concert.hpp>) and are messages of its default queue:
/// they run wherever messages run, in concert_extract() and concert_quiesce(), and while a thread
/// waits in run(), which runs messages of all queues. A message's handler may not call run().
/// quiesce() waits for calls as for all messages, and for what goes on in contexts. All ranks run
/// the same program. Objects may also be used without a session, inside one process.
///
/// Source: Karamcheti, Plevyak, Chien, "Runtime Mechanisms for Efficient Dynamic Multithreading",
/// sections 5 and 6.
#pragma once

#include <lazult_concert.hpp>
#include <lazult_concert/array.hpp>
#include <lazult_concert/cache.hpp>
#include <lazult_concert/remote_call.hpp>
#include <lazult_concert_methods.hpp>
