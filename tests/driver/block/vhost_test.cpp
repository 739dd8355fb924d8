/* A guest's device (sim/host/vhost_user) that answers a request with its bytes: one that begins with I gets so many interrupts as its second byte says, times 256. */
#include "vhost_user.h"
#include <cstring>
#include <iostream>

namespace {
class Echo : public VhostUser {
public:
    explicit Echo(const std::string &path) : VhostUser(path, [this](const std::vector<uint8_t> &request, uint8_t *answer, size_t room) { return echo(request, answer, room); }) {}
    void interrupt() override {}

private:
    size_t echo(const std::vector<uint8_t> &request, uint8_t *answer, size_t room) {
        for (unsigned n = request.size() > 1 && request[0] == 'I' ? 256 * request[1] : 0; n; n--)
            put({1, 2, 3, 4});
        const size_t bytes = std::min(room, request.size());
        if (bytes)
            std::memcpy(answer, request.data(), bytes);
        return bytes;
    }
};
} // namespace

int main(int, char **argv) {
    try {
        Echo guest(argv[1]);
        std::cout << "waits" << std::endl;
        while (guest.serve()) {
        }
        std::cout << "gone" << std::endl;
        return 0;
    } catch (const std::runtime_error &e) {
        std::cout << e.what() << std::endl;
        return 2;
    }
}
