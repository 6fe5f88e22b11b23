#include <libpq-fe.h>
// Glibc's Swift module leaves eventfd out; a connection's thread is woken through one.
#include <sys/eventfd.h>
