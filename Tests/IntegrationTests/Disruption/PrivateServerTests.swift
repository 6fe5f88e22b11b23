import TestTraits
import Testing

/// The tests that stop or reconfigure their servers. They have a broker and a database of their own, which they use one
/// after the other.
@Suite(.serialized, PrivateServers(), .needsServers)
enum PrivateServerTests {}
