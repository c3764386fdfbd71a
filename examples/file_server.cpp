// SPDX-License-Identifier: BSD-3-Clause
// A server of HTTP/1.1 for the files of a folder, with one thread for each connection. The code
// reads as if each thread blocked; one that waits for the network or the disk takes no OS thread.
//   file_server FOLDER [PORT]    serves the loopback until it is killed; PORT 0: any
#include <netinet/in.h>
#include <sys/stat.h>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <lazult/io.hpp>
#include <lazult/lazult.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace io = lazult::io;
using namespace std::chrono_literals;
constexpr std::size_t most_head_bytes = 8192;
constexpr auto patience = 30s;
using range = std::pair<off_t, off_t>;  // the first and the last byte

bool send_text(int to, const std::string& text) {
    return io::write_all(to, text.data(), text.size(), patience).ok();
}
bool refuse(int to, const char* status) {
    return send_text(to, std::string("HTTP/1.1 ") + status + "\r\nContent-Length: 0\r\n\r\n");
}

// Takes the next request's head out of what has come. False: none comes, or it is too long.
bool read_head(int from, std::string& come, std::string& head) {
    std::size_t end;
    while ((end = come.find("\r\n\r\n")) == std::string::npos) {
        char part[2048];
        const io::result got = io::read(from, part, sizeof part, patience);
        if (!got || got.value() == 0 || come.size() + got.bytes() > most_head_bytes) {
            return false;
        }
        come.append(part, got.bytes());
    }
    head = come.substr(0, end + 2);
    come.erase(0, end + 4);
    return true;
}

// The value of a header, in lower case; empty if it is not there.
std::string header(std::string head, const std::string& name) {
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    const std::size_t at = head.find("\r\n" + name + ": ");
    const std::size_t value = at + name.size() + 4;
    return at == head.npos ? "" : head.substr(value, head.find("\r\n", value) - value);
}

// bytes=FIRST-LAST, bytes=FIRST- or bytes=-COUNT. Nothing: it is malformed, or not in the file.
std::optional<range> parse_range(std::string_view text, off_t size) {
    const std::size_t dash = text.find('-');
    const auto number = [](std::string_view digits, off_t value) {
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
        return value;
    };
    if (!text.starts_with("bytes=") || dash == text.npos) {
        return {};
    }
    const std::string_view first = text.substr(6, dash - 6);
    const off_t last = number(text.substr(dash + 1), size - 1);
    const range wanted = first.empty() ? range{std::max<off_t>(size - last, 0), size - 1}
                                       : range{number(first, size), std::min(last, size - 1)};
    return wanted.first <= wanted.second ? std::optional(wanted) : std::nullopt;
}

bool send_file(int to, int file, const std::string& head) {
    struct stat about{};
    if (::fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        return refuse(to, "404 Not Found");
    }
    const std::string asked = header(head, "range");
    const auto part =
        asked.empty() ? range{0, about.st_size - 1} : parse_range(asked, about.st_size);
    if (!part) {
        return refuse(to, "416 Range Not Satisfiable");
    }
    const std::string from_to = std::to_string(part->first) + "-" + std::to_string(part->second);
    std::string answer = asked.empty() ? "HTTP/1.1 200 OK\r\n"
                                       : "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes " +
                                             from_to + "/" + std::to_string(about.st_size) + "\r\n";
    answer += "Content-Length: " + std::to_string(part->second - part->first + 1) + "\r\n\r\n";
    bool is_sent = send_text(to, answer);
    std::string block(64 << 10, '\0');
    for (off_t at = part->first; is_sent && at <= part->second;) {
        const auto most = std::min<std::size_t>(block.size(), std::size_t(part->second - at + 1));
        const io::result got = io::pread(file, block.data(), most, at);
        is_sent = got && got.value() > 0 && io::write_all(to, block.data(), got.bytes(), patience);
        at += got ? got.value() : 0;
    }
    return is_sent;
}

// Returns whether the connection goes on.
bool answer(int to, const std::string& folder, const std::string& head) {
    const std::size_t end = head.find(' ');
    const std::string path = head.substr(end + 1, head.find_first_of(" ?\r", end + 1) - end - 1);
    if (head.substr(0, end) != "GET") {
        return refuse(to, "405 Method Not Allowed") && false;
    }
    if (!path.starts_with('/') || path.find("..") != path.npos || path.find('%') != path.npos) {
        return refuse(to, "403 Forbidden");
    }
    const io::result file = io::open((folder + path).c_str(), O_RDONLY | O_CLOEXEC);
    if (!file) {
        return refuse(to, "404 Not Found");
    }
    const bool is_sent = send_file(to, file.descriptor(), head);
    io::close(file.descriptor());
    return is_sent && header(head, "connection") != "close";
}

void serve(int connection, const std::string& folder) {
    std::string come, head;
    while (read_head(connection, come, head) && answer(connection, folder, head)) {
    }
    io::close(connection);
}

int main(int count, char** words) {
    if (count < 2) {
        return std::puts("usage: file_server FOLDER [PORT]") < 0;
    }
    const int listening = io::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0).descriptor();
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(count > 2 ? std::stoi(words[2]) : 0));
    socklen_t size = sizeof address;
    auto* const where = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listening, where, size) != 0 || ::listen(listening, 1024) != 0 ||
        ::getsockname(listening, where, &size) != 0) {
        return std::perror("file_server"), 1;
    }
    std::printf("port %d\n", ntohs(address.sin_port));
    std::fflush(stdout);
    lazult::task_group connections;
    for (const std::string folder = words[1];;) {
        if (const io::result next = io::accept(listening, nullptr, nullptr)) {
            connections.run([next, folder] { serve(next.descriptor(), folder); });
        } else {
            lazult::this_thread::sleep_for(10ms);  // no descriptor is free
        }
    }
}
