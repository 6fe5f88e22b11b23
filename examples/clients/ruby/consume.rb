#!/usr/bin/env ruby
# Prints dead tokens and problems: AMQP_URL=amqp://user:password@host ruby consume.rb
#
# Requires bunny: `gem install bunny`, or Debian's ruby-bunny.
require "bunny"
require "json"

KINDS = %w[unregistered suppressed rejected failed unknown expired].freeze # every kind except "sent"

# Replace this with your own handling. The same event may arrive twice.
def handle(event)
  kind = event.fetch("kind")
  event.fetch("errors", []).each do |error| # only if the job was rejected as a whole
    puts "problem #{event["job"]} #{kind} #{error["field"]} #{error["problem"]}"
  end
  event.fetch("outcomes", []).each do |outcome|
    if %w[unregistered suppressed].include?(kind)
      puts "dead #{outcome["recipient"]} #{outcome["unregistered_at"]}"
    else
      detail = " (#{outcome["detail"]})" if outcome["detail"]
      puts "problem #{outcome["job"]} #{kind} #{outcome["reason"]} #{outcome["recipient"]}#{detail}"
    end
  end
end

$stdout.sync = true
# If the connection is lost or the queue is deleted, the program exits. Let a supervisor restart it (Restart=always).
connection = Bunny.new(ENV.fetch("AMQP_URL", "amqp://127.0.0.1")).start
channel = connection.create_channel
channel.prefetch(20)
# An exception that `handle` does not rescue ends the program. After the restart the broker delivers the event again.
channel.on_uncaught_exception { |error, _| warn(error.full_message) || exit!(1) }
queue = channel.queue("shop.push-results", durable: true, arguments: { "x-queue-type" => "quorum" })
KINDS.each { |kind| queue.bind("martlet.results", routing_key: "*.#{kind}.#") }
deleted = ->(_) { warn("queue deleted") || exit!(1) }
queue.subscribe(manual_ack: true, block: true, on_cancellation: deleted) do |delivery, _properties, body|
  handle(JSON.parse(body))
  channel.ack(delivery.delivery_tag)
end
abort "connection lost" # Bunny reconnects by itself, but `subscribe` has ended
