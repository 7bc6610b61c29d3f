// SPDX-License-Identifier: Apache-2.0
// Files that are replaced as a whole: the old text or the new one, never half of it, and nothing left beside.
#include "oracle/unit.h"

#include "base/outfile.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/outfile-XXXXXX";

static const char *in_folder(const char *name) {
    static char path[4][64];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof *path, "%s/%s", folder, name);
    return p;
}

static void assert_text(const char *path, const char *expected) {
    size_t size;
    char *text = str_read_file(path, &size);
    assert_non_null(text);
    assert_string_equal(text, expected);
    free(text);
}

static int files(void) {
    DIR *d = opendir(folder);
    int n = -2;  // . and ..
    while (readdir(d)) n++;
    closedir(d);
    return n;
}

static void write_text(const char *path, const char *text) { assert_true(outfile_write(path, text, strlen(text))); }

static int make_folder(void **state) {
    (void)state;
    strcpy(folder, "/tmp/outfile-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    str command = {0};
    str_printf(&command, "rm -rf '%s'", folder);
    int code = system(str_get(&command));
    str_free(&command);
    return code;
}

static void new_replaces_old(void **state) {
    (void)state;
    write_text(in_folder("a"), "one");
    assert_text(in_folder("a"), "one");
    write_text(in_folder("a"), "two, longer");
    write_text(in_folder("a"), "3");
    assert_text(in_folder("a"), "3");
    assert_int_equal(files(), 1);
}

static void old_is_there_until_the_end(void **state) {
    (void)state;
    write_text(in_folder("a"), "old");
    outfile *o = outfile_open(in_folder("a"));
    fputs("new", outfile_stream(o));
    fflush(outfile_stream(o));
    assert_text(in_folder("a"), "old");
    outfile_drop(o);
    assert_text(in_folder("a"), "old");
    assert_int_equal(files(), 1);
}

static void modes_are_kept(void **state) {
    (void)state;
    struct stat st;
    write_text(in_folder("a"), "old");
    assert_int_equal(chmod(in_folder("a"), 0640), 0);
    write_text(in_folder("a"), "new");
    assert_int_equal(stat(in_folder("a"), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
}

// Somebody else's link in a folder that all may write to must not lead us to a file of ours.
static void links_are_replaced(void **state) {
    (void)state;
    write_text(in_folder("precious"), "precious");
    assert_int_equal(symlink(in_folder("precious"), in_folder("a")), 0);
    write_text(in_folder("a"), "new");
    assert_text(in_folder("precious"), "precious");
    assert_text(in_folder("a"), "new");
}

static void devices_are_written_in_place(void **state) {
    (void)state;
    struct stat st;
    assert_true(outfile_write("/dev/null", "x", 1));
    assert_int_equal(stat("/dev/null", &st), 0);
    assert_true(S_ISCHR(st.st_mode));
    errno = 0;
    assert_false(outfile_write("/dev/full", "x", 1));
    assert_int_equal(errno, ENOSPC);
}

static void mistakes_have_a_reason(void **state) {
    (void)state;
    assert_false(outfile_write(in_folder("no/where"), "x", 1));
    assert_int_equal(errno, ENOENT);
    assert_false(outfile_write(folder, "x", 1));
    assert_int_equal(errno, EISDIR);
    assert_false(outfile_write("", "x", 1));
    assert_int_equal(errno, ENOENT);
}

// As a full disk does: what is written beyond some size fails.
static void a_full_disk_leaves_the_old(void **state) {
    (void)state;
    write_text(in_folder("a"), "old");
    pid_t child = fork();
    if (child == 0) {
        char big[10000] = {0};
        struct rlimit limit = {5000, 5000};
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &limit);
        _exit(outfile_write(in_folder("a"), big, sizeof big) ? 1 : errno == EFBIG ? 0 : 2);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_text(in_folder("a"), "old");
    assert_int_equal(files(), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(new_replaces_old),           TEST(old_is_there_until_the_end),   TEST(modes_are_kept),
        TEST(links_are_replaced),         TEST(devices_are_written_in_place), TEST(mistakes_have_a_reason),
        TEST(a_full_disk_leaves_the_old),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
