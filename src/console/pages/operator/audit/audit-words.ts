import { t } from '../../../../language/text.ts';
import type { AuditNoun } from '../../../../operations/audit/audit-entry.ts';
import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';

/** What the audit log calls things, in the words of the console, as they stand in a sentence. */
const things: Record<AuditNoun, string> = {
  allowance: 'an allowance of free texts',
  api_key: 'an API key',
  callback: 'a callback',
  callback_api: 'a callback address',
  callback_signing_secret: 'a signing secret of callbacks',
  channel_plan: 'a channel plan',
  contact_list: 'a contact list',
  data_retention: 'a retention period',
  day_without_printing: 'a day without printing',
  default_allowance: 'a default allowance of free texts',
  email_branding: 'an email brand',
  email_branding_pool: 'an email brand of an organisation',
  email_reply_to: 'a reply-to address',
  essential_template: 'an essential template',
  guest_list: 'a guest list',
  hidden_hint: 'a hint that is not shown again',
  inbound_number: 'an inbound number',
  installation: 'the country of this installation',
  job: 'a sent file',
  letter_attachment: 'an attachment of a letter',
  letter_branding: 'a letter brand',
  letter_branding_pool: 'a letter brand of an organisation',
  letter_contact: 'a letter contact block',
  letter_rate: 'a letter rate',
  notification: 'a message',
  organisation: 'an organisation',
  organisation_domain: 'a domain of an organisation',
  organisation_invite: 'an invitation to an organisation',
  organisation_member: 'a member of an organisation',
  organisation_permission: 'a permission in an organisation',
  provider: 'a provider',
  provider_test: 'a test of a provider',
  rate_abroad: 'a rate abroad',
  recipient: 'a recipient',
  report_request: 'a request for a report',
  returned_letter: 'a returned letter',
  sending_domain: 'a sending domain',
  sending_domain_key: 'a key of a sending domain',
  sending_domain_record: 'a record of a sending domain',
  service: 'a service',
  service_guard: 'the guard of a service',
  service_invite: 'an invitation to a service',
  service_join_request: 'a request to join a service',
  service_member: 'a member of a service',
  session: 'a signed-in device',
  sms_opt_out: 'a number that opted out',
  sms_rate: 'a text rate',
  sms_sender: 'a text message sender',
  suppressed_recipient: 'a suppressed recipient',
  template: 'a template',
  template_email_file: 'a file of an email template',
  template_folder: 'a template folder',
  template_folder_member: 'access to a template folder',
  unsubscribe_report: 'an unsubscribe report',
  upload: 'an uploaded file',
  user: 'an account',
  user_identity: 'a single sign-on account',
  webauthn_credential: 'a security key',
};

/** Such as "an API key". */
export function thingWords(noun: string): string {
  return new Map<string, string>(Object.entries(things)).get(noun) ?? noun;
}

/** Such as "API key", for a choice or a label. */
export function nounWords(noun: string): string {
  return thingWords(noun).replace(/^an? /, '');
}

export const actionWords: Record<AuditEntry['action'], string> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  find: 'looked for',
  export: 'exported',
  erase: 'erased',
  import: 'imported',
};

