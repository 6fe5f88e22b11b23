import Contract
import DeliveryPipeline
import Testing

/// The guarantees of a broker, derived from its product name.
@Suite struct BrokerGuaranteesTests {
    @Test(arguments: ["RabbitMQ 3.10.8", "RabbitMQ 4.0.5", "RabbitMQ 4.3.0-rc.1", "RabbitMQ "])
    func findsNoWeaknessInSupportedRabbitMQ(product: String) {
        let promises = BrokerGuarantees(product: product)
        #expect(promises.isRabbitMQ && promises.weaknesses.isEmpty)
    }

    @Test(arguments: [
        ("LavinMQ 2.9.0", "x-dead-letter-strategy"), ("RabbitMQ 3.9.29", "before 3.10"), ("Other 1.0", "never tested"),
        (" ", "never tested"),
    ])
    func namesWeaknessesOfOtherBrokers(product: String, word: String) {
        let promises = BrokerGuarantees(product: product)
        #expect(promises.weaknesses.contains { $0.contains(word) }, "\(promises)")
        #expect(promises.isRabbitMQ == product.hasPrefix("RabbitMQ"))
    }

    @Test func returnsDefaultMessageSizeOfVersion() {
        #expect(BrokerGuarantees(product: "RabbitMQ 3.13.7").standardMessageSize == 134_217_728)
        #expect(BrokerGuarantees(product: "RabbitMQ 4.0.5").standardMessageSize == 16_777_216)
        #expect(BrokerGuarantees(product: "LavinMQ 2.9.0").standardMessageSize == nil)
    }
}
