// SPDX-License-Identifier: BSD-3-Clause
// Queues come and go while another thread of a rank waits for a slot, in a handler, at a rank that
// has freed its part already.
#include "harness.hpp"

#include <atomic>
#include <thread>

using namespace lazult;
using namespace lazult::testing;

namespace {

concert_options small_push() {
    concert_options options = concert::default_options();
    options.scheme = CONCERT_PUSH;
    options.aggregate_bytes = 0;
    options.max_message_bytes = 64;
    options.slots = 8;
    return options;
}

constexpr int notes = 32;  // more than there are slots

// In each epoch one message goes to the next rank. The thread there answers with more messages than
// the ring takes, while the main threads free queues.
class neighbours {
public:
    explicit neighbours(concert::queue& busy)
        : busy_(busy), note_("note", [this](int) { ++noted_; }), go_("go", [this](int source) {
              for (int i = 0; i < notes; ++i) {
                  note_.send(busy_, source);
              }
          }) {}

    void begin() {
        if (concert_rank() % 2 == 0) {
            helper_ = std::thread([this] { send_in_each_epoch(); });
        } else {
            helper_ = std::thread([this] { look_all_the_time(); });
        }
    }
    void end() {
        ended_ = true;
        helper_.join();
    }
    int noted() const { return noted_; }
    int sent() const { return sent_; }

private:
    void send_in_each_epoch() {
        std::uint32_t epoch = concert_epoch();
        while (!ended_) {
            if (const std::uint32_t now = concert_epoch(); now != epoch) {
                epoch = now;
                go_.send(busy_, concert_rank() + 1);
                ++sent_;
            }
            std::this_thread::yield();
        }
    }
    void look_all_the_time() const {
        while (!ended_) {
            concert_extract(64);  // without a pause: it is to be met while it looks
        }
    }

    concert::queue& busy_;
    std::atomic<int> noted_{0};
    std::atomic<int> sent_{0};
    std::atomic<bool> ended_{false};
    concert::handler<> note_;
    concert::handler<> go_;
    std::thread helper_;
};

}  // namespace

int main() {
    concert::session world;
    concert::queue busy(small_push());
    neighbours all(busy);
    all.begin();
    // threads that look all the time, more than processors
    const int rounds = world.size() > 2 ? 4 : 20;
    for (int round = 0; round < rounds; ++round) {
        const concert::queue passing(small_push());
    }
    all.end();
    world.quiesce();
    CHECK(all.noted() == all.sent() * notes);
    passed("freed_while_others_wait");
    return 0;
}
