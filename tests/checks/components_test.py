# SPDX-License-Identifier: BSD-3-Clause
import unittest

from planted import planted_tree


class components(planted_tree):
    check = "components.py"
    clean = {
        "lazult/core/unit/unit.hpp": "#include <string>\n",
        "lazult/core/unit/unit.cpp": '#include "lazult/core/unit/unit.hpp"\n',
        "lazult/core/life/join.hpp": '#include "lazult/core/unit/unit.hpp"\n',
        "lazult/sync/mutex.hpp": "\n",
        "lazult/sync/mutex_slow.hpp": '#include "lazult/sync/mutex.hpp"\n',
        "lazult/sync/mutex.cpp": '#include "lazult/sync/mutex_slow.hpp"\n',
        "doors/mpi/src/door.hpp": "\n",
        "doors/mpi/src/calls/wait.cpp": '#include "waiting/poller.hpp"\n',
        "doors/mpi/src/waiting/poller.hpp": '#include "door.hpp"\n',
    }

    def test_clean_tree(self):
        self.assert_clean()

    def test_components_in_a_circle(self):
        self.assert_found(
            {
                "lazult/sync/timers.hpp": "\n",
                "lazult/sync/timers.cpp": '#include "lazult/sync/waiter.hpp"\n',
                "lazult/sync/waiter.hpp": "\n",
                "lazult/sync/waiter.cpp": '\n#include "lazult/sync/timers.hpp"\n',
            },
            "components in a circle",
            "lazult/sync/timers, lazult/sync/waiter",
        )

    def test_folders_of_a_floor_in_a_circle(self):
        self.assert_found(
            {
                "lazult/core/life/create.hpp": "\n",
                "lazult/core/unit/words.cpp": '#include "lazult/core/life/create.hpp"\n',
            },
            "folders in a circle",
            "lazult/core/life, lazult/core/unit",
        )

    def test_folders_of_a_door_in_a_circle(self):
        self.assert_found(
            {
                "doors/mpi/src/calls/life.hpp": "\n",
                "doors/mpi/src/waiting/watch.cpp": '#include "calls/life.hpp"\n',
            },
            "folders in a circle",
            "doors/mpi/src/calls, doors/mpi/src/waiting",
        )

    def test_an_include_in_a_comment_is_none(self):
        text = '// #include "lazult/core/life/join.hpp"\n'
        self.assert_clean({"lazult/core/unit/more.cpp": text})


if __name__ == "__main__":
    unittest.main()
