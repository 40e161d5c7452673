/* What a pod sees on a machine that gives it no namespaces: its paths, its address, its name. Preloaded.
 *
 * SIDINGS_PATHS     lines "target<tab>source": what the pod calls target lies at source
 * SIDINGS_ADDRESS   the pod's address in 127.0.0.0/8, its stand-in for "every interface" and for localhost
 * SIDINGS_NAME      its host name
 * SIDINGS_DNS       address:port of the node's name server
 * SIDINGS_SEARCH    domains to be tried after a name, as in resolv.conf
 * SIDINGS_HOSTS     the pod's hosts file
 *
 * Programs that make system calls themselves (static ones, most of Go) are not reached.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#define REAL(name) ({ static __typeof__(&name) found; if (!found) found = (__typeof__(&name))real(#name); found; })

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

/* Settings, taken once: a program may change its environment. */

enum { MOST_PATHS = 128 };

static struct { char *target, *source; size_t target_length, source_length; } paths[MOST_PATHS];
static int path_count;
static struct in_addr address, name_server;
static in_port_t name_server_port;
static char *host_name, *search, *hosts_file;

static char *setting(const char *name) {
    const char *value = getenv(name);
    return value && *value ? strdup(value) : NULL;
}

__attribute__((constructor)) static void begin(void) {
    char *text = setting("SIDINGS_PATHS"), *line, *rest = text, *server;
    while (text && (line = strsep(&rest, "\n")) && path_count < MOST_PATHS) {
        char *tab = strchr(line, '\t');
        if (!tab) continue;
        *tab = 0;
        paths[path_count].target = line;
        paths[path_count].source = tab + 1;
        paths[path_count].target_length = strlen(line);
        paths[path_count].source_length = strlen(tab + 1);
        path_count++;
    }
    if ((text = setting("SIDINGS_ADDRESS"))) inet_aton(text, &address);
    if ((server = setting("SIDINGS_DNS")) && (text = strchr(server, ':'))) {
        *text = 0;
        inet_aton(server, &name_server);
        name_server_port = htons((in_port_t)atoi(text + 1));
    }
    host_name = setting("SIDINGS_NAME");
    search = setting("SIDINGS_SEARCH");
    hosts_file = setting("SIDINGS_HOSTS");
}

/* Paths. Targets come longest first, so the first that fits is the innermost. */

typedef char path_buffer[PATH_MAX];

static int is_in(const char *path, const char *folder, size_t length) {
    return !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

/* Only doubled slashes and "/." are folded: ".." may cross a symbolic link, which text cannot tell. */
static void fold(const char *path, char *out) {
    char *end = out, *last = out + PATH_MAX - 1;
    while (*path && end < last) {
        if (path[0] == '/' && path[1] == '/') path++;
        else if (path[0] == '/' && path[1] == '.' && (path[2] == '/' || !path[2])) path += 2;
        else *end++ = *path++;
    }
    if (end == out) *end++ = '/';
    *end = 0;
}

/* The innermost source that `path` of the machine lies in; -1 for none. */
static int source_of(const char *path) {
    int best = -1;
    for (int i = 0; i < path_count; i++)
        if (is_in(path, paths[i].source, paths[i].source_length) &&
            (best < 0 || paths[i].source_length > paths[best].source_length))
            best = i;
    return best;
}

/* A path of the machine stays what it is: the kernel names scripts to their interpreters that way. */
static const char *inside(const char *path, path_buffer buffer) {
    path_buffer folded;
    int source;
    if (!path || *path != '/') return path;
    fold(path, folded);
    source = source_of(folded);
    for (int i = 0; i < path_count; i++)
        if (is_in(folded, paths[i].target, paths[i].target_length)) {
            if (source >= 0 && paths[source].source_length > paths[i].target_length) return path;
            if (snprintf(buffer, PATH_MAX, "%s%s", paths[i].source, folded + paths[i].target_length) >= PATH_MAX) break;
            return buffer;
        }
    return path;
}

/* The other way round, for answers of the kernel. */
static char *outside(char *path, size_t size) {
    int source = source_of(path);
    path_buffer made;
    if (source >= 0 && (size_t)snprintf(made, sizeof made, "%s%s", paths[source].target,
                                        path + paths[source].source_length) < size)
        strcpy(path, made);
    return path;
}

#define P1(type, name, params, ...) type name params { path_buffer b; return REAL(name)(__VA_ARGS__); }
#define P2(type, name, params, ...) type name params { path_buffer b, c; return REAL(name)(__VA_ARGS__); }
#define IN(path) inside(path, b)
#define IN2(path) inside(path, c)
#define WITH_MODE(flags) \
    mode_t mode = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list list; va_start(list, flags); mode = va_arg(list, mode_t); va_end(list); }

