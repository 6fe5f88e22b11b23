<?php
// Prints dead tokens and problems: AMQP_URL=amqp://user:password@host php consume.php
//
// Requires php-amqplib: `composer require php-amqplib/php-amqplib`, or Debian's php-amqplib.
declare(strict_types=1);

require 'PhpAmqpLib/autoload.php'; // with Composer: vendor/autoload.php
require __DIR__ . '/connect.php';

use PhpAmqpLib\Message\AMQPMessage;
use PhpAmqpLib\Wire\AMQPTable;

const QUEUE = 'shop.push-results';
const KINDS = ['unregistered', 'suppressed', 'rejected', 'failed', 'unknown', 'expired']; // every kind except "sent"

/** Replace this with your own handling. The same event may arrive twice. */
function handle(array $event): void
{
    $kind = $event['kind'];
    foreach ($event['errors'] ?? [] as $error) { // only if the job was rejected as a whole
        echo 'problem ', $event['job'] ?? '', " $kind {$error['field']} {$error['problem']}\n";
    }
    foreach ($event['outcomes'] ?? [] as $outcome) {
        if (in_array($kind, ['unregistered', 'suppressed'], true)) {
            echo "dead {$outcome['recipient']} ", $outcome['unregistered_at'] ?? '', "\n";
        } else {
            $detail = isset($outcome['detail']) ? " ({$outcome['detail']})" : '';
            echo "problem {$outcome['job']} $kind ", $outcome['reason'] ?? '', " {$outcome['recipient']}$detail\n";
        }
    }
}

$channel = connect()->channel();
$channel->queue_declare(QUEUE, durable: true, auto_delete: false, arguments: new AMQPTable(['x-queue-type' => 'quorum']));
foreach (KINDS as $kind) {
    $channel->queue_bind(QUEUE, 'martlet.results', "*.$kind.#");
}
$channel->basic_qos(0, 20, false);
$channel->basic_consume(QUEUE, callback: function (AMQPMessage $message): void {
    handle(json_decode($message->getBody(), true, flags: JSON_THROW_ON_ERROR));
    $message->ack();
});
$channel->consume(); // until an exception ends the program; let a supervisor restart it (Restart=always)
