/* There is no file system and no keyboard: what the C library asks of one fails as it should. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int absent(int error)
{
    errno = error;
    return -1;
}

int open(const char *path, int flags, ...) { (void)path, (void)flags; return absent(ENOENT); }
int close(int file) { (void)file; return absent(EBADF); }
ssize_t read(int file, void *data, size_t bytes) { (void)file, (void)data, (void)bytes; return absent(EBADF); }
ssize_t write(int file, const void *data, size_t bytes) { (void)file, (void)data, (void)bytes; return absent(EBADF); }
off_t lseek(int file, off_t offset, int from) { (void)file, (void)offset, (void)from; return absent(EBADF); }
int unlink(const char *path) { (void)path; return absent(ENOENT); }
int fstat(int file, struct stat *status) { (void)file, (void)status; return absent(EBADF); }
int isatty(int file) { return file >= 0 && file <= 2; }
