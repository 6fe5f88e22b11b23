#include <libpq-fe.h>
// Glibc's Swift module does not include eventfd, which wakes the thread of a connection.
#include <sys/eventfd.h>

// A request to cancel a query. It is prepared by the owner of the connection and carried out on any thread. It blocks and
// opens a connection of its own, which from libpq 17 on is as secure as the original one.
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
