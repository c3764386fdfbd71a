# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree


class floors(planted_tree):
    check = "floors.py"
    clean = {
        "lazult/base/base.hpp": '#include "lazult/base/status.hpp"\n',
        "lazult/base/status.hpp": "#include <string>\n",
        "lazult/arch/arch.hpp": '#include "lazult/base/base.hpp"\n#ifdef __x86_64__\n#endif\n',
        "lazult/os/os.hpp": '#if defined(__linux__)\n#endif\n',
        "lazult/ds/ds.hpp": '#include "lazult/os/os.hpp"\n#include "lazult/ds/deque.hpp"\n',
        "lazult/ds/deque.hpp": "\n",
        "lazult/topo/topo.hpp": "\n",
        "lazult/core/core.hpp": '// #include "lazult/sched/sched.hpp" as a word in a comment\n',
        "lazult/sched/sched.hpp": '#include "lazult/core/core.hpp"\n',
        "lazult/api/thread.cpp": "#include <lazult/thread.hpp>\n",
        "include/lazult/thread.hpp": "#include <utility>\n",
        "doors/glt/glt.cpp": (
            '#include "lazult/sched/sched.hpp"\n#include <lazult/thread.hpp>\n#include "glt.h"\n'
        ),
        "doors/glt/include/glt.h": "\n",
        "doors/mpi/mpi.hpp": "\n",
    }

    def test_clean_tree(self):
        self.assert_clean()

    def test_upward(self):
        text = '\n#include "lazult/sched/sched.hpp"\n'
        self.assert_found({"lazult/core/ult.cpp": text}, "lazult/core/ult.cpp:2:", "upward")

    def test_upward_to_the_public_door(self):
        self.assert_found(
            {"lazult/core/ult.cpp": "#include <lazult/thread.hpp>\n"},
            "lazult/core/ult.cpp:1:",
            "upward",
        )

    def test_past_the_umbrella(self):
        text = '#include "lazult/ds/deque.hpp"\n'
        self.assert_found(
            {"lazult/core/ult.cpp": text}, "lazult/core/ult.cpp:1:", "lazult/ds/ds.hpp instead"
        )

    def test_ds_and_topo_do_not_see_each_other(self):
        self.assert_found(
            {"lazult/ds/a.cpp": '#include "lazult/topo/topo.hpp"\n'}, "lazult/ds/a.cpp:1:", "across"
        )
        self.assert_found(
            {"lazult/topo/a.cpp": '#include "lazult/ds/ds.hpp"\n'}, "lazult/topo/a.cpp:1:", "across"
        )

    def test_circle(self):
        files = {
            "lazult/ds/deque.hpp": '#include "lazult/ds/ring.hpp"\n',
            "lazult/ds/ring.hpp": '\n\n#include "deque.hpp"\n',
        }
        self.assert_found(files, "circle:", "lazult/ds/ring.hpp:3:")

    def test_public_header_with_internals(self):
        files = {"include/lazult/mutex.hpp": '#include "lazult/core/core.hpp"\n'}
        self.assert_found(files, "include/lazult/mutex.hpp:1:", "internal")

    def test_door_sees_door(self):
        files = {"doors/glt/glt.cpp": '#include "doors/mpi/mpi.hpp"\n'}
        self.assert_found(files, "doors/glt/glt.cpp:1:", "across")

    def test_architecture_outside_arch(self):
        self.assert_found(
            {"lazult/core/a.cpp": "\n#if defined(__aarch64__)\n#endif\n"}, "lazult/core/a.cpp:2:"
        )
        self.assert_found(
            {"lazult/core/a.cpp": "#if 0\n#elif \\\n __x86_64__\n#endif\n"}, "lazult/core/a.cpp:2:"
        )

    def test_system_outside_os_and_probe(self):
        self.assert_found(
            {"lazult/sync/a.cpp": "#ifdef __linux__\n#endif\n"}, "lazult/sync/a.cpp:1:"
        )

    def test_sanitizer_outside_os_and_probe(self):
        files = {"lazult/sync/a.cpp": "#if __has_feature(thread_sanitizer)\n#endif\n"}
        self.assert_found(files, "lazult/sync/a.cpp:1:", "sanitizer")
        self.assert_clean({"lazult/probe/a.cpp": files["lazult/sync/a.cpp"]})

    def test_include_of_nothing(self):
        self.assert_found(
            {"lazult/core/a.cpp": '#include "lazult/core/gone.hpp"\n'},
            "lazult/core/a.cpp:1:",
            "gone.hpp",
        )

    def test_unknown_floor(self):
        self.assert_found({"lazult/attic/a.cpp": "\n"}, "lazult/attic/a.cpp:1:", "no floor")


if __name__ == "__main__":
    unittest.main()
