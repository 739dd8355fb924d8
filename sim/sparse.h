/** \file Memory that costs what is touched of it. */
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <utility>

/** `count` zeros. */
template <class T> class Sparse {
public:
    explicit Sparse(size_t count) : count_(count), data_(static_cast<T *>(mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        if (data_ == MAP_FAILED)
            throw std::runtime_error("no address space for " + std::to_string(count * sizeof(T)) + " bytes: " + std::strerror(errno));
    }
    Sparse(Sparse &&other) noexcept : count_(other.count_), data_(other.data_) { other.data_ = nullptr; }
    Sparse &operator=(Sparse &&other) noexcept {
        std::swap(count_, other.count_);
        std::swap(data_, other.data_);
        return *this;
    }
    Sparse(const Sparse &) = delete;
    Sparse &operator=(const Sparse &) = delete;
    ~Sparse() {
        if (data_)
            munmap(data_, count_ * sizeof(T));
    }

    size_t size() const { return count_; }
    T &operator[](size_t i) { return data_[i]; }
    const T &operator[](size_t i) const { return data_[i]; }

private:
    size_t count_;
    T *data_;
};
