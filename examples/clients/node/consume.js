// Prints dead tokens and problems: AMQP_URL=amqp://user:password@host node consume.js
//
// Requires amqplib: `npm install`. Debian has no package of it.
import amqp from "amqplib";

const queue = "shop.push-results";
const kinds = ["unregistered", "suppressed", "rejected", "failed", "unknown", "expired"]; // every kind except "sent"

/** Replace this with your own handling. The same event may arrive twice. */
async function handle(event) {
  for (const error of event.errors ?? []) { // only if the job was rejected as a whole
    console.log("problem", event.job, event.kind, error.field, error.problem);
  }
  for (const outcome of event.outcomes ?? []) {
    if (event.kind === "unregistered" || event.kind === "suppressed") {
      console.log("dead", outcome.recipient, outcome.unregistered_at);
    } else {
      const detail = outcome.detail === undefined ? "" : ` (${outcome.detail})`;
      console.log(`problem ${outcome.job} ${event.kind} ${outcome.reason ?? ""} ${outcome.recipient}${detail}`);
    }
  }
}

// If the connection or the channel is lost, the program exits. Let a supervisor restart it (Restart=always).
const lost = (error) => {
  console.error(error ?? "connection closed");
  process.exit(1);
};
const connection = await amqp.connect(process.env.AMQP_URL ?? "amqp://127.0.0.1");
connection.on("error", lost).on("close", lost);
const channel = await connection.createChannel();
channel.on("error", lost).on("close", lost);
await channel.assertQueue(queue, { durable: true, arguments: { "x-queue-type": "quorum" } });
for (const kind of kinds) await channel.bindQueue(queue, "martlet.results", `*.${kind}.#`);
await channel.prefetch(20);
await channel.consume(queue, async (message) => {
  if (message === null) return lost(new Error(`queue ${queue} deleted`));
  await handle(JSON.parse(message.content));
  channel.ack(message);
});
