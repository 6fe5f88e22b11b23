#!/usr/bin/env ruby
# Prints dead tokens and problems: AMQP_URL=amqp://user:password@host ruby consume.rb
#
# Needs bunny: `gem install bunny`, or Debian's ruby-bunny.
require "bunny"
require "json"

KINDS = %w[unregistered suppressed rejected failed unknown expired].freeze # all but: sent

# Yours: must bear the same event twice.
def handle(event)
  kind = event.fetch("kind")
  event.fetch("errors", []).each do |error| # of a job that can't be used
    puts "problem #{event["job"]} #{kind} #{error["field"]} #{error["problem"]}"
  end
  event.fetch("outcomes", []).each do |outcome|
    if %w[unregistered suppressed].include?(kind)
      puts "dead #{outcome["recipient"]} #{outcome["unregistered_at"]}"
    else
      puts "problem #{outcome["job"]} #{kind} #{outcome["reason"]} #{outcome["recipient"]}"
    end
  end
end

$stdout.sync = true
# When the connection is lost or the queue deleted this ends, and your supervisor (Restart=always) starts it again.
connection = Bunny.new(ENV.fetch("AMQP_URL", "amqp://127.0.0.1")).start
channel = connection.create_channel
channel.prefetch(20)
# What `handle` does not rescue ends the program: the supervisor starts it again, the broker delivers the event again.
channel.on_uncaught_exception { |error, _| warn(error.full_message) || exit!(1) }
queue = channel.queue("shop.push-results", durable: true, arguments: { "x-queue-type" => "quorum" })
KINDS.each { |kind| queue.bind("martlet.results", routing_key: "*.#{kind}.#") }
deleted = ->(_) { warn("the queue has been deleted") || exit!(1) }
queue.subscribe(manual_ack: true, block: true, on_cancellation: deleted) do |delivery, _properties, body|
  handle(JSON.parse(body))
  channel.ack(delivery.delivery_tag)
end
abort "the connection is lost" # Bunny would connect again, and has ended `subscribe` all the same
