/** \file Files of the program: what the workstation opens for its processes, all in one folder, and STDIN. */
#pragma once
#include "checkpoint.h"
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

/**
 * POSIX files of `processes` processes, confined to `folder`: no absolute path, no `..`, no link leads out, and only ordinary files and
 * folders open. An answer is 0 or more, or an errno of picolibc, negative. Nothing that a process asks for throws.
 */
class Files {
public:
    enum : unsigned { OPEN = 64 };                    ///< files of a process
    enum : uint64_t { WRITTEN = 1u << 30, MADE = 4096 }; ///< bytes written, files made, in a run

    /** An empty `folder`: there are no files; an empty `input`: stdin is at its end. */
    Files(unsigned processes, const std::string &folder, const std::string &input);
    ~Files();
    Files(const Files &) = delete;

    int32_t open(unsigned process, uint32_t how, const std::string &path);
    int32_t close(unsigned process, uint32_t file);
    int32_t read(unsigned process, uint32_t file, uint32_t bytes, std::vector<uint8_t> &data);
    int32_t write(unsigned process, uint32_t file, const std::vector<uint8_t> &data);
    int32_t seek(unsigned process, uint32_t file, int32_t offset, uint32_t from);
    int32_t stat(const std::string &path, std::vector<uint8_t> &data);
    int32_t fstat(unsigned process, uint32_t file, std::vector<uint8_t> &data);
    int32_t unlink(const std::string &path);
    int32_t inherit(unsigned process, uint32_t child);
    int32_t forget(unsigned process);

    /** Throws when a process has more than stdin open, or has written: these are not in a checkpoint. */
    void state(Checkpoint &c);

    uint64_t bytesRead() const { return bytesRead_; }
    uint64_t bytesWritten() const { return bytesWritten_; }

private:
    struct Opened;
    using Table = std::array<std::shared_ptr<Opened>, OPEN>;

    int parent(const std::string &path, std::string &last) const;
    Opened *at(unsigned process, uint32_t file) const;

    int folder_ = -1;
    std::shared_ptr<Opened> input_;
    std::vector<Table> tables_;
    uint64_t bytesRead_ = 0, bytesWritten_ = 0, made_ = 0;
};
