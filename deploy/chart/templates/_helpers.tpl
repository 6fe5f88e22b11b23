{{- define "martlet.name" -}}
{{- if contains "martlet" .Release.Name }}{{ .Release.Name | trunc 52 | trimAll "-." }}{{ else }}{{ printf "%s-martlet" .Release.Name | trunc 52 | trimAll "-." }}{{ end }}
{{- end }}

{{- define "martlet.selector" -}}
app.kubernetes.io/name: martlet
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: worker
{{- end }}

{{- define "martlet.labels" -}}
{{ include "martlet.common" . }}
app.kubernetes.io/component: worker
{{- end }}

{{- define "martlet.ledgerSelector" -}}
app.kubernetes.io/name: martlet
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: ledger
{{- end }}

{{- define "martlet.ledgerLabels" -}}
{{ include "martlet.common" . }}
app.kubernetes.io/component: ledger
{{- end }}

{{- define "martlet.common" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: martlet
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: martlet
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "martlet.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}{{ else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "martlet.prefix" -}}
{{ dig "amqp" "prefix" "martlet" .Values.config }}
{{- end }}

{{/* Expands the known names in braces in a value. Fails for other names, because they would expand to nothing. */}}
{{- define "martlet.template" -}}
{{- $known := `\{\{-?\s*\.(prefix|Release\.Name|Release\.Namespace)\s*-?\}\}` }}
{{- if contains "{{" (regexReplaceAll $known .text "") }}
{{- fail (printf "%s: braces may hold .prefix, .Release.Name and .Release.Namespace only: %s" .name .text) }}
{{- end }}
{{- tpl .text (merge (dict "prefix" (include "martlet.prefix" .root | trim)) .root) }}
{{- end }}

{{- define "martlet.placement" -}}
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . | quote }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "martlet.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "martlet.containerSecurity" -}}
readOnlyRootFilesystem: true
allowPrivilegeEscalation: false
capabilities: {drop: [ALL]}
{{- end }}

{{- define "martlet.metricsAuthorization" -}}
{{- with .Values.secrets.httpToken }}{{ if .name }}
authorization:
  credentials: {name: {{ .name | quote }}, key: {{ .key | quote }}}
{{- end }}{{ end }}
{{- end }}

{{/* The ports, separated by spaces, that the configuration names in values of the form host:port. */}}
{{- define "martlet.configuredPorts" -}}
{{- $apns := dig "apns" "endpoint" (dict) .Values.config }}
{{- $hosts := list (dig "production" "" $apns) (dig "sandbox" "" $apns) }}
{{- $hosts = concat $hosts (dig "broadcast" (dict) $apns | values) (dig "channels" (dict) $apns | values) }}
{{- range list "fcm.endpoint" "fcm.token_endpoint" "webpush.allowed_hosts" "webpush.private_hosts" "webhook.private_hosts" "tracing.endpoint" }}
{{- $key := splitList "." . }}
{{- $hosts = append $hosts (dig (first $key) (last $key) "" $.Values.config) }}
{{- end }}
{{- /* A port ends at a comma, a slash, white space or the end of the text. The groups of an IPv6 address do not. */}}
{{- range regexFindAll `:[0-9]+([,/\s]|$)` (join "," $hosts) -1 }}{{ regexFind `[0-9]+` . }} {{ end }}
{{- /* webhook.private_hosts and tracing.endpoint may use http, whose port 80 they need not name. */}}
{{- if or (dig "webhook" "private_hosts" "" .Values.config) (regexMatch `^http://[^:/]+(/|$)` (dig "tracing" "endpoint" "" .Values.config)) }}80{{ end }}
{{- end }}

{{/* Returns a list of one egress rule, to the ports .ports (or all ports) of the peers .to (or all peers). */}}
{{- define "martlet.egress" -}}
{{- $rule := dict }}
{{- $ports := list }}
{{- range $port := .ports }}
{{- range $protocol := $.protocols | default (list "TCP") }}
{{- $ports = append $ports (dict "port" (int64 $port) "protocol" $protocol) }}
{{- end }}
{{- end }}
{{- with $ports }}{{ $_ := set $rule "ports" . }}{{ end }}
{{- with .to }}{{ $_ := set $rule "to" . }}{{ end }}
{{- list $rule | toYaml }}
{{- end }}

{{/* Allows the peers .metricsFrom to connect to the HTTP port. An empty list allows no peers. */}}
{{- define "martlet.ingress" -}}
{{- with .metricsFrom }}
ingress:
  - from: {{- toYaml . | nindent 6 }}
    ports: [{port: http}]
{{- else }}
ingress: []
{{- end }}
{{- end }}
