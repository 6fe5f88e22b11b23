#include <nghttp2/nghttp2.h>

// This function exists since nghttp2 1.57, and in Debian 12's package of 1.52. Other versions have no such limit.
#pragma weak nghttp2_option_set_stream_reset_rate_limit
extern void nghttp2_option_set_stream_reset_rate_limit(nghttp2_option *option, uint64_t burst, uint64_t rate);

/// Limits the streams that a peer may cancel to `burst` at once, and then `rate` per second.
static inline void limit_stream_resets(nghttp2_option *option, uint64_t burst, uint64_t rate) {
    if (&nghttp2_option_set_stream_reset_rate_limit) {
        nghttp2_option_set_stream_reset_rate_limit(option, burst, rate);
    }
}
