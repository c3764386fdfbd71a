# SPDX-License-Identifier: BSD-3-Clause
# Shortcuts over CMake's presets. `make help` lists them.

PREFIX ?= /usr/local
JOBS ?= $(shell nproc)

SOURCES = $(shell find lazult include doors tools apps bench examples tests \
    \( -name '*.cpp' -o -name '*.hpp' -o -name '*.h' -o -name '*.c' \) 2>/dev/null)

# Debian's, before one that pip put first in PATH: black changes its layout each year.
BLACK = $(firstword $(wildcard /usr/bin/black) black)

.PHONY: help deps build test test-sanitizers test-deep mutants coverage test-matrix fuzz \
    test-openmp test-mpi test-messages demo demo-mpi concert-figures bench-argobots bench-forks \
    bench-io bench-lending bench-openmp bench-peers bench-staying kmeans-openmp trust tables \
    install docs abi-dumps format format-check tidy clean

help:
	@echo "make build           the library and the command, optimised, into build/release"
	@echo "make test            all tests, optimised; the checks of the tree"
	@echo "make test-sanitizers the structures, schedulers and stress programs under sanitizers; each"
	@echo "                     header alone; the core on AArch64; the checker of kept addresses"
	@echo "make test-deep       the tests that make test leaves out for their length, such as the"
	@echo "                     larger models; then make fuzz for MINUTES=5"
	@echo "make fuzz            libFuzzer over programs of units and over texts of the environment,"
	@echo "                     for MINUTES=10; JOBS=1: one fuzzer at a time"
	@echo "make mutants         the tests of the core on copies with one planted error each: 95 % must"
	@echo "                     be found; goes on where it was interrupted"
	@echo "make test-matrix     the same in eight configurations: sanitizers, chaos, clang, ucontext,"
	@echo "                     AArch64"
	@echo "make test-openmp     gcc's own libgomp tests over our libgomp.so.1; RUNS=3 repeats them,"
	@echo "                     THREADS=4 sets OMP_NUM_THREADS"
	@echo "make test-mpi        all tests of the MPI door under each MPI, also those that make test"
	@echo "                     leaves out for their length"
	@echo "make test-messages   all tests of messages under each MPI, and of the programs on ranks"
	@echo "make demo            k-means over flight records and the technique sweep; plots in"
	@echo "                     build/report"
	@echo "make demo-mpi        graph500 and poisson2d on ranks: messages, MPI in ULTs, in OS threads;"
	@echo "                     tables, plots in build/report"
	@echo "make concert-figures Tables 1 and 4, Figures 10 to 15 of the Concert paper, measured and"
	@echo "                     simulated, beside the paper's outcomes; page, plots in build/report;"
	@echo "                     QUICK=1 tries the programs; ONLY=\"PART ...\" measures these parts;"
	@echo "                     goes on where it was interrupted"
	@echo "make bench-argobots PEER=PREFIX"
	@echo "                     this libabt against the one installed in PREFIX, in turns"
	@echo "make bench-forks     fork_join beside plain calls, in turns"
	@echo "make bench-io        lazult::io beside epoll, io_uring, Go and OS threads, in turns:"
	@echo "                     sockets, pipes, files; tables in build/report; CASES=\"echo reads\""
	@echo "                     measures these alone; OPTIONS= are those of bench/io/run.py"
	@echo "make bench-openmp    our libgomp.so.1 against gcc's and LLVM's, in turns; plot in"
	@echo "                     build/report"
	@echo "make bench-peers PREFIXES=\"NAME=PREFIX ...\""
	@echo "                     all that is promised against peers, in turns: see lazult bench peers"
	@echo "                     --help"
	@echo "make bench-staying   LAZULT_STARTED=stay beside move, door by door, in turns; DOORS=\"C++"
	@echo "                     Argobots OpenMP\" measures these alone; OPTIONS= are those of"
	@echo "                     bench/settings/run.py"
	@echo "make bench-lending   LAZULT_SPARE=5ms beside none, in the same way"
	@echo "make kmeans-openmp   k-means, one OpenMP task to a point, by technique and locks; plot in"
	@echo "                     build/report"
	@echo "make trust           runs what docs/trust.md lists, but for what takes long, and writes its"
	@echo "                     table; ROWS=\"NAME ...\" runs these alone"
	@echo "make tables          writes the other tables of results from docs/results;"
	@echo "                     TAKE=\"NAME FILE\" first takes over what a benchmark wrote by --json"
	@echo "make install         installs into PREFIX (now $(PREFIX))"
	@echo "make docs            reference pages of the public interfaces, the memory model with every"
	@echo "                     atomic, in build/docs"
	@echo "make deps            installs the Debian packages that the others need; says which and why"
	@echo "make abi-dumps WHAT=\"...\""
	@echo "                     dumps of the libraries' interfaces in tests/abi, and a line of the"
	@echo "                     changelog: docs/abi.md"
	@echo "make format          clang-format over C and C++, black over Python; make format-check"
	@echo "                     only reports, also lines of more than 100 columns"
	@echo "make coverage        which branches the tests take; fails where core, watch, sched, sync"
	@echo "                     or ds have fewer than 90 %"
	@echo "make tidy            clang-tidy over the library and the doors: what it finds is an error"
	@echo "make clean           removes build/"

