import ArgumentParser
import Crypto
import Dispatch
import Foundation
import PushModel
import WebPushOutput

/// A benchmark of the work for a Web Push message before it is sent. It parses the receiver's key, generates a key
/// pair, agrees on a secret, derives the keys, and seals the payload. Messages are processed one after another on all
/// cores at once, as in a worker. If only one core were busy, it would need less time for each message.
struct WebPushFloor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webpush-floor", abstract: "Encrypt messages, and print the CPU time per message as JSON.")

    @Option(help: "The size of the payload, in bytes.")
    var bytes = 200

    @Option(help: "The number of messages on each core.")
    var count = 50_000

    func run() throws {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let keys = try ReceiverKeys(
            point: Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation),
            secret: Array(repeating: 7, count: ReceiverKeys.secretBytes))
        try Self.encrypt(1_000, bytes, for: keys.point, keys.secret)
        let cpu = cpuMicroseconds()
        DispatchQueue.concurrentPerform(iterations: cores) { _ in
            // The same call succeeded above, so it can't fail here.
            try? Self.encrypt(count, bytes, for: keys.point, keys.secret)
        }
        print("{\"cpu_us_per_message\": \(Double(cpuMicroseconds() - cpu) / Double(count * cores))}")
    }

    private static func encrypt(_ count: Int, _ bytes: Int, for point: [UInt8], _ secret: [UInt8]) throws {
        let record = MessageEncryption.record(of: Array(repeating: UInt8(ascii: "x"), count: bytes))
        var encryption = MessageEncryption()
        for _ in 0..<count {
            _ = try encryption.body(record, for: try ReceiverKeys(point: point, secret: secret))
        }
    }
}
