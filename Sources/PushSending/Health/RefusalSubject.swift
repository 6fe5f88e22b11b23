/// The subject of an answer, which the provider accepts or refuses.
package enum RefusalSubject {
    case credential
    /// The push's topic. An answer that accepts a topic also accepts the credential.
    case topic
}
