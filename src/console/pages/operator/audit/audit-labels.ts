import { asIs, capitalised, formatted, joined, type Text, t } from '../../../../language/text.ts';
import type { AuditNoun } from '../../../../operations/audit/audit-entry.ts';
import type { AuditEntry } from '../../../../operations/audit/audit-log.ts';

/** Names of the objects in the audit log, as written within a sentence. */
const things: Record<AuditNoun, Text> = {
  allowance: t('a free text allowance'),
  api_key: t('an API key'),
  callback: t('a callback'),
  callback_api: t('a callback address'),
  callback_signing_secret: t('a callback signing secret'),
  channel_plan: t('a channel plan'),
  contact_list: t('a contact list'),
  data_retention: t('a retention period'),
  day_without_printing: t('a day without printing'),
  default_allowance: t('a default free text allowance'),
  email_branding: t('an email brand'),
  email_branding_pool: t('an organisation’s email brand'),
  email_reply_to: t('a reply-to address'),
  essential_template: t('an essential template'),
  guest_list: t('a guest list'),
  hidden_hint: t('a hint that is not shown again'),
  inbound_number: t('an inbound number'),
  inbound_text: t('a received text'),
  installation: t('the country of this installation'),
  job: t('a sent file'),
  keyword_settings: t('the words and replies of STOP, START and HELP'),
  letter_attachment: t('a letter attachment'),
  letter_branding: t('a letter brand'),
  letter_branding_pool: t('an organisation’s letter brand'),
  letter_contact: t('a letter contact block'),
  letter_rate: t('a letter rate'),
  notification: t('a message'),
  organisation: t('an organisation'),
  organisation_domain: t('an organisation’s domain'),
  organisation_invite: t('an invitation to an organisation'),
  organisation_member: t('an organisation member'),
  organisation_permission: t('a permission in an organisation'),
  plan_message: t('a message with a channel plan'),
  provider: t('a provider'),
  provider_test: t('a provider test'),
  rate_abroad: t('a rate abroad'),
  recipient: t('a recipient'),
  recurring_send: t('a recurring send'),
  report_request: t('a request for a report'),
  returned_letter: t('a returned letter'),
  send_window: t('a sending time'),
  sending_domain: t('a sending domain'),
  sending_domain_key: t('a sending domain key'),
  sending_domain_record: t('a sending domain record'),
  sending_times: t('a service’s sending times'),
  service: t('a service'),
  service_guard: t('a service’s bounce and complaint state'),
  service_invite: t('an invitation to a service'),
  service_join_request: t('a request to join a service'),
  service_member: t('a service member'),
  session: t('a signed-in device'),
  sms_opt_out: t('a number that opted out'),
  sms_rate: t('a text rate'),
  sms_sender: t('a text message sender'),
  suppressed_recipient: t('a suppressed recipient'),
  template: t('a template'),
  template_email_file: t('an email template file'),
  template_folder: t('a template folder'),
  template_folder_member: t('access to a template folder'),
  template_sending_times: t('a template’s sending times'),
  unsubscribe_report: t('an unsubscribe report'),
  upload: t('an uploaded file'),
  user: t('an account'),
  user_identity: t('a single sign-on account'),
  webauthn_credential: t('a security key'),
};

/** Such as "an API key". */
function describeThing(noun: string): Text {
  return new Map<string, Text>(Object.entries(things)).get(noun) ?? asIs(noun);
}

/** Returns "API key", for an option or a label. Only English names have an article to remove. */
export function nounLabel(noun: string): Text {
  const thing = describeThing(noun);
  return formatted(({ tag }) => (tag === 'en' ? thing.replace(/^an? /, '') : String(thing)));
}

export const actionLabels: Record<AuditEntry['action'], Text> = {
  create: t('created'),
  update: t('changed'),
  delete: t('deleted'),
  find: t('looked for'),
  export: t('exported'),
  erase: t('erased'),
  import: t('imported'),
};

/** Describes an action: "created an API key". */
export function describeAction({ noun, action }: AuditEntry): Text {
  return t(
    '{action, select, create {created {thing}} update {changed {thing}} delete {deleted {thing}} find {looked for {thing}} export {exported {thing}} erase {erased {thing}} other {imported {thing}}}',
    { action, thing: describeThing(noun) },
  );
}

/** Such as "An API key was created". */
export function describeChange({ noun, action }: AuditEntry): Text {
  return t(
    '{action, select, create {{thing} was created} update {{thing} was changed} delete {{thing} was deleted} find {{thing} was looked up} export {{thing} was exported} erase {{thing} was erased} other {{thing} was imported}}',
    { action, thing: capitalised(describeThing(noun)) },
  );
}

