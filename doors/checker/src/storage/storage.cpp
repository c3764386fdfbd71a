// SPDX-License-Identifier: BSD-3-Clause
#include "storage/storage.hpp"

#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>

#include <sys/syscall.h>

namespace lazult::checker {

constinit page_map storage_pages;

namespace {

struct thread_list {
    std::mutex lock;
    std::vector<os_thread*> threads;
};

thread_list& all() { return base::the_only<thread_list>(); }

thread_local os_thread* mine = nullptr;
thread_local bool has_ended = false;

// Finds the block that the calling thread has of each file. A thread gets those of libraries loaded
// by dlopen() when it first uses them.
int note_block(dl_phdr_info* file, std::size_t, void* into) {
    if (file->dlpi_tls_data == nullptr) {
        return 0;
    }
    for (int i = 0; i != file->dlpi_phnum; ++i) {
        if (file->dlpi_phdr[i].p_type == PT_TLS && file->dlpi_phdr[i].p_memsz != 0) {
            const auto begin = reinterpret_cast<std::uintptr_t>(file->dlpi_tls_data);
            static_cast<std::vector<block>*>(into)->push_back(
                {begin, begin + file->dlpi_phdr[i].p_memsz, file->dlpi_addr, file->dlpi_name});
        }
    }
    return 0;
}

void take_blocks(os_thread& t) {
    std::vector<block> now;
    ::dl_iterate_phdr(note_block, &now);
    const std::lock_guard hold(all().lock);
    t.blocks = std::move(now);
    for (const block& b : t.blocks) {
        storage_pages.add(b.begin, b.end);
    }
}

void leave(void*) noexcept {
    has_ended = true;
    const std::lock_guard hold(all().lock);
    std::erase(all().threads, mine);
    mine->blocks.clear();
    mine = nullptr;
}

// The C library calls leave() when a thread that has a value under this key ends.
::pthread_key_t key_of_end() noexcept {
    static const ::pthread_key_t key = [] {
        ::pthread_key_t made = 0;
        ::pthread_key_create(&made, leave);
        return made;
    }();
    return key;
}

struct file_question {
    const block& of;
    bool is_loaded = false;
};

int compare_file(dl_phdr_info* file, std::size_t, void* into) {
    auto& question = *static_cast<file_question*>(into);
    question.is_loaded =
        file->dlpi_addr == question.of.file_base && question.of.file == file->dlpi_name;
    return question.is_loaded ? 1 : 0;
}

// The blocks of a file that is no longer loaded were freed, and may be anything now.
bool is_loaded(const block& of) noexcept {
    file_question question{of};
    ::dl_iterate_phdr(compare_file, &question);
    return question.is_loaded;
}

const block* block_at(const os_thread& t, std::uintptr_t address) noexcept {
    const auto found = std::ranges::find_if(
        t.blocks, [address](const block& b) { return address >= b.begin && address < b.end; });
    return found == t.blocks.end() ? nullptr : &*found;
}

// Returns a copy of the block of another OS thread that has this address, and its owner.
std::pair<const os_thread*, block> others_block_at(std::uintptr_t address) {
    const std::lock_guard hold(all().lock);
    for (const os_thread* t : all().threads) {
        const block* const found = t == mine ? nullptr : block_at(*t, address);
        if (found != nullptr) {
            return {t, *found};
        }
    }
    return {};
}

}  // namespace

os_thread* this_os_thread() noexcept { return mine; }

os_thread* enter_this_thread() noexcept {
    if (mine != nullptr || has_ended) {
        return mine;
    }
    base::has_memory_for([] {
        auto fresh = std::make_unique<os_thread>();
        fresh->system_number = static_cast<int>(::syscall(SYS_gettid));
        fresh->rank = core::running_worker().rank;
        take_blocks(*fresh);
        const std::lock_guard hold(all().lock);
        all().threads.push_back(fresh.get());
        mine = fresh.release();
        ::pthread_setspecific(key_of_end(), mine);
    });
    return mine;
}

void look_for_new_blocks() noexcept {
    base::has_memory_for([] { take_blocks(*mine); });
}

bool is_in_own_storage(std::uintptr_t address) noexcept {
    return mine != nullptr && block_at(*mine, address) != nullptr;
}

// The dynamic linker's lock is never asked for under the list's.
finding find_owner(std::uintptr_t address) noexcept {
    finding result;
    base::has_memory_for([&result, address] {
        auto [owner, found] = others_block_at(address);
        if (owner != nullptr && is_loaded(found)) {
            result.owner = owner;
            result.offset = address - found.begin;
            result.where = std::move(found);
        }
    });
    return result;
}

}  // namespace lazult::checker
