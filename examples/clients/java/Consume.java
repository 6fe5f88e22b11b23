import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.ConnectionFactory;
import java.util.List;
import java.util.Map;

/**
 * Prints dead tokens and problems: AMQP_URL=amqp://user:password@host java -cp … Consume.java
 *
 * <p>Requires com.rabbitmq:amqp-client and com.fasterxml.jackson.core:jackson-databind, or Debian's librabbitmq-client-java
 * and libjackson2-databind-java (docs/clients.md has their class path).
 */
public final class Consume {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String QUEUE = "shop.push-results";
    private static final List<String> KINDS = // every kind except "sent"
        List.of("unregistered", "suppressed", "rejected", "failed", "unknown", "expired");

    /** Replace this with your own handling. The same event may arrive twice. */
    static void handle(JsonNode event) {
        String kind = event.get("kind").asText();
        for (JsonNode error : event.path("errors")) { // only if the job was rejected as a whole
            System.out.printf("problem %s %s %s %s%n", event.path("job").asText(), kind, error.path("field").asText(),
                error.path("problem").asText());
        }
        for (JsonNode outcome : event.path("outcomes")) {
            String recipient = outcome.get("recipient").asText();
            if (kind.equals("unregistered") || kind.equals("suppressed")) {
                System.out.printf("dead %s %s%n", recipient, outcome.path("unregistered_at").asText());
            } else {
                String detail = outcome.has("detail") ? " (" + outcome.get("detail").asText() + ")" : "";
                System.out.printf("problem %s %s %s %s%s%n", outcome.get("job").asText(), kind,
                    outcome.path("reason").asText(), recipient, detail);
            }
        }
    }

    public static void main(String[] arguments) throws Exception {
        var factory = new ConnectionFactory();
        factory.setUri(System.getenv().getOrDefault("AMQP_URL", "amqp://127.0.0.1"));
        // The client reconnects by itself and restores the channel, the bindings and the consumer.
        var channel = factory.newConnection("shop").createChannel();
        // An exception from `handle` closes the channel. Exit: a supervisor restarts the program, and the broker redelivers.
        channel.addShutdownListener(cause -> { if (!cause.isHardError()) System.exit(1); });
        channel.queueDeclare(QUEUE, true, false, false, Map.of("x-queue-type", "quorum"));
        for (String kind : KINDS) channel.queueBind(QUEUE, "martlet.results", "*." + kind + ".#");
        channel.basicQos(20);
        channel.basicConsume(QUEUE, false, (tag, delivery) -> {
            handle(JSON.readTree(delivery.getBody()));
            channel.basicAck(delivery.getEnvelope().getDeliveryTag(), false);
        }, tag -> System.exit(1)); // the queue was deleted
    }
}
