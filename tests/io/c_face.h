/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks of <lazult/io.h>, compiled as C11. Each runs in the unit or OS thread that calls it, and
 * returns NULL or what is not so. c_face_test.cpp calls them. */
#ifndef LAZULT_TESTS_IO_C_FACE_H
#define LAZULT_TESTS_IO_C_FACE_H

#ifdef __cplusplus
extern "C" {
#endif

const char* c_face_pipes(void);
const char* c_face_sockets(void);
const char* c_face_messages(void);
const char* c_face_polls(void);
const char* c_face_files(const char* folder);
const char* c_face_errors(void);
const char* c_face_times(void);
const char* c_face_stops(void);
const char* c_face_a_stop_that_is_freed(void);
const char* c_face_sleeps(void);
const char* c_face_calls(void);
const char* c_face_ownership(void);
const char* c_face_close(void);

/* In a tasklet. */
const char* c_face_without_waiting(const char* folder);

/* Reads a pipe that an OS thread writes to 20 ms after this call. */
const char* c_face_late_read(void);

/* Waits in a read until the caller is cancelled, and leaves nothing open. *words says whether each
 * step was as it should be. */
void c_face_is_cancelled(const char** words);

#ifdef __cplusplus
}
#endif

#endif
