#include <nghttp2/nghttp2.h>

// There since 1.57, and in what Debian 12 made of 1.52; a library without it has no such limit either.
#pragma weak nghttp2_option_set_stream_reset_rate_limit
extern void nghttp2_option_set_stream_reset_rate_limit(nghttp2_option *option, uint64_t burst, uint64_t rate);

/// Streams that a peer may cancel: `burst` at once, then `rate` a second.
static inline void limit_stream_resets(nghttp2_option *option, uint64_t burst, uint64_t rate) {
    if (&nghttp2_option_set_stream_reset_rate_limit) {
        nghttp2_option_set_stream_reset_rate_limit(option, burst, rate);
    }
}
