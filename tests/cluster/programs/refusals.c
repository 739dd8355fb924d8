/* What is refused, and with which errno. `posix`: what every system refuses so. `confined`: what a run on the cluster does. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <turnstile.h>
#include <unistd.h>

static const char *name(int error)
{
    static const struct { int error; const char *name; } names[] = {
        {EACCES, "EACCES"}, {EBADF, "EBADF"}, {EEXIST, "EEXIST"}, {EFAULT, "EFAULT"}, {EINVAL, "EINVAL"}, {EISDIR, "EISDIR"},
        {ELOOP, "ELOOP"}, {EMFILE, "EMFILE"}, {ENAMETOOLONG, "ENAMETOOLONG"}, {ENOENT, "ENOENT"}, {ENOSPC, "ENOSPC"},
        {ENOSYS, "ENOSYS"}, {ENOTDIR, "ENOTDIR"}, {EPERM, "EPERM"}, {ESPIPE, "ESPIPE"}, {EFBIG, "EFBIG"}, {EOVERFLOW, "EOVERFLOW"},
    };

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].error == error) return names[i].name;
    return "another";
}

#define TELL(call)                                                                        \
    do {                                                                                  \
        errno = 0;                                                                        \
        long told = (long)(call);                                                         \
        printf("%s: %s\n", #call, told < 0 ? name(errno) : told ? "more than 0" : "0");  \
    } while (0)

static char *volatile nowhere = (char *)16;

static void posix(void)
{
    static char long_path[5000];
    struct stat status;
    char data[16];

    memset(long_path, 'x', sizeof long_path - 1);
    int file = open("new", O_CREAT | O_RDWR, 0644), reader = open("new", O_RDONLY);
    TELL(open("nothing", O_RDONLY));
    TELL(open("", O_RDONLY));
    TELL(open("nothing/below", O_CREAT | O_WRONLY, 0644));
    TELL(open("new/below", O_RDONLY));
    TELL(open("new", O_CREAT | O_EXCL | O_WRONLY, 0644));
    TELL(open(".", O_WRONLY));
    TELL(open(long_path, O_RDONLY));
    TELL(open(nowhere, O_RDONLY));
    TELL(read(99, data, sizeof data));
    TELL(read(-1, data, sizeof data));
    TELL(write(reader, data, sizeof data));
    TELL(write(file, nowhere, 4));
    TELL(write(file, data, 0));
    TELL(write(file, data, sizeof data));
    TELL(lseek(file, 0, SEEK_SET));
    TELL(read(file, nowhere, 4));
    TELL(read(open(".", O_RDONLY), data, sizeof data));
    TELL(lseek(file, 0, 77));
    TELL(lseek(file, -5, SEEK_SET));
    TELL(lseek(99, 0, SEEK_SET));
    TELL(fstat(99, &status));
    TELL(stat("nothing", &status));
    TELL(stat(".", &status));
    TELL(unlink("nothing"));
    TELL(unlink("new"));
    TELL(unlink("new"));
    TELL(close(file));
    TELL(close(file));
    TELL(close(99));
}

static void confined(void)
{
    struct stat status;
    int most = 0, refused = 0;

    TELL(open("/etc/passwd", O_RDONLY));
    TELL(open("../report.json", O_RDONLY));
    TELL(open("./.././report.json", O_RDONLY));
    TELL(stat("..", &status));
    TELL(unlink("../report.json"));
    TELL(open("/tmp/turnstile-refused", O_CREAT | O_WRONLY, 0644));
    TELL(open("way/out", O_RDONLY));
    TELL(open("link", O_RDONLY));
    TELL(open("link", O_WRONLY | O_TRUNC));
    TELL(open("pipe", O_RDONLY));
    TELL(open("new", 3));
    TELL(write(0, "x", 1));
    TELL(read(1, &most, 1));
    TELL(lseek(1, 0, SEEK_SET));
    while (open("new", O_CREAT | O_RDWR, 0644) >= 0) most++;
    for (int i = 0; i < 20; i++) refused += open("new", O_RDWR) < 0 && errno == EMFILE;
    printf("%d opened, then EMFILE %d times\n", most, refused);
    TELL(lseek(most, 0x7ffffff0, SEEK_SET));
    TELL(write(most, "twenty bytes of text", 20));
    TELL(lseek(most, 0x7fffffff, SEEK_CUR));
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "confined")) confined();
    else posix();
    return 0;
}
