// Prints dead tokens and problems: AMQP_URL=amqp://user:password@host go run ./consume
// Needs github.com/rabbitmq/amqp091-go, or Debian's golang-github-rabbitmq-amqp091-go-dev (docs/clients.md says how).
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"

	amqp "github.com/rabbitmq/amqp091-go"
)

type event struct {
	Kind, Job string
	Errors    []struct{ Field, Problem string } // of a job that can't be used
	Outcomes  []struct {
		Job, Recipient, Reason string
		UnregisteredAt         string `json:"unregistered_at"`
	}
}

// handle is yours: it must bear the same event twice.
func handle(e event) {
	for _, fault := range e.Errors {
		fmt.Println("problem", e.Job, e.Kind, fault.Field, fault.Problem)
	}
	for _, o := range e.Outcomes {
		if e.Kind == "unregistered" || e.Kind == "suppressed" {
			fmt.Println("dead", o.Recipient, o.UnregisteredAt)
		} else {
			fmt.Println("problem", o.Job, e.Kind, o.Reason, o.Recipient)
		}
	}
}

func main() {
	channel := must(must(amqp.Dial(os.Getenv("AMQP_URL"))).Channel())
	queue := must(channel.QueueDeclare("shop.push-results", true, false, false, false, amqp.Table{"x-queue-type": "quorum"})).Name
	for _, kind := range []string{"unregistered", "suppressed", "rejected", "failed", "unknown", "expired"} {
		must(0, channel.QueueBind(queue, "*."+kind+".#", "martlet.results", false, nil))
	}
	must(0, channel.Qos(20, 0, false))
	for delivery := range must(channel.Consume(queue, "", false, false, false, false, nil)) {
		var e event
		must(0, json.Unmarshal(delivery.Body, &e))
		handle(e)
		must(0, delivery.Ack(false))
	}
	log.Fatal("the connection is lost") // your supervisor (Restart=always) starts it again
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
