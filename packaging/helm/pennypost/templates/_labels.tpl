{{- define "pennypost.labels" -}}
app.kubernetes.io/name: pennypost
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}
