#ifndef CRABBITMQ_SHIM_H
#define CRABBITMQ_SHIM_H

// rabbitmq-c moved its headers into a folder of their own after 0.11 (Debian 12 has the old names).
#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif

#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/time.h>

// Swift does not import macros with a cast in them.
static const uint32_t CRABBITMQ_CONNECTION_CLOSE = AMQP_CONNECTION_CLOSE_METHOD;
static const uint32_t CRABBITMQ_CONNECTION_CLOSE_OK = AMQP_CONNECTION_CLOSE_OK_METHOD;
static const uint32_t CRABBITMQ_CONNECTION_BLOCKED = AMQP_CONNECTION_BLOCKED_METHOD;
static const uint32_t CRABBITMQ_CONNECTION_UNBLOCKED = AMQP_CONNECTION_UNBLOCKED_METHOD;
static const uint32_t CRABBITMQ_CHANNEL_CLOSE = AMQP_CHANNEL_CLOSE_METHOD;
static const uint32_t CRABBITMQ_CHANNEL_CLOSE_OK = AMQP_CHANNEL_CLOSE_OK_METHOD;
static const uint32_t CRABBITMQ_BASIC_CANCEL = AMQP_BASIC_CANCEL_METHOD;
static const uint32_t CRABBITMQ_BASIC_CANCEL_OK = AMQP_BASIC_CANCEL_OK_METHOD;
static const uint32_t CRABBITMQ_BASIC_RETURN = AMQP_BASIC_RETURN_METHOD;
static const uint32_t CRABBITMQ_BASIC_DELIVER = AMQP_BASIC_DELIVER_METHOD;
static const uint32_t CRABBITMQ_BASIC_ACK = AMQP_BASIC_ACK_METHOD;
static const uint32_t CRABBITMQ_BASIC_NACK = AMQP_BASIC_NACK_METHOD;

// Swift can't call a function with variable arguments.
static inline amqp_rpc_reply_t crabbitmq_login_plain(
    amqp_connection_state_t state, const char *virtual_host, int frame_max, int heartbeat,
    const amqp_table_t *properties, const char *user, const char *password) {
  return amqp_login_with_properties(state, virtual_host, 0, frame_max, heartbeat, properties, AMQP_SASL_METHOD_PLAIN,
                                    user, password);
}

// A function with variable arguments again.
static inline void crabbitmq_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// Swift's Glibc module does not have sys/eventfd.h.
static inline int crabbitmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
