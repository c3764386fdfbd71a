/* SPDX-License-Identifier: BSD-3-Clause */
/* The C interface alone, on the default queue, in a program that initialises MPI itself. */
#include <lazult_concert.h>

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                \
    do {                                                                                \
        if (!(condition)) {                                                             \
            fprintf(stderr, "%s:%d: this does not hold: %s (%s)\n", __FILE__, __LINE__, \
                    #condition, concert_last_error());                                  \
            abort();                                                                    \
        }                                                                               \
    } while (0)

static uint64_t sum;
static int texts;
static int reply_id;

static void on_words(int source, uint64_t a, uint64_t b, uint64_t c, uint64_t d, void* context) {
    CHECK(*(int*)context == 42);
    sum += a + b + c + d;
    CHECK(concert_send(source, reply_id, "thanks", 7) == CONCERT_OK);
}

static void on_text(int source, const void* buffer, size_t bytes, void* context) {
    CHECK(source >= 0 && context == NULL);
    CHECK(bytes == 7 && strcmp(buffer, "thanks") == 0);
    ++texts;
}

int main(int argc, char** argv) {
    int given = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &given);
    CHECK(given == MPI_THREAD_MULTIPLE);
    for (int time = 0; time < 2; ++time) {
        int answer = 42;
        int words_id = -1;
        sum = 0;
        texts = 0;
        CHECK(concert_init() == CONCERT_OK);
        CHECK(concert_register4("words", on_words, &answer, &words_id) == CONCERT_OK);
        CHECK(concert_register("text", on_text, NULL, &reply_id) == CONCERT_OK);
        for (int to = 0; to < concert_size(); ++to) {
            CHECK(concert_send4(to, words_id, 1, 10, 100, (uint64_t)concert_rank() * 1000) ==
                  CONCERT_OK);
        }
        CHECK(concert_flush() == CONCERT_OK);
        CHECK(concert_quiesce() == CONCERT_OK);
        const uint64_t size = (uint64_t)concert_size();
        CHECK(sum == size * 111 + 1000 * (size * (size - 1) / 2));
        CHECK(texts == concert_size());
        CHECK(concert_epoch() == 1);
        CHECK(concert_finalize() == CONCERT_OK);
    }
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        printf("plain_c: passed\n");
    }
    return MPI_Finalize();
}
