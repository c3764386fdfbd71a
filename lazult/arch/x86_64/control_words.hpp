// SPDX-License-Identifier: BSD-3-Clause
// Whether a switch compares the floating-point control words before it loads them: switch.S says
// why.
#ifndef LAZULT_ARCH_X86_64_CONTROL_WORDS_HPP
#define LAZULT_ARCH_X86_64_CONTROL_WORDS_HPP

namespace lazult::arch {

extern "C" {

// 1: switches load the words only where a control bit differs. 0: they load them always. Both are
// right on every processor. It is settled when the library is loaded, and is 1 until then.
extern unsigned char lazult_compares_words;
void lazult_choose_how_words_are_loaded() noexcept;
}

// Measured on the calling OS thread, in about 3 microseconds: whether a load that changes MXCSR
// takes at least 10 TSC cycles more than one that leaves it as it is.
bool changing_loads_are_dear() noexcept;

}  // namespace lazult::arch

#endif
