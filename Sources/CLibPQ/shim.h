#include <libpq-fe.h>
// Glibc's Swift module leaves eventfd out; a connection's thread is woken through one.
#include <sys/eventfd.h>

// A request to cancel, made where the connection is owned and carried out anywhere: over a connection of its own, and
// blocking. From libpq 17 on it is as secure as the connection itself.
#ifdef LIBPQ_HAS_ASYNC_CANCEL
typedef PGcancelConn MartletCancel;
static inline MartletCancel *martlet_cancel_prepare(PGconn *connection) { return PQcancelCreate(connection); }
static inline void martlet_cancel_carry_out(MartletCancel *request) {
    PQcancelBlocking(request);
    PQcancelFinish(request);
}
#else
typedef PGcancel MartletCancel;
static inline MartletCancel *martlet_cancel_prepare(PGconn *connection) { return PQgetCancel(connection); }
static inline void martlet_cancel_carry_out(MartletCancel *request) {
    char problem[256];
    PQcancel(request, problem, sizeof problem);
    PQfreeCancel(request);
}
#endif
