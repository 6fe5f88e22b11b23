#!/usr/bin/env ruby
# Publishes a job: AMQP_URL=amqp://user:password@host ruby publish.rb ID TOKEN...
#
# Needs bunny: `gem install bunny`, or Debian's ruby-bunny.
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

  def close = @channel.close

  # Returns once the broker has the job safe; raises when it does not answer. One thread at a time: channels are not to be shared.
  def publish(job, lane: "normal")
    @returned = nil
    @jobs.publish(job.to_json, routing_key: lane, persistent: true, mandatory: true,
                               message_id: job.fetch(:id), content_type: "application/json")
    raise Error, "#{job[:id]}: not confirmed" unless @channel.wait_for_confirms
    raise Error, "#{job[:id]}: returned: #{@returned}" if @returned
  end
end

# Comes back by itself when the connection is lost; what was not confirmed is yours to publish again, under the same id.
connection = Bunny.new(ENV.fetch("AMQP_URL", "amqp://127.0.0.1"), continuation_timeout: 10_000).start
job_id, *tokens = ARGV
Publisher.new(connection).publish({
  id: job_id,
  app: "com.example.shop",
  recipients: tokens.map { |token| { token: token } },
  payload: { aps: { alert: "Your order is on its way" } }
})
connection.close
