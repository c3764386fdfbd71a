// SPDX-License-Identifier: BSD-3-Clause
// The ten most frequent words of files: a thread to each file.
#include <lazult/lazult.hpp>

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

using counts = std::map<std::string, long>;

counts count_words(const std::string& file) {
    std::ifstream text(file);
    if (!text) {
        throw std::runtime_error("cannot read " + file);
    }
    counts found;
    std::string word;
    for (char c = ' '; text.get(c);) {
        const auto letter = static_cast<unsigned char>(c);
        if (std::isalpha(letter) != 0) {
            word += static_cast<char>(std::tolower(letter));
        } else if (!word.empty()) {
            ++found[std::exchange(word, {})];
        }
    }
    if (!word.empty()) {
        ++found[word];
    }
    return found;
}

int main(int argc, char** argv) {
    std::vector<std::string> files(argv + 1, argv + argc);
    if (files.empty()) {
        files = {__FILE__};
    }
    counts total;
    lazult::mutex lock;
    lazult::task_group readers;
    for (const std::string& file : files) {
        readers.run([&] {
            const counts found = count_words(file);
            const std::scoped_lock hold(lock);
            for (const auto& [word, count] : found) {
                total[word] += count;
            }
        });
    }
    try {
        readers.wait();
    } catch (const std::runtime_error& problem) {
        std::fprintf(stderr, "words: %s\n", problem.what());
        return 1;
    }
    std::vector<std::pair<long, std::string>> ranking;
    for (const auto& [word, count] : total) {
        ranking.emplace_back(-count, word);
    }
    std::sort(ranking.begin(), ranking.end());
    for (std::size_t i = 0; i < std::min<std::size_t>(10, ranking.size()); ++i) {
        std::printf("%6ld %s\n", -ranking[i].first, ranking[i].second.c_str());
    }
}
