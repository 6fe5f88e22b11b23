import MartletOutputs

@main
enum Program {
    static func main() { Martlet.main() }
}