deps:
	@tools/ci/deps.sh all

build:
	@tools/ci/deps.sh build
	cmake --preset release -DLAZULT_TESTS=OFF
	cmake --build --preset release -j $(JOBS)

test:
	@tools/ci/deps.sh build test openmp mpi
	@tools/ci/test.sh -j $(JOBS) release

test-sanitizers:
	@tools/ci/deps.sh build test
	@tools/ci/test.sh -j $(JOBS) headers tsan=ds,watch,sched,sync,io,stress,examples,concert \
	    asan=core,watch,sched,sync,io,stress,concert aarch64=arch,core checker

test-deep:
	@tools/ci/deps.sh build test openmp mpi
	cmake --preset release -DLAZULT_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -L '^deep$$' -j $(JOBS) --no-tests=error
	@$(MAKE) --no-print-directory fuzz MINUTES=$(or $(MINUTES),5)

mutants:
	@tools/ci/deps.sh build test
	python3 tools/ci/mutants.py --jobs $(JOBS)

fuzz:
	@tools/ci/deps.sh build test
	@tools/ci/fuzz.sh $(or $(MINUTES),10) $(JOBS)

test-matrix:
	@tools/ci/deps.sh build test mpi
	@tools/ci/test.sh -j $(JOBS)

test-openmp:
	@tools/ci/deps.sh build openmp
	@$(MAKE) --no-print-directory build
	python3 tests/doors/openmp/suite.py build/release -j $(JOBS) --runs $(or $(RUNS),1) \
	    $(if $(THREADS),--threads $(THREADS))

test-mpi:
	@tools/ci/deps.sh build test mpi
	cmake --preset release -DLAZULT_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -L '^mpi$$' --no-tests=error --output-on-failure

test-messages:
	@tools/ci/deps.sh build test mpi
	cmake --preset release -DLAZULT_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -L '^concert$$' --no-tests=error --output-on-failure

demo:
	@tools/ci/deps.sh build demo
	@$(MAKE) --no-print-directory build
	@if [ -f apps/demo/run.sh ]; then bash apps/demo/run.sh; else python3 apps/demo/run.py; fi

demo-mpi:
	@tools/ci/deps.sh build demo mpi
	@$(MAKE) --no-print-directory build
	python3 apps/demo/mpi.py --build build/release --json build/report/mpi.json
	/usr/bin/python3 tools/plots/plot_mpi.py build/report/mpi.json

concert-figures:
	@tools/ci/deps.sh build figures mpi
	@$(MAKE) --no-print-directory build
	python3 bench/concert/figures/run.py --build build/release --report build/report \
	    $(if $(QUICK),--quick) $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(ONLY),--only $(ONLY)) \
	    $(if $(AFRESH),--afresh) $(if $(MPI),--mpi $(MPI))

bench-forks: build
	for streams in 1 2; do build/release/bin/forks_bench $$streams 26 9; done

# What liburing and Go are needed for is left out where they are missing.
bench-io:
	@tools/ci/deps.sh build bench-io
	@$(MAKE) --no-print-directory build
	mkdir -p build/report
	python3 bench/io/run.py --build build/release --json build/report/io.json \
	    --page build/report/io.md --revision "$$(git rev-parse --short HEAD 2>/dev/null)" \
	    $(CASES) $(OPTIONS)

