import type { NewAuditEntry } from '../../auth/audit-entry.ts';
import type { Timestamp } from '../../platform/clock.ts';

/** The names of things in entries, as in the triggers of the audited tables and in `recordAuditEntry`. */
export const auditNouns = [
  'allowance',
  'api_key',
  'callback',
  'callback_api',
  'callback_signing_secret',
  'channel_plan',
  'contact_list',
  'data_retention',
  'day_without_printing',
  'default_allowance',
  'email_branding',
  'email_branding_pool',
  'email_reply_to',
  'essential_template',
  'guest_list',
  'hidden_hint',
  'inbound_number',
  'inbound_text',
  'installation',
  'job',
  'keyword_settings',
  'letter_attachment',
  'letter_branding',
  'letter_branding_pool',
  'letter_contact',
  'letter_rate',
  'notification',
  'organisation',
  'organisation_domain',
  'organisation_invite',
  'organisation_member',
  'organisation_permission',
  'plan_message',
  'provider',
  'provider_test',
  'rate_abroad',
  'recipient',
  'recurring_send',
  'report_request',
  'returned_letter',
  'send_window',
  'sending_domain',
  'sending_domain_key',
  'sending_domain_record',
  'sending_times',
  'service',
  'service_guard',
  'service_invite',
  'service_join_request',
  'service_member',
  'session',
  'sms_opt_out',
  'sms_rate',
  'sms_sender',
  'suppressed_recipient',
  'template',
  'template_email_file',
  'template_folder',
  'template_folder_member',
  'template_sending_times',
  'unsubscribe_report',
  'upload',
  'user',
  'user_identity',
  'webauthn_credential',
] as const;

export type AuditNoun = (typeof auditNouns)[number];

export interface AuditFilter {
  id?: string | undefined;
  /** The person who made the change, or on whose behalf an admin client says it made the change. */
  person_id?: string | undefined;
  thing_id?: string | undefined;
  service_id?: string | undefined;
  noun?: string | undefined;
  action?: NewAuditEntry['action'] | undefined;
  /** Only entries since this moment. */
  after?: Timestamp | undefined;
  /** Only entries before this moment. */
  before?: Timestamp | undefined;
  /** Only entries after this one in the list. */
  older_than?: { created_at: Timestamp; id: string } | undefined;
}
