// SPDX-License-Identifier: BSD-3-Clause
// A library that planted.cpp loads by dlopen(), so that its variables are not in the threads'
// static storage.
namespace {

thread_local int of_plugin[64];

}  // namespace

extern "C" int* address_in_plugin() { return &of_plugin[7]; }
extern "C" void use_in_plugin() { ++of_plugin[7]; }
