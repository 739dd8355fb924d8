/**
 * \file The state of a run as bytes (docs/design/checkpoint.md). A class says what its state is in one function for both ways:
 *
 *     void state(Checkpoint &c) { c(this_, that_); }
 */
#pragma once
#include "sparse.h"
#include <cstdint>
#include <deque>
#include <map>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <verilated_save.h>

class Checkpoint {
public:
    /** To be filled. */
    Checkpoint() = default;
    /** To be read. */
    explicit Checkpoint(std::string bytes) : bytes_(std::move(bytes)), loads_(true) {}

    bool loads() const { return loads_; }
    const std::string &bytes() const { return bytes_; }

    /** Saves or loads values: plain ones, strings, containers, and what has `state`. */
    template <typename... Values> void operator()(Values &...values) { (value(values), ...); }
    /** A Verilated model. */
    template <typename Model> void model(Model &model) {
        if (loads_) {
            Reader in(text());
            in >> model;
        } else {
            Writer out;
            out << model;
            out.flush();
            std::string text = std::move(out.text);
            value(text);
        }
    }

private:
    struct Writer : VerilatedSerialize {
        std::string text;
        void flush() override {
            text.append(reinterpret_cast<char *>(m_bufp), m_cp - m_bufp);
            m_cp = m_bufp;
        }
    };
    struct Reader : VerilatedDeserialize {
        explicit Reader(std::string all) : text(std::move(all)) { m_endp = m_cp; }
        std::string text;
        size_t at = 0;
        void fill() override {
            m_endp = std::copy(m_cp, m_endp, m_bufp);
            m_cp = m_bufp;
            const size_t more = std::min<size_t>(text.size() - at, m_bufp + bufferSize() - m_endp);
            m_endp = std::copy_n(reinterpret_cast<const uint8_t *>(text.data()) + at, more, m_endp);
            at += more;
        }
    };

    template <typename T, typename = void> struct Has : std::false_type {};
    template <typename T> struct Has<T, std::void_t<decltype(std::declval<T &>().state(std::declval<Checkpoint &>()))>> : std::true_type {};

    std::string text() {
        std::string all;
        value(all);
        return all;
    }
    void raw(void *data, size_t size) {
        if (!loads_) {
            bytes_.append(static_cast<char *>(data), size);
            return;
        }
        if (size > bytes_.size() - at_)
            throw std::runtime_error("a checkpoint has less in it than its run");
        std::memcpy(data, bytes_.data() + at_, size);
        at_ += size;
    }
    uint64_t size(uint64_t now) {
        raw(&now, sizeof now);
        if (loads_ && now > 8 * bytes_.size())
            throw std::runtime_error("a checkpoint says more than it holds");
        return now;
    }

    template <typename T> void value(T &v) {
        if constexpr (Has<T>::value) {
            v.state(*this);
        } else {
            static_assert(std::is_trivially_copyable_v<T> && !std::is_pointer_v<T>, "say what its state is");
            raw(&v, sizeof v);
        }
    }
    void value(std::string &v) {
        v.resize(size(v.size()));
        raw(v.data(), v.size());
    }
    template <typename T> void value(std::vector<T> &v) {
        v.resize(size(v.size()));
        for (T &one : v)
            value(one);
    }
    void value(std::vector<bool> &v) {
        v.resize(size(v.size()));
        for (size_t i = 0; i < v.size(); i++) {
            bool one = v[i];
            raw(&one, 1);
            v[i] = one;
        }
    }
    template <typename T> void value(std::deque<T> &v) {
        v.resize(size(v.size()));
        for (T &one : v)
            value(one);
    }
    template <typename K, typename T> void value(std::map<K, T> &v) {
        const uint64_t count = size(v.size());
        if (!loads_) {
            for (auto &[key, of] : v) {
                K k = key;
                (*this)(k, of);
            }
            return;
        }
        v.clear();
        for (uint64_t i = 0; i < count; i++) {
            K key{};
            value(key);
            value(v[key]);
        }
    }
    /** The pages that hold anything, by number. */
    template <typename T> void value(Sparse<T> &v) {
        const size_t per = 4096 / sizeof(T), pages = (v.size() + per - 1) / per;
        const auto bytes = [&](uint64_t page) { return std::min(per, v.size() - page * per) * sizeof(T); };
        if (loads_) {
            v = Sparse<T>(v.size());
            for (uint64_t page = size(0); page < pages; page = size(0))
                raw(&v[page * per], bytes(page));
            return;
        }
        static const char zeros[4096] = {};
        for (uint64_t page = 0; page < pages; page++)
            if (std::memcmp(&v[page * per], zeros, bytes(page))) {
                size(page);
                raw(&v[page * per], bytes(page));
            }
        size(pages);
    }

    std::string bytes_;
    size_t at_ = 0;
    bool loads_ = false;
};
