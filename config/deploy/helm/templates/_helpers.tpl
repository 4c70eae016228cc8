{{- define "contact-sync.labels" -}}
app.kubernetes.io/name: contact-sync
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}
{{- define "contact-sync.selector" -}}
app.kubernetes.io/name: contact-sync
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}
{{- define "contact-sync.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}
{{- define "contact-sync.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
# The volume is given to this group when it is mounted, and the secret may be read by it.
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}
{{- define "contact-sync.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
{{- define "contact-sync.secretVolume" -}}
name: secrets
secret:
  secretName: {{ .Values.existingSecret }}
  # 0440 in decimal: its owner (root) and the group above.
  defaultMode: 288
  items:
    {{- range .Values.secretFiles }}
    - { key: {{ . }}, path: {{ . }} }
    {{- end }}
{{- end }}
{{- define "contact-sync.env" -}}
- name: CONTACT_SYNC_TOKEN
  valueFrom:
    secretKeyRef: { name: {{ .Values.existingSecret }}, key: token }
- name: CONTACT_SYNC_METRICS_TOKEN
  valueFrom:
    secretKeyRef: { name: {{ .Values.existingSecret }}, key: metrics_token }
{{- range .Values.extraEnv }}
- {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}
