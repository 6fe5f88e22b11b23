module example.com/shop

go 1.20

require github.com/rabbitmq/amqp091-go v1.10.0
