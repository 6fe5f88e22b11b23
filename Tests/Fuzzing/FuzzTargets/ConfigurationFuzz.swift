import Contract
import Foundations
import AMQPClient
import APNSOutput
import DeliveryPipeline
import MartletConfiguration

/// A fuzz target for configurations. Any configuration is either accepted with all values in range, or rejected. The
/// error names a key, a file or a line, and contains no secret. The input consists of the file's text, the flags and
/// the environment variables, separated by zero bytes.
enum ConfigurationFuzz {
    static func violation(in input: [UInt8]) -> String? {
        let parts = input.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let settings = lines(parts.dropFirst().first)
        var environment: [String: String] = [:]
        for line in lines(parts.dropFirst(2).first) {
            guard let sign = line.firstIndex(of: "=") else { continue }
            let name = String(line[..<sign])
            // A variable that ends in `_FILE` would name a file of this machine, which is not part of the input.
            if !name.hasSuffix("_FILE") { environment[name] = String(line[line.index(after: sign)...]) }
        }
        do {
            let source = try ConfigurationSource(
                text: parts.first ?? "", settings: settings, environment: environment,
                outputs: [APNSPlugin()])
            return try violation(of: source)
        } catch let error as ConfigurationError {
            if error.description.isEmpty { return "refused without a reason" }
            let secret = secrets(settings, environment).first { error.description.contains($0) }
            return secret.map { "a secret is repeated: \($0)" }
        } catch {
            return "the error names no key: \(error)"
        }
    }

    private static func violation(of source: ConfigurationSource) throws -> String? {
        var first: (any Error)?
        func attempt<Value>(_ body: () throws -> Value) -> Value? {
            do { return try body() } catch {
                if first == nil { first = error }
                return nil
            }
        }
        if let pipeline = attempt(source.pipeline) {
            if !pipeline.prefetch.values.allSatisfy((1...65_535).contains) {
                return "a prefetch of \(pipeline.prefetch)"
            }
            if pipeline.limits.chunkSize < 1 || pipeline.limits.maximumInFlight < 1 { return "a limit is below 1" }
            let delays = pipeline.retry.delays
            if delays.isEmpty || delays != delays.sorted() { return "delays of \(delays)" }
            let topology = pipeline.names.topology(delays: delays)
            let names = topology.queues.map(\.name) + topology.exchanges.map(\.name)
            if let long = names.first(where: { $0.utf8.count > 255 }) { return "a name of \(long.utf8.count) bytes" }
            if pipeline.worker.isEmpty { return "a worker without a name" }
        }
        if let broker = attempt(source.broker),
            broker.endpoints.isEmpty || broker.endpoints.contains(where: \.host.isEmpty)
        {
            return "the broker has no endpoint, or one without a host"
        }
        _ = attempt { try source.database(applicationName: "fuzz") }
        if let apns = attempt({ try source.withSettings(of: APNSPlugin()) { try APNSConfiguration($0) } }),
            !(1...1_000).contains(apns.maximumConnections)
        {
            return "\(apns.maximumConnections) connections"
        }
        if source.string(.keyringKeys) != nil, source.string(.keyringFile) == nil { _ = attempt(source.keyring) }
        if let listen = attempt({ try source.endpoint(.httpListen) }), !(0...65_535).contains(listen.port) {
            return "port \(listen.port)"
        }
        _ = attempt(source.logLevel)
        if let first { throw first }
        return nil
    }

    private static func lines(_ text: String?) -> [String] {
        text?.split(whereSeparator: \.isNewline).map(String.init) ?? []
    }

    /// Returns the secrets that are too long and unusual to appear in an error by chance.
    private static func secrets(_ settings: [String], _ environment: [String: String]) -> [String] {
        var values: [String] = []
        for key in ConfigurationKeys(outputs: [APNSPlugin()]).all where key.isSecret {
            values += settings.filter { $0.hasPrefix("\(key.rawValue)=") }.map {
                String($0.dropFirst(key.rawValue.count + 1))
            }
            if let value = environment[key.environmentVariable] { values.append(value) }
        }
        return values.filter { $0.utf8.count >= 12 && $0.contains(where: \.isNumber) && !$0.contains(" ") }
    }
}
