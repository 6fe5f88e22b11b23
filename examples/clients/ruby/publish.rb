#!/usr/bin/env ruby
# Publishes a job: AMQP_URL=amqp://user:password@host ruby publish.rb ID TOKEN...
#
# Requires bunny: `gem install bunny`, or Debian's ruby-bunny.
require "bunny"
require "json"

class Publisher
  class Error < StandardError; end

  def initialize(connection)
    @channel = connection.create_channel
    @channel.confirm_select
    @jobs = @channel.exchange("martlet.jobs", type: :direct, no_declare: true)
    @jobs.on_return { |info, _, _| @returned = info.reply_text }
  end

  # Returns when the broker has confirmed the job, and raises if it does not answer. Threads must not share a publisher.
  def publish(job, lane: "normal")
    @returned = nil
    @jobs.publish(job.to_json, routing_key: lane, persistent: true, mandatory: true,
                               message_id: job.fetch(:id), content_type: "application/json")
    raise Error, "#{job[:id]}: not confirmed" unless @channel.wait_for_confirms
    raise Error, "#{job[:id]}: returned: #{@returned}" if @returned
  end
end

if $PROGRAM_NAME == __FILE__
  # After an error open another connection and publish again with the same id.
  connection = Bunny.new(ENV.fetch("AMQP_URL", "amqp://127.0.0.1"), continuation_timeout: 10_000).start
  job_id, *tokens = ARGV
  Publisher.new(connection).publish({
    id: job_id,
    app: "com.example.shop",
    recipients: tokens.map { |token| { token: token } },
    payload: { aps: { alert: "Your order is on its way" } }
  })
  connection.close
end
