#!/bin/bash
# Publishes a job: MARTLET_AMQP_URL=amqp://user:password@host ./publish.sh ID TOKEN...
#
# Requires jq and martlet, which publishes persistent, mandatory messages, waits for the confirm and exits with 1 on failure.
# (amqp-publish of amqp-tools uses neither confirms nor mandatory, so a message can be lost without an error.)
set -euo pipefail

id=$1
shift
jq --null-input --arg id "$id" '{
    id: $id,
    app: "com.example.shop",
    recipients: [$ARGS.positional[] | {token: .}],
    payload: {aps: {alert: "Your order is on its way"}}
}' --args "$@" | martlet job publish --lane normal --timeout 10
