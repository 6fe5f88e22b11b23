<?php
declare(strict_types=1);

use PhpAmqpLib\Connection\AbstractConnection;
use PhpAmqpLib\Connection\AMQPConnectionConfig;
use PhpAmqpLib\Connection\AMQPConnectionFactory;

/** Connects to AMQP_URL. php-amqplib needs the parts of the URL. */
function connect(): AbstractConnection
{
    $url = parse_url(getenv('AMQP_URL') ?: 'amqp://127.0.0.1');
    $config = new AMQPConnectionConfig();
    $config->setHost($url['host']);
    $config->setPort($url['port'] ?? 5672);
    $config->setUser(urldecode($url['user'] ?? 'guest'));
    $config->setPassword(urldecode($url['pass'] ?? 'guest'));
    $config->setVhost(urldecode(substr($url['path'] ?? '/%2F', 1)));
    $config->setHeartbeat(30); // detects a broker whose machine has failed
    $connection = AMQPConnectionFactory::create($config);
    $connection->set_close_on_destruct(false); // after an error, closing would wait for a broker that does not answer
    return $connection;
}
