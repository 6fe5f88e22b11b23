#!/bin/bash
# Publishes a job: MARTLET_AMQP_URL=amqp://user:password@host ./publish.sh ID TOKEN...
#
# Needs martlet, which publishes with confirms and mandatory, persistent, and ends with 1 where that fails; and jq.
# (amqp-publish of amqp-tools knows neither confirms nor mandatory: what it publishes may be lost without a word.)
set -euo pipefail

id=$1
shift
jq --null-input --arg id "$id" '{
    id: $id,
    app: "com.example.shop",
    recipients: [$ARGS.positional[] | {token: .}],
    payload: {aps: {alert: "Your order is on its way"}}
}' --args "$@" | martlet job publish --lane normal --timeout 10
