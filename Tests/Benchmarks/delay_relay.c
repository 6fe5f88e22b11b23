/* A TCP relay that forwards every byte after a fixed delay, in both directions. It simulates network distance
 * between servers on the same machine.
 *
 *   delay_relay LISTEN_PORT TARGET_PORT DELAY_MS
 *
 * Listens on and connects to loopback. DELAY_MS is the delay one way, so a round trip takes twice as long. Up to
 * 64 MB are buffered for each direction, so that a benchmark measures the distance and not the relay's throughput.
 * Connecting takes a round trip over a network, but no time over loopback, so the client's first bytes are delayed
 * by an additional round trip. Prints "ready" when it listens, and runs until it is killed.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { PIPES = 512, CHUNKS = 8192, LIMIT = 64 << 20 };

/* The bytes of one read, and the time when they may be forwarded. */
struct chunk {
    int64_t due;
    size_t length, sent;
    char *bytes;
};

/* One direction of one connection. */
struct pipe {
    int from, to;
    int ended; /* the sender has closed its side */
    size_t held;
    int64_t ready;
    struct chunk chunks[CHUNKS];
    unsigned first, count;
};

static struct pipe *pipes[PIPES];
static unsigned pipe_count;
static int64_t delay_ns;

static void fail(const char *what) {
    fprintf(stderr, "delay_relay: %s: %s\n", what, strerror(errno));
    exit(1);
}

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static struct sockaddr_in loopback(const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static void add_pipe(int from, int to, int64_t ready) {
    struct pipe *p = calloc(1, sizeof *p);
    if (!p || pipe_count == PIPES) fail("too many connections");
    p->from = from;
    p->to = to;
    p->ready = ready;
    pipes[pipe_count++] = p;
}

static void accept_client(int listener, const struct sockaddr_in *target) {
    int client = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
    if (client < 0) return;
    int server = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    if (server < 0 || connect(server, (const struct sockaddr *)target, sizeof *target) != 0) {
        close(client);
        if (server >= 0) close(server);
        return;
    }
    setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    setsockopt(server, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    /* The handshake (SYN and its answer) takes a round trip over a network, but no time over loopback. */
    add_pipe(client, server, now() + 2 * delay_ns);
    add_pipe(server, client, now());
}

/* Reads the available bytes. Returns 0 if there are none or the sender has closed its side. */
static int take(struct pipe *p) {
    static char buffer[256 * 1024];
    ssize_t count = recv(p->from, buffer, sizeof buffer, MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
    if (count <= 0) {
        p->ended = 1;
        return 0;
    }
    int64_t base = now();
    struct chunk *chunk = &p->chunks[(p->first + p->count++) % CHUNKS];
    *chunk = (struct chunk){.due = (base > p->ready ? base : p->ready) + delay_ns, .length = (size_t)count};
    chunk->bytes = malloc(chunk->length);
    if (!chunk->bytes) fail("out of memory");
    memcpy(chunk->bytes, buffer, chunk->length);
    p->held += chunk->length;
    return 1;
}

/* Forwards the chunks that are due. Returns the time when the next chunk is due, 0 if there is no other chunk, or -1 if
 * the receiver accepts no more bytes at present. */
static int64_t hand_on(struct pipe *p, int64_t at) {
    while (p->count > 0) {
        struct chunk *chunk = &p->chunks[p->first];
        if (chunk->due > at) return chunk->due;
        ssize_t count =
            send(p->to, chunk->bytes + chunk->sent, chunk->length - chunk->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (count < 0 && (errno == EAGAIN || errno == EINTR)) return -1;
        if (count < 0) {
            p->ended = 1;
            count = (ssize_t)(chunk->length - chunk->sent);
        }
        chunk->sent += (size_t)count;
        p->held -= (size_t)count;
        if (chunk->sent < chunk->length) return -1;
        free(chunk->bytes);
        p->first = (p->first + 1) % CHUNKS;
        p->count -= 1;
    }
    return 0;
}

/* Closes each connection that has ended in one direction, after all bytes of that direction have been forwarded. Bytes
 * of the other direction are discarded. */
static void sweep(void) {
    for (unsigned i = 0; i + 1 < pipe_count;) {
        struct pipe *up = pipes[i], *down = pipes[i + 1];
        if ((up->ended && up->count == 0) || (down->ended && down->count == 0)) {
            close(up->from);
            close(up->to);
            for (struct pipe *p = up; p; p = p == up ? down : NULL)
                for (unsigned c = 0; c < p->count; c++) free(p->chunks[(p->first + c) % CHUNKS].bytes);
            free(up);
            free(down);
            memmove(&pipes[i], &pipes[i + 2], (pipe_count - i - 2) * sizeof *pipes);
            pipe_count -= 2;
        } else {
            i += 2;
        }
    }
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: delay_relay LISTEN_PORT TARGET_PORT DELAY_MS\n");
        return 64;
    }
    signal(SIGPIPE, SIG_IGN);
    delay_ns = (int64_t)(atof(argv[3]) * 1e6);
    struct sockaddr_in own = loopback(argv[1]), target = loopback(argv[2]);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (listener < 0 || bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || listen(listener, 128) != 0)
        fail("listening");
    puts("ready");
    fflush(stdout);
    static struct pollfd polls[1 + 2 * PIPES];
    for (;;) {
        sweep();
        int64_t at = now(), next = 0;
        unsigned entries = 1;
        polls[0] = (struct pollfd){.fd = listener, .events = POLLIN};
        for (unsigned i = 0; i < pipe_count; i++) {
            struct pipe *p = pipes[i];
            int64_t due = hand_on(p, at);
            if (due > 0 && (next == 0 || due < next)) next = due;
            if (!p->ended && p->held < LIMIT && p->count < CHUNKS)
                polls[entries++] = (struct pollfd){.fd = p->from, .events = POLLIN};
            if (due < 0) polls[entries++] = (struct pollfd){.fd = p->to, .events = POLLOUT};
        }
        struct timespec wait = {0};
        int64_t left = next - now();
        if (left > 0) wait = (struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
        if (ppoll(polls, entries, next == 0 ? NULL : &wait, NULL) < 0 && errno != EINTR) fail("poll");
        if (polls[0].revents) accept_client(listener, &target);
        for (unsigned i = 0; i < pipe_count; i++)
            for (int reads = 0; reads < 16; reads++)
                if (pipes[i]->ended || pipes[i]->held >= LIMIT || pipes[i]->count >= CHUNKS || !take(pipes[i])) break;
    }
}
