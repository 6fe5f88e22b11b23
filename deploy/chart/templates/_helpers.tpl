{{- define "martlet.name" -}}
{{- if contains "martlet" .Release.Name }}{{ .Release.Name | trunc 52 | trimSuffix "-" }}{{ else }}{{ printf "%s-martlet" .Release.Name | trunc 52 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "martlet.selector" -}}
app.kubernetes.io/name: martlet
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: worker
{{- end }}

{{- define "martlet.labels" -}}
{{ include "martlet.common" . }}
app.kubernetes.io/component: worker
{{- end }}

{{- define "martlet.common" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
app.kubernetes.io/name: martlet
app.kubernetes.io/instance: {{ .Release.Name }}
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
  credentials: {name: {{ .name }}, key: {{ .key }}}
{{- end }}{{ end }}
{{- end }}
