<?php
// Publishes a job: AMQP_URL=amqp://user:password@host php publish.php ID TOKEN...
//
// Requires php-amqplib: `composer require php-amqplib/php-amqplib`, or Debian's php-amqplib.
declare(strict_types=1);

require 'PhpAmqpLib/autoload.php'; // with Composer: vendor/autoload.php
require __DIR__ . '/connect.php';

use PhpAmqpLib\Channel\AMQPChannel;
use PhpAmqpLib\Message\AMQPMessage;

final class Publisher
{
    private ?string $failure = null;

    public function __construct(private AMQPChannel $channel)
    {
        $channel->confirm_select();
        $channel->set_nack_handler(fn () => $this->failure = 'refused by the broker');
        $channel->set_return_listener(fn (int $code, string $text) => $this->failure = "returned: $text");
    }

    /** Returns when the broker has confirmed the job. */
    public function publish(array $job, string $lane = 'normal'): void
    {
        $this->failure = null;
        $message = new AMQPMessage(json_encode($job, JSON_THROW_ON_ERROR), [
            'message_id' => $job['id'],
            'content_type' => 'application/json',
            'delivery_mode' => AMQPMessage::DELIVERY_MODE_PERSISTENT,
        ]);
        $this->channel->basic_publish($message, 'martlet.jobs', $lane, mandatory: true);
        $this->channel->wait_for_pending_acks_returns(10);
        if ($this->failure !== null) {
            throw new RuntimeException("{$job['id']}: {$this->failure}");
        }
    }
}

// After an error open another connection and publish again with the same id.
$connection = connect();
(new Publisher($connection->channel()))->publish([
    'id' => $argv[1],
    'app' => 'com.example.shop',
    'recipients' => array_map(fn (string $token) => ['token' => $token], array_slice($argv, 2)),
    'payload' => ['aps' => ['alert' => 'Your order is on its way']],
]);
$connection->close();
