import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.Map;

/**
 * Prints dead tokens and problems: AMQP_URL=amqp://user:password@host java -cp … Consume.java
 *
 * <p>Needs com.rabbitmq:amqp-client and com.fasterxml.jackson.core:jackson-databind, or Debian's librabbitmq-client-java
 * and libjackson2-databind-java (docs/clients.md has their class path).
 */
public final class Consume {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String QUEUE = "shop.push-results";
    private static final List<String> KINDS = // all but: sent
        List.of("unregistered", "suppressed", "rejected", "failed", "unknown", "expired");

    /** Yours: must bear the same event twice. */
    static void handle(JsonNode event) {
        String kind = event.get("kind").asText();
        for (JsonNode error : event.path("errors")) { // of a job that can't be used
            System.out.printf("problem %s %s %s %s%n", event.path("job").asText(), kind, error.path("field").asText(),
                error.path("problem").asText());
        }
        for (JsonNode outcome : event.path("outcomes")) {
            String recipient = outcome.get("recipient").asText();
            if (kind.equals("unregistered") || kind.equals("suppressed")) {
                System.out.printf("dead %s %s%n", recipient, outcome.path("unregistered_at").asText());
            } else {
                System.out.printf("problem %s %s %s %s%n", outcome.get("job").asText(), kind,
                    outcome.path("reason").asText(), recipient);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        var factory = new ConnectionFactory();
        factory.setUri(System.getenv().getOrDefault("AMQP_URL", "amqp://127.0.0.1"));
        // Comes back by itself when it is lost, with channel, bindings and consumer.
        var channel = factory.newConnection("shop").createChannel();
        // What `handle` throws closes the channel: end, for the supervisor to start it again and the broker to deliver again.
        channel.addShutdownListener(cause -> { if (!cause.isHardError()) System.exit(1); });
        channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
        for (String kind : KINDS) channel.queueBind(QUEUE, "martlet.results", "*." + kind + ".#");
        channel.basicQos(20);
        channel.basicConsume(QUEUE, false, (tag, delivery) -> {
            handle(JSON.readTree(delivery.getBody()));
            channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        }, tag -> System.exit(1)); // the queue has been deleted
    }
}