int open(const char *p, int f, ...) { path_buffer b; WITH_MODE(f) return REAL(open)(IN(p), f, mode); }
int open64(const char *p, int f, ...) { path_buffer b; WITH_MODE(f) return REAL(open64)(IN(p), f, mode); }
int openat(int d, const char *p, int f, ...) { path_buffer b; WITH_MODE(f) return REAL(openat)(d, IN(p), f, mode); }
int openat64(int d, const char *p, int f, ...) { path_buffer b; WITH_MODE(f) return REAL(openat64)(d, IN(p), f, mode); }
int __open_2(const char *p, int f) { path_buffer b; return REAL(open)(IN(p), f); }
int __open64_2(const char *p, int f) { path_buffer b; return REAL(open64)(IN(p), f); }
int __openat_2(int d, const char *p, int f) { path_buffer b; return REAL(openat)(d, IN(p), f); }
int __openat64_2(int d, const char *p, int f) { path_buffer b; return REAL(openat64)(d, IN(p), f); }
P1(int, creat, (const char *p, mode_t m), IN(p), m)
P1(int, creat64, (const char *p, mode_t m), IN(p), m)
P1(FILE *, fopen, (const char *p, const char *m), IN(p), m)
P1(FILE *, fopen64, (const char *p, const char *m), IN(p), m)
P1(FILE *, freopen, (const char *p, const char *m, FILE *s), IN(p), m, s)
P1(FILE *, freopen64, (const char *p, const char *m, FILE *s), IN(p), m, s)
P1(DIR *, opendir, (const char *p), IN(p))
P1(int, stat, (const char *p, struct stat *s), IN(p), s)
P1(int, stat64, (const char *p, struct stat64 *s), IN(p), s)
P1(int, lstat, (const char *p, struct stat *s), IN(p), s)
P1(int, lstat64, (const char *p, struct stat64 *s), IN(p), s)
P1(int, fstatat, (int d, const char *p, struct stat *s, int f), d, IN(p), s, f)
P1(int, fstatat64, (int d, const char *p, struct stat64 *s, int f), d, IN(p), s, f)
P1(int, statx, (int d, const char *p, int f, unsigned m, struct statx *s), d, IN(p), f, m, s)
P1(int, statfs, (const char *p, struct statfs *s), IN(p), s)
P1(int, statfs64, (const char *p, struct statfs64 *s), IN(p), s)
P1(int, statvfs, (const char *p, struct statvfs *s), IN(p), s)
P1(int, statvfs64, (const char *p, struct statvfs64 *s), IN(p), s)
P1(int, access, (const char *p, int m), IN(p), m)
P1(int, eaccess, (const char *p, int m), IN(p), m)
P1(int, euidaccess, (const char *p, int m), IN(p), m)
P1(int, faccessat, (int d, const char *p, int m, int f), d, IN(p), m, f)
P1(ssize_t, readlink, (const char *p, char *o, size_t n), IN(p), o, n)
P1(ssize_t, readlinkat, (int d, const char *p, char *o, size_t n), d, IN(p), o, n)
P1(int, chdir, (const char *p), IN(p))
P1(int, mkdir, (const char *p, mode_t m), IN(p), m)
P1(int, mkdirat, (int d, const char *p, mode_t m), d, IN(p), m)
P1(int, mkfifo, (const char *p, mode_t m), IN(p), m)
P1(int, rmdir, (const char *p), IN(p))
P1(int, unlink, (const char *p), IN(p))
P1(int, unlinkat, (int d, const char *p, int f), d, IN(p), f)
P1(int, remove, (const char *p), IN(p))
P1(int, chmod, (const char *p, mode_t m), IN(p), m)
P1(int, fchmodat, (int d, const char *p, mode_t m, int f), d, IN(p), m, f)
P1(int, chown, (const char *p, uid_t u, gid_t g), IN(p), u, g)
P1(int, lchown, (const char *p, uid_t u, gid_t g), IN(p), u, g)
P1(int, fchownat, (int d, const char *p, uid_t u, gid_t g, int f), d, IN(p), u, g, f)
P1(int, truncate, (const char *p, off_t n), IN(p), n)
P1(int, truncate64, (const char *p, off64_t n), IN(p), n)
P1(int, utimes, (const char *p, const struct timeval t[2]), IN(p), t)
P1(int, utimensat, (int d, const char *p, const struct timespec t[2], int f), d, IN(p), t, f)
P1(int, inotify_add_watch, (int d, const char *p, uint32_t m), d, IN(p), m)
P1(long, pathconf, (const char *p, int n), IN(p), n)
P1(void *, dlopen, (const char *p, int f), IN(p), f)
P1(ssize_t, getxattr, (const char *p, const char *n, void *v, size_t s), IN(p), n, v, s)
P1(ssize_t, lgetxattr, (const char *p, const char *n, void *v, size_t s), IN(p), n, v, s)
P1(ssize_t, listxattr, (const char *p, char *l, size_t s), IN(p), l, s)
P1(ssize_t, llistxattr, (const char *p, char *l, size_t s), IN(p), l, s)
P1(int, setxattr, (const char *p, const char *n, const void *v, size_t s, int f), IN(p), n, v, s, f)
P1(int, lsetxattr, (const char *p, const char *n, const void *v, size_t s, int f), IN(p), n, v, s, f)
P2(int, rename, (const char *p, const char *q), IN(p), IN2(q))
P2(int, renameat, (int d, const char *p, int e, const char *q), d, IN(p), e, IN2(q))
P2(int, renameat2, (int d, const char *p, int e, const char *q, unsigned f), d, IN(p), e, IN2(q), f)
P2(int, link, (const char *p, const char *q), IN(p), IN2(q))
P2(int, linkat, (int d, const char *p, int e, const char *q, int f), d, IN(p), e, IN2(q), f)
P2(int, symlink, (const char *p, const char *q), IN(p), IN2(q))
P2(int, symlinkat, (const char *p, int d, const char *q), IN(p), d, IN2(q))

