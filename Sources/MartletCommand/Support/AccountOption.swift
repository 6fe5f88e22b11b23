import ArgumentParser

/// The option that selects an account. It is named after the output's term for an account, such as `--team` or
/// `--project`, and therefore also selects the output.
///
/// The plugins of the program define the terms, but the argument parser needs a property for each option. Therefore
/// there are as many properties as `OutputListCheck` allows terms.
package struct AccountOption: ParsableArguments {
    @Option(name: AccountTerms.option(0), help: AccountTerms.help(of: 0)) private var word0: String?
    @Option(name: AccountTerms.option(1), help: AccountTerms.help(of: 1)) private var word1: String?
    @Option(name: AccountTerms.option(2), help: AccountTerms.help(of: 2)) private var word2: String?
    @Option(name: AccountTerms.option(3), help: AccountTerms.help(of: 3)) private var word3: String?
    @Option(name: AccountTerms.option(4), help: AccountTerms.help(of: 4)) private var word4: String?
    @Option(name: AccountTerms.option(5), help: AccountTerms.help(of: 5)) private var word5: String?
    @Option(name: AccountTerms.option(6), help: AccountTerms.help(of: 6)) private var word6: String?
    @Option(name: AccountTerms.option(7), help: AccountTerms.help(of: 7)) private var word7: String?

    package init() {}

    private var given: [(word: String, id: String)] {
        zip(AccountTerms.all, [word0, word1, word2, word3, word4, word5, word6, word7]).compactMap { word, id in
            id.map { (word, $0) }
        }
    }

    /// The account that was given, or `nil` if there is none.
    var id: String? { given.first?.id }
    var word: String? { given.first?.word }

    package func validate() throws {
        guard given.count > 1 else { return }
        throw ValidationError("\(given.map { "--\($0.word)" }.joined(separator: ", ")): pass only one of them")
    }
}