/** Columns whose name alone would not tell people what changed. */
const fields = new Map([
  ['active', 'in use'],
  ['alt_text', 'alternative text'],
  ['auth_type', 'second sign-in step'],
  ['cancelled_because', 'why it was cancelled'],
  ['check_id', 'check'],
  ['client_reference', 'reference'],
  ['confirmed_unique', 'name is unique'],
  ['count', 'number of recipients'],
  ['count_as_live', 'counted as live'],
  ['created_for_tests', 'created for tests'],
  ['credential_data', 'security key'],
  ['credential_id', 'security key id'],
  ['crown', 'part of the Crown'],
  ['days_of_retention', 'days that messages are kept'],
  ['digest', 'content of the file'],
  ['earliest_timestamp', 'first request'],
  ['email_access_validated_at', 'email address confirmed'],
  ['email_annual_limit', 'annual limit of emails'],
  ['email_message_limit', 'daily limit of emails'],
  ['email_sender_local_part', 'sender address before the @'],
  ['encoding', 'encoding of the file'],
  ['encrypted_bearer_token', 'token'],
  ['encrypted_secret', 'secret'],
  ['expiry_date', 'revoked'],
  ['failed_code_count', 'wrong codes'],
  ['failed_login_count', 'wrong passwords and codes'],
  ['failed_password_count', 'wrong passwords'],
  ['filename_key', 'name of the file without case'],
  ['free_sms_fragment_limit', 'free text message parts'],
  ['from_user_id', 'invited by'],
  ['go_live_at', 'live since'],
  ['go_live_user_id', 'who asked to go live'],
  ['has_active_go_live_request', 'wants to go live'],
  ['header', 'columns of the file'],
  ['identifier', 'name in settings'],
  ['international_sms_message_limit', 'daily limit of texts to other countries'],
  ['issuer', 'single sign-on issuer'],
  ['key_type', 'type of key'],
  ['lane', 'priority'],
  ['latest_timestamp', 'last request'],
  ['letter_annual_limit', 'annual limit of letters'],
  ['letter_message_limit', 'daily limit of letters'],
  ['logged_in_at', 'last signed in'],
  ['normalised_name', 'name without spaces and case'],
  ['normalised_number', 'number without spaces'],
  ['notification_id', 'message'],
  ['notification_status', 'status of messages'],
  ['notification_type', 'channel'],
  ['original_file_name', 'name of the file'],
  ['original_filename', 'name of the file'],
  ['page_count', 'number of pages'],
  ['parent_id', 'folder above'],
  ['password_hash', 'password'],
  ['passwords_refused_until', 'no password accepted until'],
  ['platform_admin', 'platform administrator'],
  ['post_class', 'postage'],
  ['prefix_sms', 'start texts with the service name'],
  ['priority', 'share'],
  ['process_type', 'priority'],
  ['processed_by_service_at', 'marked as done'],
  ['rate_limit', 'requests a minute'],
  ['redact_personalisation', 'hide personal data'],
  ['reply_to', 'sender'],
  ['reply_to_text', 'sender'],
  ['reserved', 'messages of the daily limit'],
  ['reserved_day', 'day of the limit'],
  ['reserved_international', 'messages to other countries of the daily limit'],
  ['resting_priority', 'usual share'],
  ['restricted', 'trial mode'],
  ['row_count', 'number of rows'],
  ['rows', 'number of rows'],
  ['rows_done', 'rows sent'],
  ['rp_id', 'domain of the security key'],
  ['sheet_count', 'number of sheets'],
  ['sign_count', 'times the security key was used'],
  ['sms_annual_limit', 'annual limit of texts'],
  ['sms_message_limit', 'daily limit of texts'],
  ['sms_sender', 'text message sender'],
  ['summary', 'result of the check'],
  ['supports_international', 'sends to other countries'],
  ['template_type', 'channel'],
  ['token_hash', 'token'],
  ['validate_users_email', 'ask for the email address'],
  ['volume_email', 'expected emails in a year'],
  ['volume_letter', 'expected letters in a year'],
  ['volume_sms', 'expected texts in a year'],
]);

/** The name of a field in words: "created_by_id" becomes "created by". */
export function fieldWords(name: string): string {
  const known = fields.get(name);
  if (known !== undefined) return known;
  const words = name
    .replace(/_ids?$/, '')
    .replace(/^(is|has)_/, '')
    .replaceAll('_', ' ');
  return words.replace(/\bapi\b/, 'API').replace(/\bsms\b/, 'text message');
}

/** Who did it, as the entry says. */
export function actorWords({ actor_type, user_name, client }: AuditEntry): string {
  switch (actor_type) {
    case 'user':
      return user_name ?? t('A person');
    case 'admin_client':
      return t('Client {client}', { client: String(client) });
    case 'api_key':
      return t('API key {client}', { client: String(client) });
    case 'command':
      return t('Command {client}', { client: String(client) });
    case 'visitor':
      return t('Somebody not signed in');
  }
}

/** A value of a field, as text. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