/* Programs compiled for glibc before 2.33 take these instead. */
int __xstat(int v, const char *p, struct stat *s) { path_buffer b; (void)v; return REAL(stat)(IN(p), s); }
int __xstat64(int v, const char *p, struct stat64 *s) { path_buffer b; (void)v; return REAL(stat64)(IN(p), s); }
int __lxstat(int v, const char *p, struct stat *s) { path_buffer b; (void)v; return REAL(lstat)(IN(p), s); }
int __lxstat64(int v, const char *p, struct stat64 *s) { path_buffer b; (void)v; return REAL(lstat64)(IN(p), s); }
int __fxstatat(int v, int d, const char *p, struct stat *s, int f) {
    path_buffer b; (void)v; return REAL(fstatat)(d, IN(p), s, f);
}
int __fxstatat64(int v, int d, const char *p, struct stat64 *s, int f) {
    path_buffer b; (void)v; return REAL(fstatat64)(d, IN(p), s, f);
}

/* Templates are written to. */
static char *with_template(char *template, char *copy, path_buffer b) {
    strncpy(copy, IN(template), PATH_MAX - 1);
    copy[PATH_MAX - 1] = 0;
    return copy;
}

static void give_back(char *template, const char *made) {
    size_t length = strlen(template), other = strlen(made), same = length < other ? length : other;
    memcpy(template + length - (same < 12 ? same : 12), made + other - (same < 12 ? same : 12), same < 12 ? same : 12);
}

#define TEMPLATE(type, name, params, failed, ...) \
    type name params { \
        path_buffer b, copy; \
        type made = REAL(name)(__VA_ARGS__); \
        if (made != failed) give_back(t, copy); \
        return made; \
    }
