#include "checkpoint_file.h"
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <zlib.h>

/* Of another number no line is understood. */
static const std::string first = "turnstile checkpoint 1";

static std::string sum(const std::string &bytes) {
    char text[20];
    std::snprintf(text, sizeof text, "%08lx", crc32_z(0, reinterpret_cast<const Bytef *>(bytes.data()), bytes.size()));
    return text;
}

static std::string contents(const std::string &path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error))
        throw std::runtime_error(path + " is no file");
    std::ifstream in(path, std::ios::binary);
    std::string bytes(std::filesystem::file_size(path, error), 0);
    if (error || !in.read(bytes.data(), bytes.size()))
        throw std::runtime_error(path + " cannot be read");
    return bytes;
}

std::string fileIdentity(const std::string &path) {
    const std::string bytes = contents(path);
    return std::to_string(bytes.size()) + " bytes, sum " + sum(bytes);
}

static std::string head(const RunIdentity &run) {
    std::string text = first + "\n";
    for (auto &[key, value] : run) {
        text += key + " ";
        for (const char c : value)
            text += c == '\n' ? std::string("\\n") : std::string(1, c);
        text += "\n";
    }
    return text;
}

void writeCheckpoint(const std::string &path, const RunIdentity &run, const std::string &bytes) {
    const std::string unfinished = path + ".new", text = head(run) + "bytes " + std::to_string(bytes.size()) + " sum " + sum(bytes) + "\n";
    const auto before = std::signal(SIGXFSZ, SIG_IGN); // a limit of the shell is an error of the write, as a full disk is
    std::FILE *const file = std::fopen(unfinished.c_str(), "wb");
    bool good = file && std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
    int error = errno;
    if (file && std::fclose(file) != 0 && good)
        good = false, error = errno;
    std::signal(SIGXFSZ, before);
    if (good && std::rename(unfinished.c_str(), path.c_str()) == 0)
        return;
    error = good ? errno : error;
    std::remove(unfinished.c_str());
    throw std::runtime_error("the checkpoint " + path + " (" + std::to_string((text.size() + bytes.size()) >> 10) + " KB) cannot be written: " + std::strerror(error) + "; nothing is left of it");
}

std::string readCheckpoint(const std::string &path, const RunIdentity &run) {
    const std::string refused = "FROM=" + path + ": ", all = contents(path);
    std::istringstream mine(head(run));
    size_t at = 0;
    bool cut = false;
    const auto line = [&] {
        const size_t end = all.find('\n', at), from = at;
        cut = end == all.npos;
        at = cut ? all.size() : end + 1;
        return all.substr(from, end - from);
    };
    for (std::string expected; std::getline(mine, expected);) {
        const std::string found = line();
        if (found == expected)
            continue;
        if (expected == first)
            throw std::runtime_error(refused + (found.compare(0, 20, first, 0, 20) ? "is no checkpoint" : "is of another version of the simulator: save it again"));
        const std::string key = expected.substr(0, expected.find(' ') + 1);
        if (cut || found.compare(0, key.size(), key))
            throw std::runtime_error(refused + "is cut off or damaged: save it again");
        throw std::runtime_error(refused + "was saved with " + key.substr(0, key.size() - 1) + "=" + found.substr(key.size()) + ", this run has " + expected.substr(key.size()));
    }
    const std::string sizes = line();
    unsigned long long size = 0;
    char sumFound[9] = {};
    if (std::sscanf(sizes.c_str(), "bytes %llu sum %8s", &size, sumFound) != 2 || size != all.size() - at)
        throw std::runtime_error(refused + "is cut off or damaged: save it again");
    std::string bytes = all.substr(at);
    if (sum(bytes) != sumFound)
        throw std::runtime_error(refused + "is damaged: save it again");
    return bytes;
}
