{{/* The release's name, once: "fairlead" for a release of that name, "x-fairlead" for one named x. */}}
{{- define "fairlead.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "fairlead.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "fairlead.labels" -}}
{{ include "fairlead.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: fairlead
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* image: (list root, the image's values) */}}
{{- define "fairlead.image" -}}
{{- $root := index . 0 }}{{ $image := index . 1 -}}
{{ $root.Values.global.imageRegistry | default $image.registry }}/{{ $image.repository }}
{{- if $image.digest }}@{{ $image.digest }}{{ else }}:{{ $image.tag | default $root.Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "fairlead.keysSecret" -}}
{{ .Values.keys.existingSecret | default (printf "%s-keys" (include "fairlead.name" .)) }}
{{- end }}

{{/* Exactly one source of the database is named, or the installation ends here. */}}
{{- define "fairlead.databaseSecret" -}}
{{- $given := list }}
{{- if .Values.database.existingSecret }}{{ $given = append $given "database.existingSecret" }}{{ end }}
{{- if .Values.database.connection }}{{ $given = append $given "database.connection" }}{{ end }}
{{- if .Values.postgresql.enabled }}{{ $given = append $given "postgresql.enabled" }}{{ end }}
{{- if ne (len $given) 1 }}
{{- fail (printf "the control plane needs one Postgres, and %s named: set database.existingSecret, database.connection or, for a trial, postgresql.enabled=true" (empty $given | ternary "none is" (printf "%s are" (join " and " $given)))) }}
{{- end }}
{{- .Values.database.existingSecret | default (printf "%s-%s" (include "fairlead.name" .) (.Values.postgresql.enabled | ternary "postgresql" "database")) }}
{{- end }}

{{- define "fairlead.databaseKey" -}}
{{ empty .Values.database.existingSecret | ternary "connection" .Values.database.key }}
{{- end }}

{{- define "fairlead.host" -}}
{{ include "fairlead.name" . }}.{{ .Release.Namespace }}.svc
{{- end }}

{{- define "fairlead.api" -}}
{{ .Values.addresses.api | default (printf "https://%s:%v" (include "fairlead.host" .) .Values.service.apiPort) }}
{{- end }}

{{/* With a certificate from elsewhere, only the name in it will do. */}}
{{- define "fairlead.test.url" -}}
{{ empty .Values.tls.existingSecret | ternary (printf "https://%s:%v" (include "fairlead.host" .) .Values.service.apiPort) (include "fairlead.api" .) }}
{{- end }}

{{- define "fairlead.tunnel" -}}
{{ .Values.addresses.tunnel | default (printf "%s:%v" (include "fairlead.host" .) .Values.service.tunnelPort) }}
{{- end }}

{{/* The names in the listeners' certificate, each once. */}}
{{- define "fairlead.names" -}}
{{- $name := include "fairlead.name" . }}
{{- $names := list $name (printf "%s.%s" $name .Release.Namespace) (include "fairlead.host" .) (printf "%s.cluster.local" (include "fairlead.host" .)) }}
{{- range list (include "fairlead.api" . | trimPrefix "https://") (include "fairlead.tunnel" .) }}
{{- $names = append $names (regexReplaceAll "(:[0-9]+)?/*$" . "" | trimPrefix "[" | trimSuffix "]") }}
{{- end }}
{{- concat $names .Values.addresses.names | uniq | join "," }}
{{- end }}

{{/* As the Pod Security standard 'restricted' asks. */}}
{{- define "fairlead.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "fairlead.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
