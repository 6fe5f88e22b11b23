// Publishes a job: AMQP_URL=amqp://user:password@host go run ./publish ID TOKEN...
// Needs github.com/rabbitmq/amqp091-go, or Debian's golang-github-rabbitmq-amqp091-go-dev.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"

	amqp "github.com/rabbitmq/amqp091-go"
)

type object map[string]any

type publisher struct { // for one goroutine at a time
	channel  *amqp.Channel
	confirms <-chan amqp.Confirmation // a deferred one may be missed in version 1.5, Debian 12's
	returns  <-chan amqp.Return
}

// publish returns nil once the broker has the job safe.
func (p *publisher) publish(ctx context.Context, id string, job object, lane string) error {
	body, err := json.Marshal(job)
	if err != nil {
		return err
	}
	message := amqp.Publishing{MessageId: id, ContentType: "application/json", DeliveryMode: amqp.Persistent, Body: body}
	if err := p.channel.PublishWithContext(ctx, "martlet.jobs", lane, true, false, message); err != nil {
		return err
	}
	if confirm := <-p.confirms; !confirm.Ack { // nor does a channel that was closed
		return fmt.Errorf("%s: not confirmed", id)
	}
	select {
	case returned := <-p.returns: // comes before the confirm
		return fmt.Errorf("%s: returned: %s", id, returned.ReplyText)
	default:
		return nil
	}
}

func main() {
	job := object{"id": os.Args[1], "app": "com.example.shop", "recipients": os.Args[2:],
		"payload": object{"aps": object{"alert": "Your order is on its way"}}}
	// When the connection is lost, dial again, and publish again under the same id.
	channel := must(must(amqp.Dial(os.Getenv("AMQP_URL"))).Channel())
	must(0, channel.Confirm(false))
	p := publisher{channel, channel.NotifyPublish(make(chan amqp.Confirmation, 1)), channel.NotifyReturn(make(chan amqp.Return, 1))}
	must(0, p.publish(context.Background(), os.Args[1], job, "normal"))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
