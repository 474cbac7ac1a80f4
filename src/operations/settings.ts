import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const metricsSettings = {
  metricsToken: setting.optionalText('METRICS_TOKEN', 'Bearer token required by /metrics. Unset: no authentication.', {
    secret: true,
  }),
};

export type MetricsSettings = Values<typeof metricsSettings>;

export const retentionSettings = {
  recordRetention_ms: setting.days(
    'RECORDS_KEPT_DAYS',
    'Retention in days of events, complaints, the reasons in requests to join a service and the references of returned letters.',
    { fallback: 365, min: 30, max: 3650 },
  ),
  auditRetention_ms: setting.days('AUDIT_RETENTION_DAYS', 'Retention in days of the entries of the audit log.', {
    fallback: 730,
    min: 30,
    max: 3650,
  }),
};

export type RetentionSettings = Values<typeof retentionSettings>;
