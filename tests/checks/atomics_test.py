# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree

CLEAN = """\
class word {
    std::atomic<int> state_{0};
    typename Atomics::template atomic<std::size_t> top_;
    int size;
    int read() const { return state_.load(std::memory_order_relaxed); }
    // pairs with: read_all(), load of state_
    void write(int v) { state_.store(v, std::memory_order_release); }
    bool swap(int& e, int d) {
        // pairs with: write()
        return state_.compare_exchange_strong(e, d, std::memory_order_acq_rel,
                                              std::memory_order_relaxed);
    }
    int forward(std::memory_order order) { size = 1; return state_.load(order); }
    void compiler() { std::atomic_signal_fence(std::memory_order_seq_cst); }
    void other() { file.store(name, text); }  // not atomic
    // state_.load() and std::atomic_thread_fence as words in a comment
};
"""


class atomics(planted_tree):
    check = "atomics.py"
    clean = {"lazult/ds/word.hpp": CLEAN}

    def plant(self, line):
        return {"lazult/ds/word.hpp": CLEAN + line + "\n"}

    def test_clean_tree(self):
        self.assert_clean()

    def test_calls_without_order(self):
        here = f"lazult/ds/word.hpp:{CLEAN.count(chr(10)) + 1}:"
        for call in ("x.load();", "x.store(f(1, 2));", "p->exchange(3);", "x.fetch_add(1);"):
            self.assert_found(self.plant(f"int f() {{ {call} }}"), here, "without a memory order")

    def test_compare_exchange_with_one_order(self):
        call = "x.compare_exchange_weak(a, b, std::memory_order_relaxed);"
        self.assert_found(self.plant(call), "without both memory orders")

    def test_default_order(self):
        self.assert_found(
            self.plant("int load(std::memory_order o = std::memory_order_relaxed);"),
            "default memory order",
        )

    def test_fence(self):
        line = "std::atomic_thread_fence(std::memory_order_seq_cst);  // pairs with: itself"
        self.assert_found(self.plant(line), "bare fence")

    def test_missing_pair(self):
        line = "\n\n\n\n\n\n\nint f() { return x.load(std::memory_order_acquire); }"
        self.assert_found(self.plant(line), "acquire names no pair")

    def test_pair_too_far_away(self):
        comment, order = (
            "// pairs with: g()",
            "int f() { return x.load(std::memory_order::acquire); }",
        )
        self.assert_clean(self.plant(comment + "\n" * 5 + order))
        self.assert_found(self.plant(comment + "\n" * 6 + order), "names no pair")

    def test_operators(self):
        for statement in (
            "state_++;",
            "++state_;",
            "state_ += 2;",
            "state_ = 4;",
            "p->top_ = 5;",
            "--q.top_;",
        ):
            self.assert_found(
                self.plant(f"void f() {{ {statement} }}"), "an operator on the atomic"
            )

    def test_operators_in_the_source_of_a_header(self):
        self.assert_found(
            {"lazult/ds/word.cpp": "void f() { state_ = 4; }\n"}, "lazult/ds/word.cpp:1:"
        )

    def test_exemption(self):
        self.assert_clean(self.plant("void f() { map.load(); }  // not atomic"))


if __name__ == "__main__":
    unittest.main()
