package import APNSOutput
import ArgumentParser
import CommandSupport
import Logging
import MartletCommand
import MartletConfiguration
import NIOPosix
import PushModel
import Store
import Routing

struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel", abstract: "Manage broadcast channels for Live Activities at Apple.",
        subcommands: [Create.self, List.self, Show.self, Delete.self])

    /// The options that select an app's channels and the credential to manage them.
    struct Owner: ParsableArguments {
        @Option(help: "The app's bundle id.")
        var app: String

        @Option(help: "The environment: production or sandbox. Default: the app's.")
        var environment: PushEnvironment?

        @OptionGroup var options: ConfigurationOptions

        /// Runs `body` with a client that has the same credential as the app's pushes.
        func withClient<Value: Sendable>(
            _ body: (BroadcastChannelClient, PushEnvironment) async throws -> Value
        ) async throws -> Value {
            try await withDatabase(options, for: "channel") { source, pool in
                let keyring = try source.keyring()
                let snapshot = try await SnapshotStore.load(
                    from: pool, keyring: keyring,
                    logger: try source.logger("martlet.channel", atLeast: .error)
                ).current
                let route = try snapshot.route(
                    app: app, with: OutputAccounts(name: Job.defaultOutput, accountName: APNSCredentials().accountName),
                    environment: environment, need: CredentialNeed(topic: app)
                ).get()
                let client = BroadcastChannelClient(
                    credential: route.credential, environment: route.environment, configuration: try source.apns(),
                    tokens: SharedTokenRepository(pool, keyring: keyring),
                    eventLoop: MultiThreadedEventLoopGroup.singleton.next())
                return try await body(client, route.environment)
            }
        }
    }

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create a channel and print its id.")

        @Option(
            help: """
                What Apple keeps for devices that are away: 'none', or the 'most-recent' message. It cannot be changed \
                later.
                """)
        var storage: BroadcastChannelStorage

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var owner: Owner

        func run() async throws {
            try await owner.withClient { client, environment in
                let id = try await client.create(app: owner.app, storage: storage)
                if json { return try printJSON(ChannelDescription(id, owner.app, environment, storage)) }
                print(id)
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the ids of an app's channels.")

        @Flag(help: "Print JSON.")
        var json = false

        @OptionGroup var owner: Owner

        func run() async throws {
            try await owner.withClient { client, environment in
                let ids = try await client.list(app: owner.app)
                if json { return try printJSON(ids.map { ChannelDescription($0, owner.app, environment, nil) }) }
                for id in ids { print(id) }
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a channel as JSON.")

        @Argument(help: "The channel's id.")
        var channel: String

        @OptionGroup var owner: Owner

        func run() async throws {
            try await owner.withClient { client, environment in
                let storage = try await client.storage(of: channel, app: owner.app)
                try printJSON(ChannelDescription(channel, owner.app, environment, storage))
            }
        }
    }

    struct Delete: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete a channel. Its Live Activities no longer receive broadcasts.")

        @Argument(help: "The channel's id.")
        var channel: String

        @OptionGroup var owner: Owner

        func run() async throws {
            try await owner.withClient { client, environment in
                try await client.delete(channel, app: owner.app)
                print("deleted channel \(channel) of app \(owner.app) in \(environment.rawValue)")
            }
        }
    }
}

/// A channel as `--json` shows it.
private struct ChannelDescription: Encodable {
    let channel: String
    let app: String
    let environment: String
    /// The storage of the channel, or `nil` in a list, because Apple's list does not contain it.
    let storage: String?

    init(_ channel: String, _ app: String, _ environment: PushEnvironment, _ storage: BroadcastChannelStorage?) {
        self.channel = channel
        self.app = app
        self.environment = environment.rawValue
        self.storage = storage?.rawValue
    }
}

extension BroadcastChannelStorage: ExpressibleByArgument {}
