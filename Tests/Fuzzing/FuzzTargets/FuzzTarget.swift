/// The fuzz targets. Each accepts arbitrary bytes and returns the rule that was violated. Both the fuzzer and the test
/// that replays the stored corpus use them.
package enum FuzzTarget: String, CaseIterable, Sendable {
    /// Bytes that a server sends to our client session.
    case http2Client = "http2-client"
    /// Bytes that a client sends to our server session.
    case http2Server = "http2-server"
    /// Bodies of error responses from APNs, and their classification.
    case errorBody = "error-body"
    /// Bodies of messages from the broker.
    case job
    /// Properties and headers of messages from the broker, and the messages that the worker builds from them.
    case message
    /// Configuration files, environment variables and flags.
    case configuration
    /// JSON in general, compared with Foundation's parser.
    case json
    /// Files that are imported as credentials.
    case credentialFile = "credential-file"
    /// Payloads that exceed the size limit.
    case trimmer
    /// Answers of Firebase and its token endpoint.
    case fcmAnswer = "fcm-answer"
    /// Payloads of messages for Firebase.
    case fcmMessage = "fcm-message"
    /// Service account files.
    case serviceAccount = "service-account"
    /// Browsers' subscriptions, and their endpoints.
    case subscription
    /// Answers of Web Push services.
    case webPushAnswer = "webpush-answer"
    /// Answers from a receiver to a batch.
    case webhookAnswer = "webhook-answer"
    /// URLs and secrets of receivers.
    case webhookTarget = "webhook-target"
    /// Bodies of messages from the results exchange, for the ledger.
    case ledgerEvent = "ledger-event"

    /// Runs the target.
    ///
    /// - Returns: The rule that was violated, or `nil`.
    package func violation(in input: UnsafeRawBufferPointer) -> String? {
        switch self {
        case .http2Client: HTTP2ClientFuzz.violation(in: input)
        case .http2Server: HTTP2ServerFuzz.violation(in: input)
        case .errorBody: ErrorBodyFuzz.violation(in: Array(input))
        case .job: JobFuzz.violation(in: Array(input))
        case .message: MessageFuzz.violation(in: input)
        case .configuration: ConfigurationFuzz.violation(in: Array(input))
        case .json: JSONFuzz.violation(in: Array(input))
        case .credentialFile: CredentialFileFuzz.violation(in: Array(input))
        case .trimmer: TrimmerFuzz.violation(in: input)
        case .fcmAnswer: FCMFuzz.answerViolation(in: Array(input))
        case .fcmMessage: FCMFuzz.messageViolation(in: Array(input))
        case .serviceAccount: FCMFuzz.accountViolation(in: Array(input))
        case .subscription: WebPushFuzz.subscriptionViolation(in: Array(input))
        case .webPushAnswer: WebPushFuzz.answerViolation(in: Array(input))
        case .webhookAnswer: WebhookFuzz.answerViolation(in: Array(input))
        case .webhookTarget: WebhookFuzz.targetViolation(in: Array(input))
        case .ledgerEvent: LedgerFuzz.violation(in: Array(input))
        }
    }
}