/** Labels of columns whose names alone would not be clear. */
const fields = new Map([
  ['active', t('in use')],
  ['alt_text', t('alternative text')],
  ['auth_type', t('second sign-in step')],
  ['cancelled_because', t('why it was cancelled')],
  ['check_id', t('check')],
  ['client_reference', t('reference')],
  ['confirmed_unique', t('name is unique')],
  ['count', t('number of recipients')],
  ['count_as_live', t('counted as live')],
  ['created_for_tests', t('created for tests')],
  ['credential_data', t('security key')],
  ['credential_id', t('security key id')],
  ['crown', t('part of the Crown')],
  ['days_of_retention', t('days messages are kept')],
  ['digest', t('file content')],
  ['earliest_timestamp', t('first request')],
  ['email_access_validated_at', t('email address confirmed')],
  ['email_annual_limit', t('annual limit on emails')],
  ['email_message_limit', t('daily limit on emails')],
  ['email_sender_local_part', t('sender address before the @')],
  ['encoding', t('file encoding')],
  ['encrypted_bearer_token', t('token')],
  ['encrypted_secret', t('secret')],
  ['expiry_date', t('revoked')],
  ['failed_code_count', t('wrong codes')],
  ['failed_login_count', t('wrong passwords and codes')],
  ['failed_password_count', t('wrong passwords')],
  ['filename_key', t('file name in lower case')],
  ['free_sms_fragment_limit', t('free text message parts')],
  ['from_user_id', t('invited by')],
  ['go_live_at', t('live since')],
  ['go_live_user_id', t('who asked to go live')],
  ['has_active_go_live_request', t('wants to go live')],
  ['header', t('file columns')],
  ['help_reply', t('response to HELP')],
  ['identifier', t('name in settings')],
  ['international_sms_message_limit', t('daily limit on texts to other countries')],
  ['issuer', t('single sign-on issuer')],
  ['key_type', t('key type')],
  ['keyword_action', t('what the text asks for')],
  ['lane', t('priority')],
  ['latest_timestamp', t('last request')],
  ['letter_annual_limit', t('annual limit on letters')],
  ['letter_message_limit', t('daily limit on letters')],
  ['lift_reason', t('why it was lifted')],
  ['logged_in_at', t('last signed in')],
  ['normalised_name', t('name without spaces and case')],
  ['normalised_number', t('number without spaces')],
  ['notification_id', t('message')],
  ['notification_status', t('message status')],
  ['notification_type', t('channel')],
  ['original_file_name', t('file name')],
  ['original_filename', t('file name')],
  ['page_count', t('number of pages')],
  ['parent_id', t('parent folder')],
  ['password_hash', t('password')],
  ['passwords_refused_until', t('no password accepted until')],
  ['platform_admin', t('platform administrator')],
  ['post_class', t('postage')],
  ['prefix_sms', t('start texts with the service name')],
  ['priority', t('share')],
  ['process_type', t('priority')],
  ['processed_by_service_at', t('marked as done')],
  ['rate_limit', t('requests a minute')],
  ['redact_personalisation', t('hide personal data')],
  ['reply_to', t('sender')],
  ['reply_to_text', t('sender')],
  ['reserved', t('messages counted towards the daily limit')],
  ['reserved_day', t('day the limit applies to')],
  ['reserved_international', t('messages to other countries counted towards the daily limit')],
  ['reserved_parts', t('parts of texts counted towards the daily limit')],
  ['resting_priority', t('usual share')],
  ['restricted', t('trial mode')],
  ['row_count', t('number of rows')],
  ['rows', t('number of rows')],
  ['rows_done', t('rows sent')],
  ['rp_id', t('domain of the security key')],
  ['sheet_count', t('number of sheets')],
  ['sign_count', t('times the security key was used')],
  ['sms_annual_limit', t('annual limit on texts')],
  ['sms_limit_unit', t('what limits on texts count')],
  ['sms_limit_unit_from', t('day from which limits on texts count it')],
  ['sms_message_limit', t('daily limit on texts')],
  ['sms_sender', t('text message sender')],
  ['summary', t('result of the check')],
  ['supports_international', t('sends to other countries')],
  ['template_type', t('channel')],
  ['token_hash', t('token')],
  ['validate_users_email', t('ask for the email address')],
  ['volume_email', t('expected emails in a year')],
  ['volume_letter', t('expected letters in a year')],
  ['volume_sms', t('expected texts in a year')],
]);

/** Converts the name of a column into words: "created_by_id" becomes "created by". */
export function fieldLabel(name: string): Text {
  return fields.get(name) ?? formatted(({ tag }) => (tag === 'en' ? wordsOfColumn(name) : name));
}

/** Whether the label is only the name of the column. */
export function isUnnamed(name: string): boolean {
  return !fields.has(name);
}

function wordsOfColumn(name: string): string {
  const words = name
    .replace(/_ids?$/, '')
    .replace(/^(is|has)_/, '')
    .replaceAll('_', ' ');
  return words.replace(/\bapi\b/, 'API').replace(/\bsms\b/, 'text message');
}

/** Names the actor as recorded in the entry. */
export function actorLabel({ actor_type, user_name, client }: AuditEntry): Text {
  switch (actor_type) {
    case 'user':
      return user_name === null ? t('A person') : asIs(user_name);
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

/** Formats the value of a field. */
export function valueText(value: unknown): Text {
  if (value === null || value === undefined) return asIs('–');
  if (typeof value === 'boolean') return value ? t('yes') : t('no');
  if (Array.isArray(value)) return value.length === 0 ? t('none') : joined(value.map(valueText), ', ');
  return asIs(typeof value === 'object' ? JSON.stringify(value) : String(value));
}
