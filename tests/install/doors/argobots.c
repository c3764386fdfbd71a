/* SPDX-License-Identifier: BSD-3-Clause */
#include <abt.h>
#include <stdio.h>

static void answer(void* where) { *(int*)where = 42; }

int main(int argc, char** argv) {
    int result = 0;
    ABT_xstream stream;
    ABT_thread thread;
    ABT_init(argc, argv);
    ABT_xstream_self(&stream);
    ABT_thread_create_on_xstream(stream, answer, &result, ABT_THREAD_ATTR_NULL, &thread);
    ABT_thread_free(&thread);
    ABT_finalize();
    printf("%d\n", result);
    return 0;
}