bench-argobots: build
	@if [ -z "$(PEER)" ]; then \
	    echo "make bench-argobots: say PEER=PREFIX, where the other library is installed" >&2; \
	    exit 2; \
	fi
	python3 bench/argobots/compare.py --program build/release/bin/abt_bench \
	    --ours build/release/lib --peer "$(PEER)"

# The peers of bench-openmp: give others, or none, by GOMP= and LIBOMP=.
GOMP ?= $(shell gcc -print-file-name=libgomp.so.1)
LIBOMP ?= $(shell clang-19 -print-file-name=libomp.so.5)

bench-openmp:
	@tools/ci/deps.sh build peers
	@$(MAKE) --no-print-directory build
	mkdir -p build/report
	build/release/bin/lazult bench openmp --json build/report/openmp.json \
	    $(if $(GOMP),--peer gcc=$(GOMP)) $(if $(LIBOMP),--peer llvm=$(LIBOMP)) $(CASES)
	/usr/bin/python3 tools/plots/plot_openmp.py build/report/openmp.json

# Our side is what an installation has. ROWS= names some rows, OPTIONS= are those of `lazult bench
# peers`.
bench-peers:
	@tools/ci/deps.sh build bench-peers
	@$(MAKE) --no-print-directory build
	cmake --install build/release --prefix build/peers >build/peers.log
	mkdir -p build/report
	build/peers/bin/lazult bench peers $(foreach each,$(PREFIXES),--prefix $(each)) \
	    --json build/report/peers.json --page build/report/peers.md \
	    --revision "$$(git rev-parse --short HEAD 2>/dev/null)" $(OPTIONS) $(ROWS)

bench-staying: build
	python3 bench/settings/run.py staying --build build/release $(DOORS) $(OPTIONS)

bench-lending: build
	python3 bench/settings/run.py lending --build build/release $(DOORS) $(OPTIONS)

kmeans-openmp:
	@tools/ci/deps.sh build demo
	@$(MAKE) --no-print-directory build
	python3 apps/kmeans/openmp_techniques.py --build build/release \
	    --json build/report/kmeans-openmp.json
	/usr/bin/python3 tools/plots/plot_kmeans_openmp.py build/report/kmeans-openmp.json

# Rows of other builds than release need that build: tools/docs/trust.py --list.
trust:
	@tools/ci/deps.sh build test openmp mpi
	cmake --preset release -DLAZULT_TESTS=ON
	cmake --build --preset release -j $(JOBS)
	python3 tools/docs/trust.py $(if $(ROWS),--row $(ROWS))

tables:
	python3 tools/docs/tables.py $(if $(TAKE),--take $(TAKE))

install: build
	cmake --install build/release --prefix $(PREFIX)

docs:
	@tools/ci/deps.sh docs
	rm -rf build/docs
	mkdir -p build/docs
	doxygen docs/doxygen/native.doxyfile
	doxygen docs/doxygen/argobots.doxyfile
	doxygen docs/doxygen/concert.doxyfile
	python3 tools/checks/memory_model.py . --page build/docs/memory-model.md
	@echo "build/docs/{native,argobots,concert}/index.html, build/docs/memory-model.md"

# What has changed must be said, for the changelog: tools/checks/abi.py.
abi-dumps:
	@tools/ci/deps.sh build test openmp mpi
	cmake --preset release -DLAZULT_TESTS=ON
	cmake --build --preset release -j $(JOBS) --target abi_libraries
	python3 tools/checks/abi.py . build/release/interfaces.txt --renew "$(WHAT)"

format:
	clang-format-19 -i $(SOURCES)
	$(BLACK) --quiet .

format-check:
	@python3 tools/checks/format.py .

coverage:
	@tools/ci/deps.sh build test
	python3 tools/ci/coverage.py --at-least 90

tidy:
	@tools/ci/deps.sh build test mpi
	cmake --preset clang -DLAZULT_TESTS=OFF -DLAZULT_PRECOMPILE=OFF -B build/tidy
	python3 tools/ci/tidy.py build/tidy -j $(JOBS)

clean:
	rm -rf build
