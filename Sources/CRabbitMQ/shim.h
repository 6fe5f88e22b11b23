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

#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
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
static const uint32_t CRABBITMQ_BASIC_QOS = AMQP_BASIC_QOS_METHOD;
static const uint32_t CRABBITMQ_BASIC_CONSUME = AMQP_BASIC_CONSUME_METHOD;
static const uint32_t CRABBITMQ_CHANNEL_OPEN = AMQP_CHANNEL_OPEN_METHOD;
static const uint32_t CRABBITMQ_CONFIRM_SELECT = AMQP_CONFIRM_SELECT_METHOD;
static const uint32_t CRABBITMQ_EXCHANGE_DECLARE = AMQP_EXCHANGE_DECLARE_METHOD;
static const uint32_t CRABBITMQ_QUEUE_BIND = AMQP_QUEUE_BIND_METHOD;
static const uint32_t CRABBITMQ_QUEUE_DECLARE = AMQP_QUEUE_DECLARE_METHOD;
static const uint32_t CRABBITMQ_QUEUE_DECLARE_OK = AMQP_QUEUE_DECLARE_OK_METHOD;

// Swift can't call a function with variable arguments.
static inline amqp_rpc_reply_t crabbitmq_login_plain(
    amqp_connection_state_t state, const char *virtual_host, int frame_max, int heartbeat,
    const amqp_table_t *properties, const char *user, const char *password) {
  return amqp_login_with_properties(state, virtual_host, 0, frame_max, heartbeat, properties, AMQP_SASL_METHOD_PLAIN,
                                    user, password);
}

static inline amqp_rpc_reply_t crabbitmq_login_external(
    amqp_connection_state_t state, const char *virtual_host, int frame_max, int heartbeat,
    const amqp_table_t *properties, const char *user) {
  return amqp_login_with_properties(state, virtual_host, 0, frame_max, heartbeat, properties, AMQP_SASL_METHOD_EXTERNAL,
                                    user);
}

// librabbitmq does not expose its TLS session, and it compares the certificate with the address that it connects to.
// OpenSSL's info callback provides the session when the handshake begins.
struct crabbitmq_tls {
  SSL *session;
  // The host name for SNI, or NULL if the host is an address.
  const char *name;
  long verification;
};

static inline void crabbitmq_note_session(const SSL *session, int where, int value) {
  (void)value;
  struct crabbitmq_tls *tls = (struct crabbitmq_tls *)SSL_CTX_get_app_data(SSL_get_SSL_CTX(session));
  if (where & SSL_CB_HANDSHAKE_START) {
    tls->session = (SSL *)session;
    SSL_set_tlsext_host_name((SSL *)session, tls->name);
  }
  if (where & SSL_CB_HANDSHAKE_DONE) tls->verification = SSL_get_verify_result(session);
}

// `tls` and `host` must live as long as the socket. Returns 0 if memory is exhausted.
static inline int crabbitmq_watch_session(
    amqp_socket_t *socket, struct crabbitmq_tls *tls, const char *host, int verifies_host) {
  SSL_CTX *context = (SSL_CTX *)amqp_ssl_socket_get_context(socket);
  SSL_CTX_set_app_data(context, (char *)tls);
  SSL_CTX_set_info_callback(context, crabbitmq_note_session);
  unsigned char address[16];
  int is_address = inet_pton(AF_INET, host, address) == 1 || inet_pton(AF_INET6, host, address) == 1;
  tls->name = is_address ? NULL : host;
  if (!verifies_host) return 1;
  X509_VERIFY_PARAM *parameters = SSL_CTX_get0_param(context);
  return is_address ? X509_VERIFY_PARAM_set1_ip_asc(parameters, host)
                    : X509_VERIFY_PARAM_set1_host(parameters, host, 0);
}

enum { CRABBITMQ_CLOSED = -1, CRABBITMQ_FAILED = -2 };

// Returns the number of bytes received, 0 if none have arrived, CRABBITMQ_CLOSED or CRABBITMQ_FAILED. If `session` is
// NULL, reads the socket without TLS. Never blocks.
static inline ssize_t crabbitmq_receive(SSL *session, int socket, void *buffer, size_t size) {
  if (session == NULL) {
    ssize_t count;
    do count = recv(socket, buffer, size, MSG_DONTWAIT);
    while (count < 0 && errno == EINTR);
    if (count > 0) return count;
    if (count == 0) return CRABBITMQ_CLOSED;
    return errno == EAGAIN || errno == EWOULDBLOCK ? 0 : CRABBITMQ_FAILED;
  }
  ERR_clear_error();
  int count = SSL_read(session, buffer, size > INT_MAX ? INT_MAX : (int)size);
  if (count > 0) return count;
  switch (SSL_get_error(session, count)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      return 0;
    case SSL_ERROR_ZERO_RETURN:
      return CRABBITMQ_CLOSED;
    default:
      return CRABBITMQ_FAILED;
  }
}

// Returns the number of decrypted bytes that the session holds. poll(2) does not report them.
static inline int crabbitmq_pending(SSL *session) { return session == NULL ? 0 : SSL_pending(session); }

// Swift can't call prctl, which has variable arguments.
static inline void crabbitmq_name_thread(const char *name) { prctl(PR_SET_NAME, name); }

// Swift's Glibc module does not have sys/eventfd.h.
static inline int crabbitmq_eventfd(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

#endif
