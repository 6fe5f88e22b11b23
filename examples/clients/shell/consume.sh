#!/bin/bash
# Prints dead tokens and problems: RABBITMQ_API=http://host:15672/api ./consume.sh --server host --authfile FILE
#
# Requires Debian's amqp-tools, curl and jq, and the management plugin with its user in ~/.netrc. FILE has two lines:
# username:shop and password:…
set -euo pipefail

# Replace this with your own handling. amqp-consume runs it for each event and acknowledges the event if the exit status is 0.
# The same event may arrive twice.
if [ "$*" = handle ]; then
    exec jq --raw-output '. as {$kind, $job}
        | (.errors // [] | .[] | "problem \($job) \($kind) \(.field) \(.problem)"), # only if the job was rejected as a whole
          (.outcomes // [] | .[] | if $kind == "unregistered" or $kind == "suppressed"
              then "dead \(.recipient) \(.unregistered_at)"
              else "problem \(.job) \($kind) \(.reason // "") \(.recipient)" + (if .detail then " (\(.detail))" else "" end) end)'
fi

queue=shop.push-results
api() { curl --netrc --fail --silent --show-error --header 'content-type: application/json' "$@"; }

# amqp-tools cannot bind a durable queue, so the management API does. Repeating both calls is harmless.
api --request PUT --data '{"durable": true, "arguments": {"x-queue-type": "quorum"}}' "$RABBITMQ_API/queues/%2F/$queue"
for kind in unregistered suppressed rejected failed unknown expired; do
    api --data "{\"routing_key\": \"*.$kind.#\"}" "$RABBITMQ_API/bindings/%2F/e/martlet.results/q/$queue"
done
exec amqp-consume "$@" --heartbeat=30 --queue="$queue" --prefetch-count=20 "$0" handle