TEMPLATE(int, mkstemp, (char *t), -1, with_template(t, copy, b))
TEMPLATE(int, mkstemp64, (char *t), -1, with_template(t, copy, b))
TEMPLATE(int, mkostemp, (char *t, int f), -1, with_template(t, copy, b), f)
TEMPLATE(int, mkostemp64, (char *t, int f), -1, with_template(t, copy, b), f)
TEMPLATE(int, mkstemps, (char *t, int n), -1, with_template(t, copy, b), n)

char *mkdtemp(char *t) {
    path_buffer b, copy;
    if (!REAL(mkdtemp)(with_template(t, copy, b))) return NULL;
    give_back(t, copy);
    return t;
}

char *getcwd(char *out, size_t size) {
    path_buffer b;
    char *made;
    if (!REAL(getcwd)(b, sizeof b)) return NULL;
    outside(b, sizeof b);
    if (!out) return strdup(b);
    made = out;
    if (strlen(b) >= size) { errno = ERANGE; return NULL; }
    return strcpy(made, b);
}

char *get_current_dir_name(void) { return getcwd(NULL, 0); }

char *realpath(const char *p, char *out) {
    path_buffer b, made;
    if (!REAL(realpath)(IN(p), made)) return NULL;
    outside(made, sizeof made);
    return out ? strcpy(out, made) : strdup(made);
}
char *__realpath_chk(const char *p, char *out, size_t n) { (void)n; return realpath(p, out); }
char *canonicalize_file_name(const char *p) { return realpath(p, NULL); }

/* Programs in volumes. Search in PATH, and the lists of execl, end here as well. */
P1(int, execve, (const char *p, char *const a[], char *const e[]), IN(p), a, e)
P1(int, execv, (const char *p, char *const a[]), IN(p), a)
P1(int, execvp, (const char *p, char *const a[]), IN(p), a)
P1(int, execvpe, (const char *p, char *const a[], char *const e[]), IN(p), a, e)
P1(int, posix_spawn,
   (pid_t *i, const char *p, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *s, char *const a[],
    char *const e[]),
   i, IN(p), f, s, a, e)
P1(int, posix_spawnp,
   (pid_t *i, const char *p, const posix_spawn_file_actions_t *f, const posix_spawnattr_t *s, char *const a[],
    char *const e[]),
   i, IN(p), f, s, a, e)

/* Addresses. "Every interface" and localhost are the pod's own address, so that each pod has every port. The pods'
 * network 10.244.0.0/16 lies at 127.244.0.0/16 here, and that of Services, 10.96.0.0/12, at 127.96.0.0/12. */

static struct in_addr placed(struct in_addr a) {
    uint32_t n = ntohl(a.s_addr);
    if (n == INADDR_ANY || n == INADDR_LOOPBACK) return address;
    if (n >> 16 == 0x0af4 || n >> 20 == 0x0a6) a.s_addr = htonl((n & 0x00ffffff) | 0x7f000000);
    return a;
}

/* Ports that only root may have lie higher, as in network.py. */
static in_port_t placed_port(struct in_addr a, in_port_t port) {
    uint32_t n = ntohl(a.s_addr), p = ntohs(port);
    return p && p < 1024 && (n >> 16 == 0x7ff4 || n >> 20 == 0x7f6) ? htons((in_port_t)(p + 10000)) : port;
}

static struct in_addr in_cluster(struct in_addr a) {
    uint32_t n = ntohl(a.s_addr);
    if (n >> 16 == 0x7ff4 || n >> 20 == 0x7f6) a.s_addr = htonl((n & 0x00ffffff) | 0x0a000000);
    return a;
}

static struct in_addr mapped(const struct in6_addr *a) {
    struct in_addr v4;
    memcpy(&v4, a->s6_addr + 12, 4);
    return v4;
}

