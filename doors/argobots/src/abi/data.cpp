// SPDX-License-Identifier: BSD-3-Clause
// The data symbols of the library. Programs contain copies of them, so their sizes and values can
// never change. Neither can the first four become const.
#include <abtx.h>

extern "C" {

ABT_sched_config_var ABT_sched_config_var_end = {-1, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_config_access = {-2, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_config_automatic = {-3, ABT_SCHED_CONFIG_INT};
ABT_sched_config_var ABT_sched_basic_freq = {-4, ABT_SCHED_CONFIG_INT};
const ABT_pool_config_var ABT_pool_config_automatic = {-2, ABT_POOL_CONFIG_INT};

const ABT_sched_config_var ABTX_sched_config_stateless = {-256, ABT_SCHED_CONFIG_INT};
}
