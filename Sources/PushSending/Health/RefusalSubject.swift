/// The subject that the provider accepts or refuses with an answer.
package enum RefusalSubject {
    case credential
    /// The push's topic. An answer that accepts a topic also accepts the credential.
    case topic
}
