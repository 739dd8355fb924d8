#include "unix_socket.h"
#include <cerrno>
#include <cstring>
#include <functional>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static sockaddr_un named(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw std::runtime_error(path + " has " + std::to_string(path.size()) + " characters: a Unix socket has at most " + std::to_string(sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.c_str(), path.size());
    return address;
}

static int opened(const std::string &path, const std::function<bool(int, const sockaddr *, socklen_t)> &how) {
    const sockaddr_un address = named(path);
    const int file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (file < 0 || !how(file, reinterpret_cast<const sockaddr *>(&address), sizeof address))
        throw std::runtime_error(path + ": " + std::strerror(errno));
    return file;
}

int listenAt(const std::string &path) {
    unlink(path.c_str());
    return opened(path, [](int file, const sockaddr *at, socklen_t bytes) { return !bind(file, at, bytes) && !listen(file, 1); });
}

int connectTo(const std::string &path) {
    return opened(path, [](int file, const sockaddr *at, socklen_t bytes) { return !connect(file, at, bytes); });
}

int acceptAt(int listener) {
    const int file = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
    const timeval second = {1, 0};
    if (file < 0 || setsockopt(file, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) || setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second))
        throw std::runtime_error(std::string("accept: ") + std::strerror(errno));
    return file;
}