/* Where `asked` really is; `made` holds it. Unix sockets go by their path. */
static const struct sockaddr *real_address(const struct sockaddr *asked, socklen_t *length, void *made) {
    if (!asked || *length < sizeof(sa_family_t)) return asked;
    if (asked->sa_family == AF_UNIX) {
        struct sockaddr_un *unix_made = made;
        const char *path = ((const struct sockaddr_un *)asked)->sun_path, *found;
        path_buffer b, text;
        size_t held = *length - offsetof(struct sockaddr_un, sun_path);
        if (*length <= offsetof(struct sockaddr_un, sun_path) || *path != '/' || held >= sizeof text) return asked;
        memcpy(text, path, held);
        text[held] = 0;
        found = inside(text, b);
        if (found == text || strlen(found) >= sizeof unix_made->sun_path) return asked;
        unix_made->sun_family = AF_UNIX;
        strcpy(unix_made->sun_path, found);
        *length = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(found) + 1);
        return made;
    }
    if (!address.s_addr) return asked;
    if (asked->sa_family == AF_INET && *length >= sizeof(struct sockaddr_in)) {
        struct sockaddr_in *v4 = made;
        *v4 = *(const struct sockaddr_in *)asked;
        v4->sin_addr = placed(v4->sin_addr);
        v4->sin_port = placed_port(v4->sin_addr, v4->sin_port);
        return made;
    }
    if (asked->sa_family == AF_INET6 && *length >= sizeof(struct sockaddr_in6)) {
        struct sockaddr_in6 *v6 = made;
        struct in_addr v4;
        *v6 = *(const struct sockaddr_in6 *)asked;
        if (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr)) v4 = placed(mapped(&v6->sin6_addr));
        else if (IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) || IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr)) v4 = address;
        else return asked;
        memset(v6->sin6_addr.s6_addr, 0, 10);
        memset(v6->sin6_addr.s6_addr + 10, 0xff, 2);
        memcpy(v6->sin6_addr.s6_addr + 12, &v4, 4);
        v6->sin6_port = placed_port(v4, v6->sin6_port);
        return made;
    }
    return asked;
}

static void take_v4(int fd, const struct sockaddr *where) {
    int off = 0;
    if (where->sa_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
}

int bind(int fd, const struct sockaddr *asked, socklen_t length) {
    struct sockaddr_storage made;
    const struct sockaddr *where = real_address(asked, &length, &made);
    if (where != asked) take_v4(fd, where);
    return REAL(bind)(fd, where, length);
}

/* A connection to another pod comes from this pod's address, not from 127.0.0.1. */
static void leave_from(int fd, const struct sockaddr *where) {
    struct sockaddr_storage own;
    socklen_t length = sizeof own;
    int late = 1;
    struct in_addr target;
    if (where->sa_family == AF_INET) target = ((const struct sockaddr_in *)where)->sin_addr;
    else if (where->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)where)->sin6_addr))
        target = mapped(&((const struct sockaddr_in6 *)where)->sin6_addr);
    else return;
    if (ntohl(target.s_addr) >> 24 != 127 || getsockname(fd, (struct sockaddr *)&own, &length)) return;
    setsockopt(fd, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &late, sizeof late);
    if (own.ss_family == AF_INET && !((struct sockaddr_in *)&own)->sin_port) {
        struct sockaddr_in from = {.sin_family = AF_INET, .sin_addr = address};
        REAL(bind)(fd, (struct sockaddr *)&from, sizeof from);
    } else if (own.ss_family == AF_INET6 && !((struct sockaddr_in6 *)&own)->sin6_port) {
        struct sockaddr_in6 from = {.sin6_family = AF_INET6};
        memset(from.sin6_addr.s6_addr + 10, 0xff, 2);
        memcpy(from.sin6_addr.s6_addr + 12, &address, 4);
        REAL(bind)(fd, (struct sockaddr *)&from, sizeof from);
    }
}

int connect(int fd, const struct sockaddr *asked, socklen_t length) {
    struct sockaddr_storage made;
    const struct sockaddr *where = real_address(asked, &length, &made);
    if (where && address.s_addr && where->sa_family != AF_UNIX) {
        if (where != asked) take_v4(fd, where);
        leave_from(fd, where);
    }
    return REAL(connect)(fd, where, length);
}

ssize_t sendto(int fd, const void *data, size_t n, int flags, const struct sockaddr *asked, socklen_t length) {
    struct sockaddr_storage made;
    const struct sockaddr *where = real_address(asked, &length, &made);
    return REAL(sendto)(fd, data, n, flags, where, length);
}

