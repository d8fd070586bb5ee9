{{/* The release's name, once: "fairlead-agent" for a release of that name, "x-fairlead-agent" for one named x. */}}
{{- define "agent.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{/* For what is the whole cluster's, or the jobs' namespace's: two releases may have one name in two namespaces. */}}
{{- define "agent.wideName" -}}
{{ include "agent.name" . }}.{{ .Release.Namespace }}
{{- end }}

{{- define "agent.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "agent.labels" -}}
{{ include "agent.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/part-of: fairlead
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "agent.image" -}}
{{ .Values.global.imageRegistry | default .Values.image.registry }}/{{ .Values.image.repository }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{/* Exactly one source of the join token is named, or the installation ends here. */}}
{{- define "agent.secret" -}}
{{- if and .Values.joinToken .Values.existingSecret }}
{{- fail "joinToken and existingSecret are named: the agent needs one join token" }}
{{- end }}
{{- if not (or .Values.joinToken .Values.existingSecret) }}
{{- fail "the agent needs a join token, and none is named: 'fairlead cluster join NAME' prints one; set joinToken, or existingSecret, a Secret that has it under the key 'token'" }}
{{- end }}
{{- .Values.existingSecret | default (printf "%s-join" (include "agent.name" .)) }}
{{- end }}

{{- define "agent.jobs" -}}
{{- if eq .Values.jobsNamespace.name .Release.Namespace }}
{{- fail (printf "jobsNamespace.name is %s, the agent's own namespace: pods of jobs could reach its Secrets there; take another" .Release.Namespace) }}
{{- end }}
{{- .Values.jobsNamespace.name }}
{{- end }}

{{/* Empty where the chart is rendered without a cluster; the agent then makes one at its first start. */}}
{{- define "agent.uid" -}}
{{- $system := lookup "v1" "Namespace" "" "kube-system" | default dict }}
{{- .Values.clusterUid | default (dig "metadata" "uid" "" $system) }}
{{- end }}

{{/* As the Pod Security standard 'restricted' asks. */}}
{{- define "agent.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
fsGroupChangePolicy: OnRootMismatch
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "agent.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}

{{/* Where the pods of the agent and of the uninstall Job may run, and the secrets for their images. */}}
{{- define "agent.placing" -}}
enableServiceLinks: false
securityContext: {{- include "agent.podSecurity" . | nindent 2 }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}
