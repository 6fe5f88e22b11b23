import LogbookOutput
import MartletOutputs

/// Martlet, and the logbook.
@main
enum Program {
    static func main() async { await Martlet.main(adding: [LogbookPlugin()]) }
}
