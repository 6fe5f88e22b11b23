#!/bin/bash
# Prints dead tokens and problems: RABBITMQ_API=http://host:15672/api ./consume.sh --server host --authfile FILE
#
# Needs amqp-tools, curl and jq (so Debian calls them), and the management plugin, whose user stands in ~/.netrc. FILE:
# username:shop, and on the next line password:…
set -euo pipefail

# Yours, run for each event, which is acknowledged once this has ended with 0. It must bear the same event twice.
if [ "$*" = handle ]; then
    exec jq --raw-output '. as {$kind, $job}
        | (.errors // [] | .[] | "problem \($job) \($kind) \(.field) \(.problem)"), # of a job that cannot be used
          (.outcomes // [] | .[] | if $kind == "unregistered" or $kind == "suppressed"
              then "dead \(.recipient) \(.unregistered_at)"
              else "problem \(.job) \($kind) \(.reason) \(.recipient)" end)'
fi

queue=shop.push-results
api() { curl --netrc --fail --silent --show-error --header 'content-type: application/json' "$@"; }

# amqp-tools can't bind a durable queue. Both may be done again at any time.
api --request PUT --data '{"durable": true, "arguments": {"x-queue-type": "quorum"}}' "$RABBITMQ_API/queues/%2F/$queue"
for kind in unregistered suppressed rejected failed unknown expired; do
    api --data "{\"routing_key\": \"*.$kind.#\"}" "$RABBITMQ_API/bindings/%2F/e/martlet.results/q/$queue"
done
exec amqp-consume "$@" --heartbeat=30 --queue="$queue" --prefetch-count=20 "$0" handle
