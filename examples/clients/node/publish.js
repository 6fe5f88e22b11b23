// Publishes a job: AMQP_URL=amqp://user:password@host node publish.js ID TOKEN...
//
// Requires amqplib: `npm install`. Debian has no package of it.
import amqp from "amqplib";

class Publisher {
  static async on(connection) {
    const publisher = new Publisher();
    publisher.returned = new Set();
    publisher.channel = await connection.createConfirmChannel();
    publisher.channel.on("return", (message) => publisher.returned.add(message.properties.messageId));
    return publisher;
  }

  /** Resolves when the broker has confirmed the job. */
  async publish(job, lane = "normal") {
    const options = { messageId: job.id, contentType: "application/json", persistent: true, mandatory: true };
    await new Promise((resolve, reject) => {
      // A broker with a memory or disk alarm confirms nothing.
      const late = setTimeout(reject, 10_000, new Error(`${job.id}: not confirmed`));
      this.channel.publish("martlet.jobs", lane, Buffer.from(JSON.stringify(job)), options, (error) => {
        clearTimeout(late);
        error ? reject(error) : resolve();
      });
    });
    if (this.returned.delete(job.id)) throw new Error(`${job.id}: returned: no queue takes ${lane}`);
  }
}

const [id, ...tokens] = process.argv.slice(2);
// Without listeners for "error", a lost connection or channel ends the process. Publish again with the same id.
const connection = await amqp.connect(process.env.AMQP_URL ?? "amqp://127.0.0.1");
const publisher = await Publisher.on(connection);
await publisher.publish({
  id,
  app: "com.example.shop",
  recipients: tokens.map((token) => ({ token })),
  payload: { aps: { alert: "Your order is on its way" } },
});
await connection.close();
