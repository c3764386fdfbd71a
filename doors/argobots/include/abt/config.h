/* SPDX-License-Identifier: BSD-3-Clause */
/** @file
 * Version numbers, and the attributes that the other headers use. */
#ifndef ABT_CONFIG_H_INCLUDED
#define ABT_CONFIG_H_INCLUDED

/* Clients expect abt.h to include these. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

/** The release of Argobots that has this interface: MAJOR.MINOR[.REVISION][a|b|rc|p NUMBER]. */
#define ABT_VERSION "1.2"

/** Values of TYPE in ABT_CALC_VERSION. */
/** @{ */
#define ABT_RELEASE_TYPE_ALPHA 0
#define ABT_RELEASE_TYPE_BETA 1
#define ABT_RELEASE_TYPE_RC 2
#define ABT_RELEASE_TYPE_PATCH 3 /**< also for plain releases, with PATCH 0 */
/** @} */

/** A version as one number, for comparing with ABT_NUMVERSION. Its decimal digits are M mm rr t pp:
 * MAJOR, MINOR, REVISION, TYPE and PATCH. */
#define ABT_CALC_VERSION(MAJOR, MINOR, REVISION, TYPE, PATCH) \
    (((MAJOR) * 10000000) + ((MINOR) * 100000) + ((REVISION) * 1000) + ((TYPE) * 100) + (PATCH))

/** This version: ABT_CALC_VERSION(1, 2, 0, ABT_RELEASE_TYPE_PATCH, 0). */
#define ABT_NUMVERSION 10200300

/** Always 0: this library lacks the planned interface 2.0. ABT_ENABLE_VER_20_API is undefined even
 * if the client has defined it. */
#define ABT_ENABLE_VER_20_API_VAL 0
#undef ABT_ENABLE_VER_20_API

#if defined(__GNUC__)
/** Attributes of the declarations in these headers. */
/** @{ */
#define ABT_API_PUBLIC __attribute__((visibility("default")))
#define ABT_DEPRECATED __attribute__((deprecated))
/** @} */
#else
#define ABT_API_PUBLIC
#define ABT_DEPRECATED
#endif

#endif /* ABT_CONFIG_H_INCLUDED */
