// Prints dead tokens and problems: AMQP_URL=amqp://user:password@host go run ./consume
// docs/clients.md shows how to use Debian's package of amqp091-go instead of the module in go.mod.
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
	Errors    []struct{ Field, Problem string } // only if the job was rejected as a whole
	Outcomes  []struct {
		Job, Recipient, Reason, Detail string
		UnregisteredAt                 string `json:"unregistered_at"`
	}
}

// Replace handle with your own handling. The same event may arrive twice.
func handle(e event) {
	for _, fault := range e.Errors {
		fmt.Println("problem", e.Job, e.Kind, fault.Field, fault.Problem)
	}
	for _, o := range e.Outcomes {
		if e.Kind == "unregistered" || e.Kind == "suppressed" {
			fmt.Println("dead", o.Recipient, o.UnregisteredAt)
		} else if o.Detail == "" {
			fmt.Println("problem", o.Job, e.Kind, o.Reason, o.Recipient)
		} else {
			fmt.Printf("problem %s %s %s %s (%s)\n", o.Job, e.Kind, o.Reason, o.Recipient, o.Detail)
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
	log.Fatal("connection lost") // let a supervisor restart it (Restart=always)
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
