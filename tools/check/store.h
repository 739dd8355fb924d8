/** \file Memory of the search: numbers for things that recur, arrays that grow in place, the set of states seen. */
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unordered_map>
#include <vector>

/** 64 bits of a block of whole 8-byte words. */
inline uint64_t hashWords(const uint64_t *words, size_t count) {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (size_t i = 0; i < count; i++) {
        unsigned __int128 product = (unsigned __int128)(words[i] ^ h) * 0xD6E8FEB86659FD93ull;
        h = uint64_t(product) ^ uint64_t(product >> 64) ^ (h << 5 | h >> 59);
    }
    h ^= h >> 29;
    h *= 0xBF58476D1CE4E5B9ull;
    h ^= h >> 32;
    return h ? h : 1;
}

/** A vector that never moves: address space for `MOST` bytes, memory as it is touched. */
template <class T> class Array {
public:
    explicit Array(size_t most) : most_(most), data_(static_cast<T *>(mmap(nullptr, most * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        if (data_ == MAP_FAILED) {
            std::perror("check: mmap");
            std::exit(2);
        }
    }
    ~Array() { munmap(data_, most_ * sizeof(T)); }
    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;
    void push(T v) {
        if (size_ == most_) {
            std::fprintf(stderr, "check: more than %zu entries\n", most_);
            std::exit(2);
        }
        data_[size_++] = v;
    }
    T &operator[](size_t i) { return data_[i]; }
    const T &operator[](size_t i) const { return data_[i]; }
    size_t size() const { return size_; }

private:
    size_t most_, size_ = 0;
    T *data_;
};

/** The states seen, by 64 bits of hash each, and with them the number that each got. */
class Seen {
public:
    explicit Seen(bool numbers) : withNumbers_(numbers) { allocate(1 << 20); }
    ~Seen() { release(); }
    Seen(const Seen &) = delete;
    Seen &operator=(const Seen &) = delete;

    void prefetch(uint64_t hash) const { __builtin_prefetch(&hashes_[hash >> shift_]); }
    /** The number of the state: `next` when it is new. */
    uint32_t add(uint64_t hash, uint32_t next, bool &isNew) {
        size_t i = hash >> shift_;
        for (; hashes_[i]; i = (i + 1) & mask_)
            if (hashes_[i] == hash) {
                isNew = false;
                return withNumbers_ ? numbers_[i] : 0;
            }
        isNew = true;
        hashes_[i] = hash;
        if (withNumbers_)
            numbers_[i] = next;
        if (++count_ > size_ / 4 * 3)
            grow();
        return next;
    }
    size_t bytes() const { return size_ * (8 + (withNumbers_ ? 4 : 0)); }

private:
    template <class T> static T *pages(size_t count) {
        void *p = mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (p == MAP_FAILED) {
            std::perror("check: no memory for the states seen");
            std::exit(2);
        }
        madvise(p, count * sizeof(T), MADV_HUGEPAGE);
        return static_cast<T *>(p);
    }
    void allocate(size_t size) {
        size_ = size;
        mask_ = size - 1;
        shift_ = 64 - unsigned(__builtin_ctzll(size));
        hashes_ = pages<uint64_t>(size);
        numbers_ = withNumbers_ ? pages<uint32_t>(size) : nullptr;
    }
    void release() {
        munmap(hashes_, size_ * 8);
        if (numbers_)
            munmap(numbers_, size_ * 4);
    }
    void grow() {
        uint64_t *hashes = hashes_;
        uint32_t *numbers = numbers_;
        size_t size = size_;
        allocate(size * 2);
        for (size_t k = 0; k < size; k++)
            if (hashes[k]) {
                size_t i = hashes[k] >> shift_;
                while (hashes_[i])
                    i = (i + 1) & mask_;
                hashes_[i] = hashes[k];
                if (numbers)
                    numbers_[i] = numbers[k];
            }
        munmap(hashes, size * 8);
        if (numbers)
            munmap(numbers, size * 4);
    }
    bool withNumbers_;
    size_t size_ = 0, mask_ = 0, count_ = 0;
    unsigned shift_ = 0;
    uint64_t *hashes_ = nullptr;
    uint32_t *numbers_ = nullptr;
};

/** Numbers for byte strings, from 0 in the order of their coming. */
class Numbers {
public:
    uint32_t of(const std::string &bytes) {
        auto [place, isNew] = numbers_.emplace(bytes, uint32_t(strings_.size()));
        if (isNew)
            strings_.push_back(&place->first);
        return place->second;
    }
    const std::string &operator[](uint32_t number) const { return *strings_[number]; }
    size_t size() const { return strings_.size(); }

private:
    std::unordered_map<std::string, uint32_t> numbers_;
    std::vector<const std::string *> strings_;
};
