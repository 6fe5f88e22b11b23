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

{{/* Text of a value in which a few names stand in braces; another one would come out as nothing. */}}
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
