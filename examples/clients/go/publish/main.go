// Publishes a job: AMQP_URL=amqp://user:password@host go run ./publish ID TOKEN...
// Needs github.com/rabbitmq/amqp091-go, or Debian's golang-github-rabbitmq-amqp091-go-dev (docs/clients.md says how).
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

type publisher struct { // for one goroutine at a time
	channel  *amqp.Channel
	confirms <-chan amqp.Confirmation // a deferred one may be missed in version 1.5, Debian 12's
	returns  <-chan amqp.Return
}

// publish returns nil once the broker has the job safe.
func (p *publisher) publish(ctx context.Context, id string, body []byte, lane string) error {
	message := amqp.Publishing{MessageId: id, ContentType: "application/json", DeliveryMode: amqp.Persistent, Body: body}
	if err := p.channel.PublishWithContext(ctx, "martlet.jobs", lane, true, false, message); err != nil {
		return err
	}
	select {
	case confirm := <-p.confirms:
		if !confirm.Ack { // nor does a channel that was closed
			return fmt.Errorf("%s: not confirmed", id)
		}
	case <-ctx.Done(): // a broker with an alarm takes nothing, and confirms nothing
		return fmt.Errorf("%s: not confirmed: %w", id, ctx.Err())
	}
	if len(p.returns) > 0 { // comes before the confirm
		return fmt.Errorf("%s: returned: %s", id, (<-p.returns).ReplyText)
	}
	return nil
}

func main() {
	job := map[string]any{"id": os.Args[1], "app": "com.example.shop", "recipients": os.Args[2:],
		"payload": map[string]any{"aps": map[string]string{"alert": "Your order is on its way"}}}
	// On an error dial again, and publish again under the same id.
	channel := must(must(amqp.Dial(os.Getenv("AMQP_URL"))).Channel())
	must(0, channel.Confirm(false))
	p := publisher{channel, channel.NotifyPublish(make(chan amqp.Confirmation, 1)), channel.NotifyReturn(make(chan amqp.Return, 1))}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	must(0, p.publish(ctx, os.Args[1], must(json.Marshal(job)), "normal"))
}

func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}
