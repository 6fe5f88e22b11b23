import APNSSimulator

/// The text that `martlet-simulator` prints as soon as it listens.
struct SimulatorGreeting {
    let configuration: SimulatorConfiguration
    let port: Int
    let controlPort: Int?
    let channelPort: Int?
    let caFile: String
    /// The directory's throwaway key, or `nil` if `--token-key` was given.
    var key: ThrowawayKey?

    private var address: ListeningAddress { ListeningAddress(host: configuration.host) }

    /// Returns one line for programs, followed by instructions for new users.
    func text() throws -> String {
        let listening = "APNs simulator (\(configuration.environment.rawValue)) on https://\(address.at(port))"
        let control = controlPort.map { ", control http://\(address.at($0))" } ?? ""
        let channels = channelPort.map { ", channels https://\(address.at($0))" } ?? ""
        return try listening + control + ", CA file \(caFile)" + channels + "\n" + (key.map(invitation) ?? "")
    }

    private func invitation(_ key: ThrowawayKey) throws -> String {
        """

        No --token-key is given, so the simulator accepts this key: team \(ThrowawayKey.team), key \(ThrowawayKey.keyID), \(key.path)
        A push with a provider token that is valid for an hour (`martlet-simulator token` prints a new one):

        curl --http2 --cacert '\(caFile)' -d '{"aps":{"alert":"hi"}}' \\
            -H 'authorization: bearer \(try key.providerToken())' \\
            -H 'apns-topic: com.example.app' -H 'apns-push-type: alert' \\
            https://\(address.callable(port))/3/device/c2732227a1d8021cfaf781d71fb2f908c61f5861079a00954a5453f1d0281433

        """
    }
}
