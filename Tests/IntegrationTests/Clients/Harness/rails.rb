# Runs the Ruby snippet of docs/clients.md: AMQP_URL=… rails.rb FOLDER, with snippet.rb and publish.rb in the folder.
# Prints the ids of the jobs that were published.
require "active_record"
require "bunny"
require "json"
require "sidekiq"
require "sidekiq/testing"

folder = ARGV.fetch(0)
$stdout.sync = true
Sidekiq::Testing.fake!
ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: ":memory:")
ActiveRecord::Schema.verbose = false
ActiveRecord::Schema.define { create_table(:orders) { |table| table.datetime :shipped_at and table.text :tokens } }

class ApplicationRecord < ActiveRecord::Base
  self.abstract_class = true
end

# The parts of an application that the snippet omits. The classes load before the fork, as with eager_load.
require File.join(folder, "publish.rb")
require File.join(folder, "snippet.rb")
class Order
  def device_tokens = JSON.parse(tokens)
end

def ship(order) = order.update!(shipped_at: Time.now)

Order.transaction { ship(Order.create!(tokens: "[]")) and raise ActiveRecord::Rollback }
abort "a rolled-back order was published" unless PublishPush.jobs.empty?
orders = 6.times.map { |number| Order.create!(tokens: [format("%064x", number + 1)].to_json) }
Order.transaction { orders.each { |order| ship(order) } }
orders.each { |order| order.update!(tokens: "[]") }
jobs = PublishPush.jobs.map { |job| job.fetch("args") }
abort "not one job for each order: #{jobs}" unless jobs.size == orders.size

publish = lambda do |arguments|
  PublishPush.new.perform(*arguments)
  puts arguments.first
end

# Publishes in the parent, in two children with two threads each, and again in the parent.
publish.(jobs[0])
children = [jobs[1..2], jobs[3..4]].map do |part|
  fork { part.map { |arguments| Thread.new { publish.(arguments) } }.each(&:join) }
end
statuses = children.map { |child| Process.wait2(child).last }
publish.(jobs[5])
exit statuses.all?(&:success?)
