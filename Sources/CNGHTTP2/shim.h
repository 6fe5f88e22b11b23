#include <nghttp2/nghttp2.h>

// Available since 1.57, and in Debian 12's version of 1.52. A library without the function has no such limit to set.
#pragma weak nghttp2_option_set_stream_reset_rate_limit
extern void nghttp2_option_set_stream_reset_rate_limit(nghttp2_option *option, uint64_t burst, uint64_t rate);

/// Limits the streams that a peer may cancel to `burst` at once, and then `rate` per second.
static inline void limit_stream_resets(nghttp2_option *option, uint64_t burst, uint64_t rate) {
    if (&nghttp2_option_set_stream_reset_rate_limit) {
        nghttp2_option_set_stream_reset_rate_limit(option, burst, rate);
    }
}
