#include "unix_socket.h"
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int listenAt(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path)
        throw std::runtime_error("socket=" + path + " has " + std::to_string(path.size()) + " characters: legal are at most " + std::to_string(sizeof address.sun_path - 1));
    std::memcpy(address.sun_path, path.c_str(), path.size());
    unlink(path.c_str());
    const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof address) || listen(listener, 1))
        throw std::runtime_error("socket=" + path + ": " + std::strerror(errno));
    return listener;
}
