#include <libpq-fe.h>
// Glibc's Swift module does not include eventfd, which wakes the thread of a connection.
#include <sys/eventfd.h>

// A request to cancel a query. The owner of the connection prepares the request, and any thread may carry it out.
// Carrying it out blocks and opens a separate connection. From libpq 17 on, that connection is as secure as the
// original one.
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
