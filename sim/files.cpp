#include "files.h"
#include "turnstile_call.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>

/** Shared by those that inherited it, offset included. */
struct Files::Opened {
    int fd;
    uint32_t how;
    ~Opened() { ::close(fd); }
};

/* picolibc numbers errors as Unix did before Linux. */
static int32_t failed(int error = errno) {
    switch (error) {
    case ENAMETOOLONG: return -91;
    case ELOOP: return -92;
    case EOVERFLOW: return -139;
    default: return error > 0 && error <= 34 ? -error : -EIO;
    }
}

Files::Files(unsigned processes, const std::string &folder, const std::string &input) : tables_(processes) {
    if (!folder.empty() && (folder_ = ::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) < 0)
        throw std::runtime_error("files=" + folder + ": " + std::strerror(errno));
    const std::string from = input.empty() ? "/dev/null" : input;
    const int fd = ::open(from.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        throw std::runtime_error("stdin=" + from + ": " + std::strerror(errno));
    input_.reset(new Opened{fd, TS_OPEN_READ});
    for (Table &table : tables_)
        table[0] = input_;
}

Files::~Files() {
    if (folder_ >= 0)
        ::close(folder_);
}

/* The folder in which `last`, the path's last part, is or would be; to be closed. A link on the way is an error, so is what leads up. */
int Files::parent(const std::string &path, std::string &last) const {
    if (folder_ < 0 || path.empty())
        return failed(ENOENT);
    if (path[0] == '/')
        return failed(EACCES);
    int at = ::dup(folder_);
    last = ".";
    for (size_t begin = 0, end; at >= 0 && begin < path.size(); begin = end + 1) {
        end = std::min(path.find('/', begin), path.size());
        const std::string part = path.substr(begin, end - begin);
        if (part.empty() || part == ".")
            continue;
        if (part == "..") {
            ::close(at);
            return failed(EACCES);
        }
        if (last != ".") {
            const int next = ::openat(at, last.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno;
            ::close(at);
            if (next < 0)
                return failed(error);
            at = next;
        }
        last = part;
    }
    return at < 0 ? failed() : at;
}

Files::Opened *Files::at(unsigned process, uint32_t file) const { return file < OPEN ? tables_[process][file].get() : nullptr; }

int32_t Files::open(unsigned process, uint32_t how, const std::string &path) {
    if (how & ~TS_OPEN_ALL || !(how & (TS_OPEN_READ | TS_OPEN_WRITE)))
        return failed(EINVAL);
    Table &table = tables_[process];
    unsigned file = 0;
    while (file < OPEN && (table[file] || file == STDOUT_FILENO || file == STDERR_FILENO))
        file++;
    if (file == OPEN)
        return failed(EMFILE);
    std::string last;
    const int folder = parent(path, last);
    if (folder < 0)
        return folder;
    const int access = !(how & TS_OPEN_WRITE) ? O_RDONLY : how & TS_OPEN_READ ? O_RDWR : O_WRONLY;
    // Not blocking: what is no ordinary file, and is put here from outside, must not stop the simulator.
    int flags = access | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY;
    if (how & TS_OPEN_TRUNCATE) flags |= O_TRUNC;
    if (how & TS_OPEN_APPEND) flags |= O_APPEND;
    int fd = how & TS_OPEN_CREATE && how & TS_OPEN_EXCLUSIVE ? (errno = ENOENT, -1) : ::openat(folder, last.c_str(), flags);
    int error = errno;
    if (fd < 0 && error == ENOENT && how & TS_OPEN_CREATE) {
        fd = made_ < MADE ? ::openat(folder, last.c_str(), flags | O_CREAT | O_EXCL, 0644) : (errno = ENOSPC, -1);
        error = errno;
        made_ += fd >= 0;
    }
    ::close(folder);
    if (fd < 0)
        return failed(error);
    table[file].reset(new Opened{fd, how});
    struct stat status;
    if (::fstat(fd, &status) || !(S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        table[file].reset();
        return failed(EACCES);
    }
    return int32_t(file);
}

int32_t Files::close(unsigned process, uint32_t file) {
    if (!at(process, file))
        return failed(EBADF);
    tables_[process][file].reset();
    return 0;
}

int32_t Files::read(unsigned process, uint32_t file, uint32_t bytes, std::vector<uint8_t> &data) {
    const Opened *opened = at(process, file);
    if (!opened || !(opened->how & TS_OPEN_READ))
        return failed(EBADF);
    data.resize(bytes);
    const ssize_t got = ::read(opened->fd, data.data(), bytes);
    const int error = errno;
    data.resize(std::max<ssize_t>(got, 0));
    if (got < 0)
        return failed(error);
    bytesRead_ += got;
    return int32_t(got);
}

int32_t Files::write(unsigned process, uint32_t file, const std::vector<uint8_t> &data) {
    const Opened *opened = at(process, file);
    if (!opened || !(opened->how & TS_OPEN_WRITE))
        return failed(EBADF);
    if (bytesWritten_ + data.size() > WRITTEN)
        return failed(ENOSPC);
    const off_t from = ::lseek(opened->fd, 0, opened->how & TS_OPEN_APPEND ? SEEK_END : SEEK_CUR);
    if (from < 0)
        return failed();
    if (from + off_t(data.size()) > INT32_MAX)
        return failed(EFBIG);
    const ssize_t put = ::write(opened->fd, data.data(), data.size());
    if (put < 0)
        return failed();
    bytesWritten_ += put;
    return int32_t(put);
}

int32_t Files::seek(unsigned process, uint32_t file, int32_t offset, uint32_t from) {
    const Opened *opened = at(process, file);
    if (!opened)
        return failed(EBADF);
    if (from > TS_SEEK_END)
        return failed(EINVAL);
    const off_t before = ::lseek(opened->fd, 0, SEEK_CUR);
    const off_t now = ::lseek(opened->fd, offset, from == TS_SEEK_SET ? SEEK_SET : from == TS_SEEK_CURRENT ? SEEK_CUR : SEEK_END);
    if (now < 0)
        return failed();
    if (now > INT32_MAX) {
        ::lseek(opened->fd, before, SEEK_SET);
        return failed(EOVERFLOW);
    }
    return int32_t(now);
}

static int32_t told(const struct stat &status, std::vector<uint8_t> &data) {
    if (status.st_size > INT32_MAX)
        return failed(EOVERFLOW);
    const uint32_t words[] = {uint32_t(status.st_size), S_ISDIR(status.st_mode)};
    static_assert(sizeof words == TS_STAT_BYTES, "what the process expects");
    data.resize(sizeof words);
    std::memcpy(data.data(), words, sizeof words);
    return sizeof words;
}

int32_t Files::stat(const std::string &path, std::vector<uint8_t> &data) {
    std::string last;
    const int folder = parent(path, last);
    if (folder < 0)
        return folder;
    struct stat status;
    const int error = ::fstatat(folder, last.c_str(), &status, AT_SYMLINK_NOFOLLOW) ? errno : 0;
    ::close(folder);
    if (error)
        return failed(error);
    return S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ? told(status, data) : failed(EACCES);
}

int32_t Files::fstat(unsigned process, uint32_t file, std::vector<uint8_t> &data) {
    const Opened *opened = at(process, file);
    if (!opened)
        return failed(EBADF);
    struct stat status;
    return ::fstat(opened->fd, &status) ? failed() : told(status, data);
}

int32_t Files::unlink(const std::string &path) {
    std::string last;
    const int folder = parent(path, last);
    if (folder < 0)
        return folder;
    const int error = ::unlinkat(folder, last.c_str(), 0) ? errno : 0;
    ::close(folder);
    return error ? failed(error) : 0;
}

int32_t Files::inherit(unsigned process, uint32_t child) {
    if (child >= tables_.size() || child == process)
        return failed(EINVAL);
    tables_[child] = tables_[process];
    return 0;
}

int32_t Files::forget(unsigned process) {
    tables_[process] = Table{};
    tables_[process][0] = input_;
    return 0;
}

void Files::state(Checkpoint &c) {
    off_t at = ::lseek(input_->fd, 0, SEEK_CUR);
    std::vector<uint8_t> open;
    for (const Table &table : tables_) {
        open.push_back(table[0] != nullptr);
        for (const auto &file : table)
            if (!c.loads() && file && file != input_)
                throw std::runtime_error("a checkpoint holds no open files but stdin: save before the program opens one, or after it has closed all");
    }
    if (!c.loads() && (made_ || bytesWritten_))
        throw std::runtime_error("a checkpoint holds no files: the program has made or written some; save before it does");
    c(at, open, bytesRead_);
    if (!c.loads())
        return;
    if (at > 0 && ::lseek(input_->fd, at, SEEK_SET) < 0)
        throw std::runtime_error(std::string("stdin cannot go on where the checkpoint left it: ") + std::strerror(errno));
    for (size_t process = 0; process < tables_.size(); process++)
        tables_[process][0] = open[process] ? input_ : nullptr;
}
