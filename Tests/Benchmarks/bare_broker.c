/* A minimal librabbitmq client. It consumes from a queue, publishes one message with a confirm for each delivery,
 * and acknowledges the delivery after the confirm. It uses one thread and one connection. Its throughput is the
 * baseline for jobs per second.
 *
 *   bare_broker HOST PORT USER PASSWORD QUEUE EXCHANGE PREFETCH COUNT
 *
 * Prints {"messages":…,"seconds":…,"cpu_seconds":…} after COUNT messages.
 */
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_tcp_socket.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>

enum { CONSUME = 1, PUBLISH = 2 };

static void fail(const char *what) {
    fprintf(stderr, "bare_broker: %s\n", what);
    exit(1);
}

static void check(amqp_rpc_reply_t reply, const char *what) {
    if (reply.reply_type != AMQP_RESPONSE_NORMAL) fail(what);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double cpu(void) {
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

int main(int argc, char **argv) {
    if (argc != 9) fail("usage: HOST PORT USER PASSWORD QUEUE EXCHANGE PREFETCH COUNT");
    const uint16_t prefetch = (uint16_t)atoi(argv[7]);
    const uint64_t count = strtoull(argv[8], NULL, 10);

    amqp_connection_state_t connection = amqp_new_connection();
    amqp_socket_t *socket = amqp_tcp_socket_new(connection);
    if (!socket || amqp_socket_open(socket, argv[1], atoi(argv[2])) != AMQP_STATUS_OK) fail("can't connect");
    check(amqp_login(connection, "/", 0, 131072, 0, AMQP_SASL_METHOD_PLAIN, argv[3], argv[4]), "login");
    amqp_channel_open(connection, CONSUME);
    check(amqp_get_rpc_reply(connection), "channel");
    amqp_channel_open(connection, PUBLISH);
    check(amqp_get_rpc_reply(connection), "channel");
    amqp_confirm_select(connection, PUBLISH);
    check(amqp_get_rpc_reply(connection), "confirm.select");
    amqp_basic_qos(connection, CONSUME, 0, prefetch, 0);
    check(amqp_get_rpc_reply(connection), "basic.qos");
    amqp_basic_consume(connection, CONSUME, amqp_cstring_bytes(argv[5]), amqp_empty_bytes, 0, 0, 0, amqp_empty_table);
    check(amqp_get_rpc_reply(connection), "basic.consume");

    /* About the size of a result event. */
    char text[300];
    memset(text, 'x', sizeof text);
    amqp_bytes_t event = {.len = sizeof text, .bytes = text};
    amqp_basic_properties_t properties = {._flags = AMQP_BASIC_CONTENT_TYPE_FLAG | AMQP_BASIC_DELIVERY_MODE_FLAG,
                                          .content_type = amqp_cstring_bytes("application/json"),
                                          .delivery_mode = AMQP_DELIVERY_PERSISTENT};
    amqp_bytes_t exchange = amqp_cstring_bytes(argv[6]);
    amqp_bytes_t key = amqp_cstring_bytes("apns.sent.com.example.bench");

    /* Deliveries and publications are both numbered from 1, so the nth confirm belongs to the nth delivery.
     * At most `prefetch` are open at any time. */
    uint8_t *confirmed = calloc(prefetch + 1u, 1);
    uint64_t published = 0, settled = 0, acknowledged = 0;
    double started = 0, cpu_started = 0;
    while (acknowledged < count) {
        struct timeval wait = {.tv_sec = 30};
        struct timeval none = {0};
        amqp_envelope_t envelope;
        amqp_maybe_release_buffers(connection);
        /* While confirmed deliveries wait to be acknowledged together, poll. If nothing arrives, acknowledge them. */
        int waiting = settled > acknowledged;
        amqp_rpc_reply_t reply = amqp_consume_message(connection, &envelope, waiting ? &none : &wait, 0);
        if (reply.reply_type == AMQP_RESPONSE_NORMAL) {
            if (published == 0) {
                started = now();
                cpu_started = cpu();
            }
            published += 1;
            confirmed[published % (prefetch + 1u)] = 0;
            if (amqp_basic_publish(connection, PUBLISH, exchange, key, 0, 0, &properties, event) != AMQP_STATUS_OK)
                fail("basic.publish");
            amqp_destroy_envelope(&envelope);
        } else if (reply.library_error == AMQP_STATUS_UNEXPECTED_STATE) {
            amqp_frame_t frame;
            if (amqp_simple_wait_frame(connection, &frame) != AMQP_STATUS_OK) fail("reading a frame");
            if (frame.frame_type != AMQP_FRAME_METHOD || frame.payload.method.id != AMQP_BASIC_ACK_METHOD)
                fail("received a frame other than a confirm");
            amqp_basic_ack_t *ack = frame.payload.method.decoded;
            for (uint64_t tag = ack->multiple ? settled + 1 : ack->delivery_tag; tag <= ack->delivery_tag; tag++)
                confirmed[tag % (prefetch + 1u)] = 1;
            while (settled < published && confirmed[(settled + 1) % (prefetch + 1u)]) {
                settled += 1;
                confirmed[settled % (prefetch + 1u)] = 0;
            }
        } else if (reply.library_error != AMQP_STATUS_TIMEOUT || !waiting) {
            fail(amqp_error_string2(reply.library_error));
        }
        uint64_t open = settled - acknowledged;
        if (open > 0 && (open >= prefetch / 4u || settled >= count || reply.library_error == AMQP_STATUS_TIMEOUT)) {
            if (amqp_basic_ack(connection, CONSUME, settled, 1) != AMQP_STATUS_OK) fail("basic.ack");
            acknowledged = settled;
        }
    }
    printf("{\"messages\":%llu,\"seconds\":%.4f,\"cpu_seconds\":%.4f}\n", (unsigned long long)acknowledged,
           now() - started, cpu() - cpu_started);
    amqp_connection_close(connection, AMQP_REPLY_SUCCESS);
    amqp_destroy_connection(connection);
    free(confirmed);
    return 0;
}
