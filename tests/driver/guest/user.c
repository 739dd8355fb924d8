/* Tests of library and command: Python of the workstation, whose files the guest sees, runs them. */
#define _GNU_SOURCE
#include "guest.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void bind_below(const char *folder)
{
    char to[32];

    snprintf(to, sizeof to, "/workstation%s", folder);
    CHECK(mount(folder, to, NULL, MS_BIND, NULL) == 0);
}

void run_user(void)
{
    pid_t child;
    int status = -1;

    mkdir("/workstation", 0755);
    CHECK(mount("none", "/workstation", "hostfs", MS_RDONLY, "/") == 0);
    mkdir("/dev/scratch", 0777);
    bind_below("/dev");
    bind_below("/proc");
    bind_below("/sys");
    fflush(stdout);
    child = fork();
    if (child == 0) {
        CHECK(chroot("/workstation") == 0 && chdir(getenv("TREE")) == 0);
        setenv("PATH", "/usr/bin:/bin", 1);
        setenv("TMPDIR", "/dev/scratch", 1);
        setenv("PYTHONPATH", "tests/driver/user:host-driver/python", 1);
        setenv("PYTHONDONTWRITEBYTECODE", "1", 1);
        execl(getenv("PYTHON"), getenv("PYTHON"), "-m", "pytest", "-q", "-s", "--color=no", "--durations=12", "-p", "report", "-p", "no:cacheprovider", "-o", "python_files=of_*.py", "tests/driver/user", (char *)NULL);
        CHECK(!"Python starts");
    }
    CHECK(child > 0 && waitpid(child, &status, 0) == child);
}
