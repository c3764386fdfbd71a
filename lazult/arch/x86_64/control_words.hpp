// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a switch compares the control words before it loads them: switch.S says why.
#ifndef LAZULT_ARCH_X86_64_CONTROL_WORDS_HPP
#define LAZULT_ARCH_X86_64_CONTROL_WORDS_HPP

namespace lazult::arch {

extern "C" {

// 1: switches load the words only if a control bit differs. 0: they always load them. Both values
// are correct on every processor. The value is 1 until the library is loaded, and then measured.
extern unsigned char lazult_compares_words;
void lazult_choose_how_words_are_loaded() noexcept;
}

// Measures on the calling OS thread, for about 3 microseconds. Returns true if a load that changes
// MXCSR takes at least 10 TSC cycles more than one that does not.
bool changing_loads_are_dear() noexcept;

}  // namespace lazult::arch

#endif
