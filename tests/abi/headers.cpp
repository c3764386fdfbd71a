// SPDX-License-Identifier: BSD-3-Clause
// The layout of types that programs compile from the public headers, and that no function of
// liblazult shows: templates, and what stands in containers. Two files of one program may have been
// compiled with different versions of the headers, and share these. tests/abi has a dump of this
// library beside those of the libraries that are installed.
#include <lazult/lazult.hpp>

namespace lazult {

// Its symbol names the type, and its debug information has the layout.
template <class T>
LAZULT_API void layout_of(T&) {
    static_assert(sizeof(T) > 0);
}

template void layout_of(thread&);
template void layout_of(tasklet&);
template void layout_of(detail::closure_storage&);
template void layout_of(thread_attributes&);
template void layout_of(task_group&);
template void layout_of(detail::task_frame&);
template void layout_of(forker&);
template void layout_of(detail::latent_slot&);
template void layout_of(detail::words&);
template void layout_of(chunking&);

template void layout_of(future<int>&);
template void layout_of(future<void>&);
template void layout_of(shared_future<int>&);
template void layout_of(promise<int>&);
template void layout_of(promise<void>&);
template void layout_of(detail::shared_state<int>&);
template void layout_of(compartments<int>&);
template void layout_of(eventual<int>&);
template void layout_of(channel<int>&);
template void layout_of(detail::channel_element&);
template void layout_of(counting_semaphore<>&);
template void layout_of(local<int>&);
template void layout_of(thread_local_ptr<int>&);

template void layout_of(detail::raw_choice&);
template void layout_of(detail::raw_result&);
template void layout_of(options&);
template void layout_of(setting&);
template void layout_of(stack_counts&);
template void layout_of(statistics_snapshot&);
template void layout_of(stream_statistics&);
template void layout_of(stack_use&);

}  // namespace lazult
