public import PushModel

/// A provider that takes one HTTP request for each recipient. ``ProviderSender`` is the output that sends the requests.
/// docs/output.md has an example.
///
/// ``ProviderSender`` calls the methods on its event loops and on the pipeline's queue, so they must return quickly and
/// must not wait.
public protocol PushProvider: Sendable {
    /// A function that returns the request for one recipient of a job. It throws ``PushFault`` if the provider would
    /// refuse this recipient. The recipient is then `rejected`, and the other recipients of the job are sent.
    typealias RequestBuilder = @Sendable (_ recipient: Recipient) throws(PushFault) -> PushRequest

    /// Returns the server for the pushes of a credential. The method is called for the first job of each credential and
    /// environment. If it throws, it is called again for the next job.
    ///
    /// - Parameter credential: The credential, or `nil` if the plugin has no credentials.
    /// - Throws: An error whose description contains no secret, if the credential cannot be used. Its jobs then wait
    ///   until an operator replaces the credential.
    func server(for credential: Credential?, in environment: PushEnvironment) throws -> PushServer

    /// Prepares a job, and returns the function that builds its requests. The method is called once for each attempt of
    /// a job, so it is the place for work that all recipients share.
    ///
    /// - Throws: ``PushFault`` if the provider would refuse the job. All recipients are then `rejected`.
    func requestBuilder(for job: RoutedJob) throws(PushFault) -> RequestBuilder

    /// Returns the meaning of an answer.
    func meaning(of answer: PushAnswer) -> PushMeaning
}
