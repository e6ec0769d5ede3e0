// The beginning of a program that prints what the headers know; AbiTests adds a line for each of abi.list.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <linux/fs.h>
#include <linux/io_uring.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <linux/perf_event.h>
#include <linux/posix_acl.h>
#include <linux/posix_acl_xattr.h>

#define VALUE(name, value) printf("%s %lld\n", #name, (long long)(value));
#define FIELD(name, type, field) printf("%s %zu %zu\n", #name, offsetof(type, field), sizeof(((type *)0)->field));

int main(void) {
