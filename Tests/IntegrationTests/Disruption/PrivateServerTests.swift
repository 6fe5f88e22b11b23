import TestTraits
import Testing

/// What does to servers what may not be done to those that the other tests share. One pair serves all, in turn.
@Suite(.serialized, PrivateServers(), .needsServers)
enum PrivateServerTests {}