ssize_t sendmsg(int fd, const struct msghdr *message, int flags) {
    struct sockaddr_storage made;
    struct msghdr copy = *message;
    socklen_t length = message->msg_namelen;
    copy.msg_name = (void *)real_address(message->msg_name, &length, &made);
    copy.msg_namelen = length;
    return REAL(sendmsg)(fd, &copy, flags);
}

/* Names. The pod's hosts file first, then the node's name server; what both do not know is left to the machine. */

int gethostname(char *out, size_t size) {
    if (!host_name) return REAL(gethostname)(out, size);
    if (strlen(host_name) >= size) { errno = ENAMETOOLONG; return -1; }
    strcpy(out, host_name);
    return 0;
}

int uname(struct utsname *out) {
    int answer = REAL(uname)(out);
    if (!answer && host_name) snprintf(out->nodename, sizeof out->nodename, "%s", host_name);
    return answer;
}

enum { MOST_ADDRESSES = 64, A = 1, PTR = 12, ANSWER_MILLISECONDS = 4000 };

struct answer {
    struct in_addr addresses[MOST_ADDRESSES];
    int count;
    char name[NI_MAXHOST];
};

static int from_hosts(const char *name, struct in_addr wanted, struct answer *found) {
    char line[1024], *rest, *word;
    FILE *file = hosts_file ? REAL(fopen)(hosts_file, "re") : NULL;
    while (file && !found->count && !*found->name && fgets(line, sizeof line, file)) {
        struct in_addr here;
        rest = line;
        line[strcspn(line, "#\n")] = 0;
        if (!(word = strsep(&rest, " \t")) || !inet_aton(word, &here)) continue;
        while ((word = strsep(&rest, " \t"))) {
            if (!*word) continue;
            if (name && !strcasecmp(word, name)) found->addresses[found->count++] = here;
            if (!name && here.s_addr == wanted.s_addr) { snprintf(found->name, sizeof found->name, "%s", word); break; }
            if (found->count) break;
        }
    }
    if (file) fclose(file);
    return found->count || *found->name;
}

static const unsigned char *skip_name(const unsigned char *at, const unsigned char *end) {
    while (at < end && *at && *at < 0xc0) at += *at + 1;
    return at + (at < end && *at >= 0xc0 ? 2 : 1);
}

static int ask(const char *name, int kind, struct answer *found) {
    unsigned char query[512] = {0x51, 0x0d, 1, 0, 0, 1}, reply[4096], *at = query + 12;
    const unsigned char *position, *end;
    struct sockaddr_in server = {.sin_family = AF_INET, .sin_port = name_server_port, .sin_addr = name_server};
    struct pollfd ready;
    ssize_t size;
    int records, fd;
    if (!name_server_port || strlen(name) > 250) return 0;
    for (const char *label = name; *label;) {
        size_t length = strcspn(label, ".");
        if (!length || length > 63) return 0;
        *at++ = (unsigned char)length;
        memcpy(at, label, length);
        at += length;
        label += length + (label[length] == '.');
    }
    *at++ = 0;
    *at++ = 0; *at++ = (unsigned char)kind; *at++ = 0; *at++ = 1;
    if ((fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) < 0) return 0;
    ready = (struct pollfd){.fd = fd, .events = POLLIN};
    size = -1;
    if (!REAL(connect)(fd, (struct sockaddr *)&server, sizeof server) && send(fd, query, (size_t)(at - query), 0) > 0 &&
        poll(&ready, 1, ANSWER_MILLISECONDS) > 0)
        size = recv(fd, reply, sizeof reply, 0);
    close(fd);
    if (size < 12 || reply[3] & 15) return 0;
    end = reply + size;
    records = reply[6] << 8 | reply[7];
    position = skip_name(reply + 12, end) + 4;
    while (records-- > 0 && position < end) {
        position = skip_name(position, end);
        if (position + 10 > end) break;
        int type = position[0] << 8 | position[1], length = position[8] << 8 | position[9];
        position += 10;
        if (position + length > end) break;
        if (type == A && kind == A && length == 4 && found->count < MOST_ADDRESSES)
            memcpy(&found->addresses[found->count++], position, 4);
        if (type == PTR && kind == PTR) {
            size_t held = 0;
            const unsigned char *label = position;
            while (label < end && *label && *label < 0xc0 && held + *label + 2 < sizeof found->name) {
                if (held) found->name[held++] = '.';
                memcpy(found->name + held, label + 1, *label);
                held += *label;
                label += *label + 1;
            }
            found->name[held] = 0;
        }
        position += length;
    }
    return found->count || *found->name;
}

