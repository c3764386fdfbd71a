// SPDX-License-Identifier: BSD-3-Clause
// Ping-pong between two ranks: plain MPI by the main thread; n ULTs at once that call the same
// functions; and, as what MPI itself charges for n messages under way, the main thread alone with n
// requests and MPI_Testsome. In turns, so that all meet the same machine; medians, with the
// quartiles. What `lazult bench mpi` runs.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <lazult/lazult.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

struct options {
    int rounds = 4096;  // of all ULTs together
    int repetitions = 15;
    int bytes = 8;
    std::vector<int> units{1, 8, 64, 512};
};

options read(int argc, char** argv) {
    options given;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const int value = std::atoi(argv[i + 1]);
        if (name == "--rounds") {
            given.rounds = value;
        } else if (name == "--reps") {
            given.repetitions = value;
        } else if (name == "--bytes") {
            given.bytes = value;
        } else if (name == "--units") {  // this number alone
            given.units = {value};
        }
    }
    return given;
}

int rank() {
    int mine = 0;
    PMPI_Comm_rank(MPI_COMM_WORLD, &mine);
    return mine;
}

template <class Send, class Receive>
void play(int rounds, Send send, Receive receive) {
    for (int i = 0; i < rounds; ++i) {
        if (rank() == 0) {
            send();
            receive();
        } else {
            receive();
            send();
        }
    }
}

// The profiling names: past the library.
void play_plain(const options& how) {
    std::vector<char> buffer(static_cast<std::size_t>(how.bytes));
    const int peer = 1 - rank();
    play(
        how.rounds, [&] { PMPI_Send(buffer.data(), how.bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD); },
        [&] {
            PMPI_Recv(buffer.data(), how.bytes, MPI_CHAR, peer, 0, MPI_COMM_WORLD,
                      MPI_STATUS_IGNORE);
        });
}

// One thread, n games at once, each with one receive under way.
class requests_in_flight {
public:
    requests_in_flight(const options& how, int games)
        : bytes_(how.bytes),
          left_(static_cast<std::size_t>(games), how.rounds / games),
          buffers_(static_cast<std::size_t>(games) * static_cast<std::size_t>(how.bytes)),
          requests_(static_cast<std::size_t>(games), MPI_REQUEST_NULL),
          done_(static_cast<std::size_t>(games)) {}

    void play() {
        for (int game = 0; game < games(); ++game) {
            if (rank() == 0) {
                send(game);
            }
            receive(game);
        }
        for (int found = 0; found != MPI_UNDEFINED;) {
            PMPI_Testsome(games(), requests_.data(), &found, done_.data(), MPI_STATUSES_IGNORE);
            for (int i = 0; i < (found == MPI_UNDEFINED ? 0 : found); ++i) {
                go_on(done_[static_cast<std::size_t>(i)]);
            }
        }
    }

private:
    int games() const { return static_cast<int>(requests_.size()); }
    char* buffer(int game) { return buffers_.data() + static_cast<std::ptrdiff_t>(game) * bytes_; }

    // Called after a receive, which ends rank 0's round. Rank 0 sends if there is another round.
    // The other rank answers in any case.
    void go_on(int game) {
        const bool is_last = --left_[static_cast<std::size_t>(game)] == 0;
        if (rank() != 0 || !is_last) {
            send(game);
        }
        if (!is_last) {
            receive(game);
        }
    }
    void send(int game) {
        PMPI_Send(buffer(game), bytes_, MPI_CHAR, 1 - rank(), game, MPI_COMM_WORLD);
    }
    void receive(int game) {
        PMPI_Irecv(buffer(game), bytes_, MPI_CHAR, 1 - rank(), game, MPI_COMM_WORLD,
                   &requests_[static_cast<std::size_t>(game)]);
    }

    int bytes_;
    std::vector<int> left_;
    std::vector<char> buffers_;
    std::vector<MPI_Request> requests_;
    std::vector<int> done_;
};

void play_in_units(const options& how, int units) {
    const int peer = 1 - rank();
    lazult::task_group all;
    for (int u = 0; u < units; ++u) {
        all.run([&how, units, peer, u] {
            std::vector<char> buffer(static_cast<std::size_t>(how.bytes));
            play(
                how.rounds / units,
                [&] { MPI_Send(buffer.data(), how.bytes, MPI_CHAR, peer, u, MPI_COMM_WORLD); },
                [&] {
                    MPI_Recv(buffer.data(), how.bytes, MPI_CHAR, peer, u, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
                });
        });
    }
    all.wait();
}

// Nanoseconds for a message.
template <class Play>
double measure(const options& how, int units, Play play_once) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double start = PMPI_Wtime();
    play_once();
    const int messages = how.rounds / units * units * 2;
    return (PMPI_Wtime() - start) * 1e9 / messages;
}

double at(std::vector<double> all, double share) {
    std::sort(all.begin(), all.end());
    return all[static_cast<std::size_t>(share * static_cast<double>(all.size() - 1))];
}

void print(const std::string& what, const std::vector<double>& all, double plain) {
    std::printf("%-13s %9.1f ns a message  (quartiles %.1f to %.1f)  %5.2f times plain\n",
                what.c_str(), at(all, 0.5), at(all, 0.25), at(all, 0.75), at(all, 0.5) / plain);
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const options how = read(argc, argv);
    int ranks = 0;
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (ranks != 2) {
        std::fprintf(stderr, "ping_pong: it was started with %d ranks; start it with 2\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    {
        const lazult::runtime running;
        std::vector<double> plain;
        std::vector<std::vector<double>> in_units(how.units.size());
        std::vector<std::vector<double>> in_flight(how.units.size());
        for (int repetition = 0; repetition <= how.repetitions; ++repetition) {
            const bool counts = repetition != 0;  // the first one warms up
            const double alone = measure(how, 1, [&] { play_plain(how); });
            if (counts) {
                plain.push_back(alone);
            }
            for (std::size_t i = 0; i < how.units.size(); ++i) {
                const int units = how.units[i];
                const double time = measure(how, units, [&] { play_in_units(how, units); });
                const double bare =
                    measure(how, units, [&] { requests_in_flight(how, units).play(); });
                if (counts) {
                    in_units[i].push_back(time);
                    in_flight[i].push_back(bare);
                }
            }
        }
        if (rank() == 0) {
            print("plain MPI", plain, at(plain, 0.5));
            for (std::size_t i = 0; i < how.units.size(); ++i) {
                print(std::to_string(how.units[i]) + " ULTs", in_units[i], at(plain, 0.5));
            }
            for (std::size_t i = 0; i < how.units.size(); ++i) {
                print(std::to_string(how.units[i]) + " requests", in_flight[i], at(plain, 0.5));
            }
        }
    }
    MPI_Finalize();
}
