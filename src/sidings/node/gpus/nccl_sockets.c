/*
 * Lets NCCL ranks in different network namespaces reach each other's unix sockets.
 *
 * NCCL names the sockets over which it passes CUDA memory handles "tmp/nccl-socket-<rank>-<hash>" in the abstract
 * namespace, which is part of a network namespace. Preloaded into the ranks, this library turns exactly these names into
 * files of the folder that SIDINGS_NCCL_SOCKETS names, which must be shared by the job's pods. All else passes untouched.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const char PREFIX[] = "tmp/nccl-socket-";

/* The address that stands for `from`: `from` itself, or `to` filled with the file's name. */
static const struct sockaddr *translated(const struct sockaddr *from, socklen_t *length, struct sockaddr_un *to) {
    const char *folder = getenv("SIDINGS_NCCL_SOCKETS");
    const size_t start = offsetof(struct sockaddr_un, sun_path) + 1;
    if (!folder || !from || *length < start + sizeof(PREFIX) - 1 || from->sa_family != AF_UNIX) return from;
    const char *name = ((const struct sockaddr_un *)from)->sun_path;
    if (name[0] != '\0' || strncmp(name + 1, PREFIX, sizeof(PREFIX) - 1) != 0) return from;
    const char *last = name + 1 + 4; /* after "tmp/" */
    const int room = (int)(*length - (socklen_t)(last - (const char *)from));
    memset(to, 0, sizeof(*to));
    to->sun_family = AF_UNIX;
    const int written = snprintf(to->sun_path, sizeof(to->sun_path), "%s/%.*s", folder, room, last);
    if (written < 0 || (size_t)written >= sizeof(to->sun_path)) return from;
    *length = sizeof(*to);
    return (const struct sockaddr *)to;
}

#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

int bind(int fd, const struct sockaddr *address, socklen_t length) {
    struct sockaddr_un file;
    const struct sockaddr *used = translated(address, &length, &file);
    if (used != address) unlink(file.sun_path); /* an abstract name is free as soon as its socket is closed */
    return NEXT(bind)(fd, used, length);
}

int connect(int fd, const struct sockaddr *address, socklen_t length) {
    struct sockaddr_un file;
    const struct sockaddr *used = translated(address, &length, &file);
    return NEXT(connect)(fd, used, length);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *address, socklen_t length) {
    struct sockaddr_un file;
    const struct sockaddr *used = translated(address, &length, &file);
    return NEXT(sendto)(fd, data, size, flags, used, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    struct sockaddr_un file;
    struct msghdr changed = *message;
    changed.msg_name = (void *)translated(message->msg_name, &changed.msg_namelen, &file);
    return NEXT(sendmsg)(fd, &changed, flags);
}