/* The addresses of `name`, tried with the search domains as a resolver with ndots:5 does. */
static int look_up(const char *name, struct answer *found) {
    char tried[512], domains[1024], *rest = domains, *domain;
    struct in_addr number;
    int dots = 0;
    memset(found, 0, sizeof *found);
    if (!name || !*name || strchr(name, ':') || inet_aton(name, &number) || !address.s_addr) return 0;
    if (from_hosts(name, number, found)) return 1;
    for (const char *c = name; *c; c++) dots += *c == '.';
    if (dots >= 5 && ask(name, A, found)) return 1;
    snprintf(domains, sizeof domains, "%s", search ? search : "");
    while ((domain = strsep(&rest, " ")))
        if (*domain && snprintf(tried, sizeof tried, "%s.%s", name, domain) < (int)sizeof tried && ask(tried, A, found))
            return 1;
    return dots > 0 && dots < 5 && ask(name, A, found);
}

static int is_ours(struct in_addr a) {
    return address.s_addr && placed(a).s_addr != a.s_addr ? 1 : in_cluster(a).s_addr != a.s_addr;
}

/* 1: `found` has the name; 0: it has none, and asking the machine would only tell its own. */
static int look_back(struct in_addr a, struct answer *found) {
    char name[64];
    a = in_cluster(a);
    uint32_t n = ntohl(a.s_addr);
    memset(found, 0, sizeof *found);
    if (from_hosts(NULL, a, found)) return 1;
    snprintf(name, sizeof name, "%u.%u.%u.%u.in-addr.arpa", n & 255, n >> 8 & 255, n >> 16 & 255, n >> 24);
    return ask(name, PTR, found);
}

int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints, struct addrinfo **out) {
    struct answer found;
    struct addrinfo plain = {0}, *first = NULL, **next = &first;
    if ((hints && hints->ai_flags & AI_NUMERICHOST) || !look_up(name, &found))
        return REAL(getaddrinfo)(name, service, hints, out);
    if (hints) plain = *hints;
    if (plain.ai_family == AF_INET6) plain.ai_flags |= AI_V4MAPPED;
    for (int i = 0; i < found.count; i++) {
        char text[INET_ADDRSTRLEN];
        int failed;
        inet_ntop(AF_INET, &found.addresses[i], text, sizeof text);
        if (plain.ai_family == AF_INET6) {
            char mapped_text[INET6_ADDRSTRLEN];
            snprintf(mapped_text, sizeof mapped_text, "::ffff:%s", text);
            failed = REAL(getaddrinfo)(mapped_text, service, &plain, next);
        } else {
            failed = REAL(getaddrinfo)(text, service, &plain, next);
        }
        if (failed) {
            if (first) freeaddrinfo(first);
            return failed;
        }
        while (*next) next = &(*next)->ai_next;
        plain.ai_flags &= ~AI_CANONNAME;
    }
    if (first && hints && hints->ai_flags & AI_CANONNAME) {
        free(first->ai_canonname);
        first->ai_canonname = strdup(name);
    }
    *out = first;
    return 0;
}

int getnameinfo(const struct sockaddr *asked, socklen_t length, char *name, socklen_t name_size, char *service,
                socklen_t service_size, int flags) {
    struct answer found;
    struct in_addr v4 = {0};
    if (asked->sa_family == AF_INET) v4 = ((const struct sockaddr_in *)asked)->sin_addr;
    else if (asked->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&((const struct sockaddr_in6 *)asked)->sin6_addr))
        v4 = mapped(&((const struct sockaddr_in6 *)asked)->sin6_addr);
    if (!name || flags & NI_NUMERICHOST || !is_ours(v4))
        return REAL(getnameinfo)(asked, length, name, name_size, service, service_size, flags);
    if (!look_back(v4, &found)) {
        if (flags & NI_NAMEREQD) return EAI_NONAME;
        return REAL(getnameinfo)(asked, length, name, name_size, service, service_size, flags | NI_NUMERICHOST);
    }
    if (strlen(found.name) >= name_size) return EAI_OVERFLOW;
    strcpy(name, found.name);
    return service ? REAL(getnameinfo)(asked, length, NULL, 0, service, service_size, flags) : 0;
}

