import com.fasterxml.jackson.databind.ObjectMapper;
import com.rabbitmq.client.AMQP;
import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Publishes a job: AMQP_URL=amqp://user:password@host java -cp … Publish.java ID TOKEN...
 *
 * <p>Requires com.rabbitmq:amqp-client and com.fasterxml.jackson.core:jackson-databind, or Debian's librabbitmq-client-java
 * and libjackson2-databind-java (docs/clients.md has their class path).
 */
public final class Publish {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Channel channel;
    private final AtomicReference<String> returned = new AtomicReference<>();

    Publish(Connection connection) throws IOException {
        channel = connection.createChannel();
        channel.confirmSelect();
        channel.addReturnListener(message -> returned.set(message.getReplyText()));
    }

    /** Returns when the broker has confirmed the job. Threads must not share a channel. */
    void publish(Map<String, Object> job, String lane) throws Exception {
        var properties = new AMQP.BasicProperties.Builder()
            .messageId((String) job.get("id")).contentType("application/json").deliveryMode(2).build(); // 2: persistent
        returned.set(null);
        channel.basicPublish("martlet.jobs", lane, true, properties, JSON.writeValueAsBytes(job));
        if (!channel.waitForConfirms(10_000)) throw new IOException(job.get("id") + ": refused");
        if (returned.get() != null) throw new IOException(job.get("id") + ": returned: " + returned.get());
    }

    public static void main(String[] arguments) throws Exception {
        var factory = new ConnectionFactory();
        factory.setUri(System.getenv().getOrDefault("AMQP_URL", "amqp://127.0.0.1"));
        List<String> tokens = Arrays.asList(arguments).subList(1, arguments.length);
        // The client reconnects by itself. Publish jobs that were not confirmed again, with the same id.
        Connection connection = factory.newConnection("shop");
        try {
            new Publish(connection).publish(Map.of(
                "id", arguments[0],
                "app", "com.example.shop",
                "recipients", tokens.stream().map(token -> Map.of("token", token)).toList(),
                "payload", Map.of("aps", Map.of("alert", "Your order is on its way"))), "normal");
        } finally {
            connection.abort(1000); // unlike close, it does not wait for a broker that does not answer
        }
    }
}
