// Publishes a job: AMQP_URL=amqp://user:password@host go run ./publish ID TOKEN...
// docs/clients.md shows how to use Debian's package of amqp091-go instead of the module in go.mod.
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

// A publisher must not be shared by goroutines.
type publisher struct {
	channel  *amqp.Channel
	confirms <-chan amqp.Confirmation // version 1.5 of Debian 12 can miss a deferred confirm
	returns  <-chan amqp.Return
}

// publish returns nil when the broker has confirmed the job.
func (p *publisher) publish(ctx context.Context, id string, body []byte, lane string) error {
	message := amqp.Publishing{MessageId: id, ContentType: "application/json", DeliveryMode: amqp.Persistent, Body: body}
	if err := p.channel.PublishWithContext(ctx, "martlet.jobs", lane, true, false, message); err != nil {
		return err
	}
	select {
	case confirm := <-p.confirms:
		if !confirm.Ack { // a nack, or the channel was closed
			return fmt.Errorf("%s: not confirmed", id)
		}
	case <-ctx.Done(): // a broker with a memory or disk alarm confirms nothing
		return fmt.Errorf("%s: not confirmed: %w", id, ctx.Err())
	}
	if len(p.returns) > 0 { // a return arrives before the confirm
		return fmt.Errorf("%s: returned: %s", id, (<-p.returns).ReplyText)
	}
	return nil
}

func main() {
	job := map[string]any{"id": os.Args[1], "app": "com.example.shop", "recipients": os.Args[2:],
		"payload": map[string]any{"aps": map[string]string{"alert": "Your order is on its way"}}}
	// After an error dial again and publish again with the same id.
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