/* A hostent of one name in `buffer`; ERANGE where it is too small. */
static int fill(struct hostent *entry, const char *name, const struct answer *found, char *buffer, size_t size) {
    size_t pointers = (size_t)(found->count + 2) * sizeof(char *), addresses = (size_t)found->count * 4;
    size_t skipped = (sizeof(char *) - (uintptr_t)buffer % sizeof(char *)) % sizeof(char *);
    if (size < skipped + pointers + addresses + strlen(name) + 1) return ERANGE;
    char **list = (char **)(buffer + skipped), *data = buffer + skipped + pointers;
    for (int i = 0; i < found->count; i++, data += 4) {
        memcpy(data, &found->addresses[i], 4);
        list[i] = data;
    }
    list[found->count] = list[found->count + 1] = NULL;
    strcpy(data, name);
    *entry = (struct hostent){data, list + found->count + 1, AF_INET, 4, list};
    return 0;
}

static __thread struct hostent kept_entry;
static __thread char kept[8192];

int gethostbyname_r(const char *name, struct hostent *entry, char *buffer, size_t size, struct hostent **out, int *code) {
    struct answer found;
    if (!look_up(name, &found)) return REAL(gethostbyname_r)(name, entry, buffer, size, out, code);
    int failed = fill(entry, name, &found, buffer, size);
    *out = failed ? NULL : entry;
    if (failed) *code = NETDB_INTERNAL;
    return failed;
}

int gethostbyname2_r(const char *name, int family, struct hostent *entry, char *buffer, size_t size,
                     struct hostent **out, int *code) {
    if (family == AF_INET) return gethostbyname_r(name, entry, buffer, size, out, code);
    return REAL(gethostbyname2_r)(name, family, entry, buffer, size, out, code);
}

struct hostent *gethostbyname(const char *name) {
    struct answer found;
    if (!look_up(name, &found)) return REAL(gethostbyname)(name);
    return fill(&kept_entry, name, &found, kept, sizeof kept) ? NULL : &kept_entry;
}

struct hostent *gethostbyname2(const char *name, int family) {
    return family == AF_INET ? gethostbyname(name) : REAL(gethostbyname2)(name, family);
}

/* 1: answered in `entry`, `*failed` says how; 0: not ours. */
static int host_of(const void *asked, socklen_t length, int family, struct hostent *entry, char *buffer, size_t size,
                   int *failed) {
    struct answer found;
    struct in_addr v4 = {0};
    if (family == AF_INET && length == 4) memcpy(&v4, asked, 4);
    else if (family == AF_INET6 && length == 16 && IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)asked))
        v4 = mapped(asked);
    if (!is_ours(v4)) return 0;
    *failed = ENOENT;
    if (look_back(v4, &found)) {
        char name[NI_MAXHOST];
        strcpy(name, found.name);
        found.addresses[0] = v4;
        found.count = 1;
        *failed = fill(entry, name, &found, buffer, size);
    }
    return 1;
}

int gethostbyaddr_r(const void *asked, socklen_t length, int family, struct hostent *entry, char *buffer, size_t size,
                    struct hostent **out, int *code) {
    int failed;
    if (!host_of(asked, length, family, entry, buffer, size, &failed))
        return REAL(gethostbyaddr_r)(asked, length, family, entry, buffer, size, out, code);
    *out = failed ? NULL : entry;
    *code = failed == ERANGE ? NETDB_INTERNAL : failed ? HOST_NOT_FOUND : 0;
    return failed == ERANGE ? ERANGE : 0;
}

struct hostent *gethostbyaddr(const void *asked, socklen_t length, int family) {
    int failed;
    if (!host_of(asked, length, family, &kept_entry, kept, sizeof kept, &failed))
        return REAL(gethostbyaddr)(asked, length, family);
    if (failed) h_errno = HOST_NOT_FOUND;
    return failed ? NULL : &kept_entry;
}
