// Generated from the migrated database by `npm run generate`; do not edit.
import type { ColumnType } from 'kysely';

type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>;
/** Exact decimals stay text. */
type Numeric = ColumnType<string, string | number, string | number>;
type Time = ColumnType<string, string | Date, string | Date>;
type Json = ColumnType<unknown, string, string>;

interface AnnualAllowances {
  service_id: string;
  financial_year_start: number;
  free_sms_fragment_limit: number;
  has_custom_allowance: Generated<boolean>;
  high_volume_service_last_year: Generated<boolean>;
  created_at: Time;
  updated_at: Time | null;
}

interface AnnualCounts {
  owner_kind: 'service' | 'organisation';
  owner_id: string;
  year_start: string;
  channel: 'sms' | 'email' | 'letter';
  count: number;
  unit: Generated<'messages' | 'parts'>;
}

interface ApiKeyUses {
  api_key_id: string;
  last_used_at: Time;
}

interface ApiKeys {
  id: string;
  service_id: string;
  name: string;
  encrypted_secret: string;
  key_type: 'normal' | 'team' | 'test';
  created_by_id: string;
  version: Generated<number>;
  created_at: Time;
  updated_at: Time | null;
  expiry_date: Time | null;
  expires_at: Time | null;
  allowed_networks: string[] | null;
  manage_templates: Generated<boolean>;
  manage_reports: Generated<boolean>;
  imported: Generated<boolean>;
  send_over_smtp: Generated<boolean>;
}

interface ApiKeysHistory {
  id: string;
  version: number;
  service_id: string;
  name: string;
  key_type: string;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  expiry_date: Time | null;
  expires_at: Time | null;
  allowed_networks: string[] | null;
  manage_templates: Generated<boolean>;
  manage_reports: Generated<boolean>;
  imported: Generated<boolean>;
  send_over_smtp: Generated<boolean>;
}

interface Attachments {
  id: string;
  service_id: string;
  notification_id: string;
}

interface AuditLog {
  id: string;
  created_at: Time;
  actor_type: 'user' | 'admin_client' | 'visitor' | 'command' | 'api_key';
  user_id: string | null;
  client: string | null;
  claimed_user_id: string | null;
  address: string | null;
  user_agent: string | null;
  request_id: string | null;
  request: string | null;
  action: 'create' | 'update' | 'delete' | 'find' | 'export' | 'erase' | 'import';
  noun: string;
  thing_id: string | null;
  service_id: string | null;
  organisation_id: string | null;
  before: Json | null;
  after: Json | null;
}

interface ChannelPlanVersions {
  plan_id: string;
  version: number;
  steps: Json;
  created_by_id: string;
  created_at: Time;
}

interface ChannelPlans {
  id: string;
  service_id: string;
  name: string;
  steps: Json;
  version: number;
  archived: Generated<boolean>;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
}

interface Complaints {
  id: string;
  notification_id: string;
  service_id: string;
  ses_feedback_id: string | null;
  complaint_type: string | null;
  complaint_date: Time | null;
  created_at: Time;
}

interface ConsoleMarks {
  user_id: string;
  kind: string;
  subject_id: string;
}

interface ContactLists {
  id: string;
  service_id: string;
  original_file_name: string;
  row_count: number;
  template_type: 'sms' | 'email';
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  archived: Generated<boolean>;
  language: string | null;
}

interface DailyDespatches {
  despatched_on: string;
  postage: string;
  cost_threshold: string;
  sheets: number;
  letters: number;
}

interface DailyMessageCounts {
  service_id: string;
  utc_day: string;
  channel: 'sms' | 'email' | 'letter' | 'international_sms';
  count: number;
  last_limit: Generated<number>;
  last_taken: Generated<number>;
}

interface DailyProcessingTime {
  london_day: string;
  messages: number;
  within_ten_seconds: number;
}

interface DailyStatusCounts {
  london_day: string;
  service_id: string;
  template_id: string;
  notification_type: 'sms' | 'email' | 'letter';
  key_type: 'normal' | 'team' | 'test';
  status: string;
  count: number;
  folded: Generated<boolean>;
  folded_count: Generated<number>;
}

interface DailyUsage {
  london_day: string;
  service_id: string;
  template_id: string;
  notification_type: 'sms' | 'email' | 'letter';
  provider: string;
  rate_multiplier: number;
  international: boolean;
  postage: string;
  sheets: number;
  billable_units: number;
  notifications_sent: number;
  folded: Generated<boolean>;
  folded_units: Generated<number>;
  folded_sent: Generated<number>;
}

interface DaysWithoutPrinting {
  day: string;
  name: string;
  created_at: Time;
}

interface DefaultAllowances {
  organisation_type: string;
  valid_from_year: number;
  free_sms_fragment_limit: number;
}

interface DeliveryQueue {
  notification_id: string;
  service_id: string;
  notification_type: 'sms' | 'email' | 'letter';
  lane: number;
  due_at: Time;
  attempts: Generated<number>;
  provider: string | null;
  outcome_known: Generated<boolean>;
  leased_by: string | null;
  blames_sender: boolean | null;
}

interface DeliverySweeps {
  name: string;
  swept_until: Time;
}

interface DocumentAttempts {
  document_id: string;
  window_start: Time;
  count: number;
}

interface Documents {
  id: string;
  service_id: string;
  filename: string | null;
  file_extension: string;
  mime_type: string;
  size_in_bytes: number;
  recipient_digest: string | null;
  shared_path: string | null;
  key_digest: string | null;
  available_until: Time;
  created_at: Time;
  language: string | null;
}

interface DomainMailChanges {
  domain_id: string | null;
  hour: Time;
  mailbox: string | null;
  refused_with: string | null;
  count: number;
}

interface DomainRefusals {
  domain_id: string | null;
  hour: Time;
  code: string;
  count: number;
}

interface DomainVolumes {
  domain_id: string | null;
  day: string;
  mailbox: 'google' | 'yahoo' | 'microsoft' | 'other';
  count: number;
}

interface EmailBranding {
  id: string;
  name: string;
  colour: string | null;
  logo: string | null;
  text: string | null;
  alt_text: string | null;
  brand_type: 'org' | 'both' | 'org_banner';
  active: Generated<boolean>;
  created_at: Time;
  created_by: string | null;
  updated_at: Time | null;
  updated_by: string | null;
}

interface EmailOutcomeChanges {
  service_id: string;
  domain_id: string | null;
  hour: Time;
  sent: number;
  hard_bounces: number;
  soft_bounces: number;
  complaints: number;
}

interface EmailOutcomes {
  service_id: string;
  domain_id: string | null;
  hour: Time;
  sent: number;
  hard_bounces: number;
  soft_bounces: number;
  complaints: number;
  judged: boolean;
}

interface EssentialTemplates {
  template_id: string;
  service_id: string;
  created_at: Time;
}

interface Events {
  id: string;
  event_type: string;
  data: Json;
  created_at: Time;
}

interface FailedAttempts {
  notification_id: string;
  attempt: number;
  provider: string | null;
  outcome: 'failed' | 'refused' | 'unknown' | 'reported';
  reason: string;
  duration_ms: number | null;
  failed_at: Time;
  retry_at: Time | null;
}

interface HeldMessages {
  notification_id: string;
  service_id: string;
  notification_type: string;
  held_until: Time | null;
  time_zone: string | null;
  wanted_at: Time | null;
  job_id: string | null;
}

interface IdempotencyKeys {
  service_id: string;
  key: string;
  request_digest: string;
  response: Json;
  created_at: Time;
}

interface InboundNumbers {
  id: string;
  number: string;
  provider: string;
  service_id: string | null;
  active: Generated<boolean>;
  created_at: Time;
  updated_at: Time | null;
  normalised_number: string | null;
}

interface InboundSms {
  id: string;
  service_id: string;
  notify_number: string;
  user_number: string;
  content: string;
  provider: string;
  provider_reference: string | null;
  provider_date: Time | null;
  created_at: Time;
  keyword: string | null;
  keyword_action: 'stop' | 'start' | 'help' | 'review' | null;
}

interface Installation {
  is_only: Generated<boolean>;
  country: string;
  zone: string;
  currency: string;
  postage: Json;
  chosen_at: Time;
  profile: Json;
}

interface JobStatusCounts {
  job_id: string;
  status: string;
  count: number;
}

interface Jobs {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  notification_type: 'sms' | 'email' | 'letter';
  original_file_name: string;
  status: 'pending' | 'scheduled' | 'in progress' | 'finished all notifications created' | 'sending limits exceeded' | 'cancelled' | 'error';
  cancelled_because: string | null;
  key_type: 'normal' | 'team' | 'test';
  api_key_id: string | null;
  created_by_id: string | null;
  sender_id: string | null;
  reply_to_text: string | null;
  contact_list_id: string | null;
  client_reference: string | null;
  row_count: number;
  rows_done: Generated<number>;
  rows_skipped: Generated<number>;
  reserved_day: string | null;
  reserved: Generated<number>;
  reserved_international: Generated<number>;
  lane: number | null;
  scheduled_for: Time | null;
  created_at: Time;
  updated_at: Time | null;
  processing_started: Time | null;
  processing_finished: Time | null;
  archived: Generated<boolean>;
  reserved_parts: number | null;
  ignores_sending_times: Generated<boolean>;
  wanted_at: Time | null;
}

interface KeywordReplies {
  service_id: string;
  user_number: string;
  action: 'stop' | 'help';
  replied_at: Time;
}

interface KeywordSettings {
  service_id: string;
  stop_words: string[];
  start_words: string[];
  help_words: string[];
  stop_reply: string | null;
  help_reply: string | null;
  language: string | null;
  scope: 'service' | 'sender' | null;
  updated_at: Time;
}

interface LetterAttachments {
  id: string;
  service_id: string;
  template_id: string;
  original_filename: string;
  page_count: number;
  created_by_id: string;
  created_at: Time;
  archived_by_id: string | null;
  archived_at: Time | null;
}

interface LetterBranding {
  id: string;
  name: string;
  filename: string;
  created_at: Time;
  created_by_id: string | null;
  updated_at: Time | null;
  updated_by_id: string | null;
  active: Generated<boolean>;
}

interface LetterDespatches {
  notification_id: string;
  service_id: string;
  despatched_on: string;
  postage: string;
  sheets: number;
  cost_threshold: 'sorted' | 'unsorted';
  created_at: Time;
}

interface LetterFiles {
  notification_id: string;
  page_count: number | null;
  message: string | null;
  invalid_pages: number[] | null;
  created_at: Time;
  print_day: string | null;
}

interface LetterRates {
  post_class: string;
  sheet_count: number;
  start_date: Time;
  rate: Numeric;
}

interface LimitNotices {
  owner_kind: 'service' | 'organisation';
  owner_id: string;
  channel: 'sms' | 'email' | 'letter' | 'international_sms';
  period: 'day' | 'year';
  period_start: string;
  level: number;
  sent_at: Time;
}

interface MessageParts {
  reference: string;
  message_reference: string;
  sent_at: Time;
  delivered_at: Time | null;
}

interface MessageTraces {
  notification_id: string;
  traceparent: string;
}

interface Notifications {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  notification_type: 'sms' | 'email' | 'letter';
  key_type: 'normal' | 'team' | 'test';
  api_key_id: string | null;
  created_by_id: string | null;
  status: 'created' | 'sending' | 'sent' | 'pending' | 'delivered' | 'failed' | 'technical-failure' | 'temporary-failure' | 'permanent-failure' | 'cancelled' | 'pending-virus-check' | 'validation-failed' | 'virus-scan-failed' | 'returned-letter';
  client_reference: string | null;
  recipient: string;
  normalised_recipient: string | null;
  personalisation: Generated<Json>;
  reply_to_text: string | null;
  postage: string | null;
  international: Generated<boolean>;
  rate_multiplier: Generated<number>;
  billable_units: Generated<number>;
  provider: string | null;
  provider_reference: string | null;
  one_click_unsubscribe_url: string | null;
  scheduled_for: Time | null;
  created_at: Time;
  sent_at: Time | null;
  updated_at: Time | null;
  secret_personalisation: string | null;
  document_download_count: number | null;
  job_id: string | null;
  job_row_number: number | null;
  language: string | null;
}

interface OrganisationDomains {
  domain: string;
  organisation_id: string;
}

interface OrganisationEmailBrandingPool {
  organisation_id: string;
  email_branding_id: string;
}

interface OrganisationInvites {
  id: string;
  organisation_id: string;
  email_address: string;
  invited_by_id: string;
  permissions: string[];
  status: Generated<'pending' | 'accepted' | 'cancelled'>;
  created_at: Time;
}

interface OrganisationLetterBrandingPool {
  organisation_id: string;
  letter_branding_id: string;
}

interface OrganisationMembers {
  organisation_id: string;
  user_id: string;
  created_at: Time;
}

interface OrganisationPermissions {
  organisation_id: string;
  user_id: string;
  permission: 'manage_services' | 'view_all_services' | 'manage_organisation' | 'can_make_services_live';
}

interface Organisations {
  id: string;
  name: string;
  active: Generated<boolean>;
  crown: boolean | null;
  organisation_type: string | null;
  email_branding_id: string | null;
  letter_branding_id: string | null;
  agreement_signed: boolean | null;
  agreement_signed_at: Time | null;
  agreement_signed_by_id: string | null;
  agreement_signed_on_behalf_of_name: string | null;
  agreement_signed_on_behalf_of_email_address: string | null;
  agreement_signed_version: Numeric | null;
  request_to_go_live_notes: string | null;
  notes: string | null;
  purchase_order_number: string | null;
  billing_contact_names: string | null;
  billing_contact_email_addresses: string | null;
  billing_reference: string | null;
  can_approve_own_go_live_requests: Generated<boolean>;
  permissions: Generated<string[]>;
  created_at: Time;
  updated_at: Time | null;
  sending_domain_id: string | null;
  email_annual_limit: number | null;
  sms_annual_limit: number | null;
  letter_annual_limit: number | null;
}

interface PasswordGuesses {
  counted: string;
  user_id: string | null;
  wrong_count: number;
  counted_since: Time;
  refused_until: Time | null;
  signed_in_at: Time | null;
}

interface PlanMessages {
  id: string;
  service_id: string;
  plan_id: string;
  plan_version: number;
  key_type: 'normal' | 'team' | 'test';
  api_key_id: string | null;
  reference: string | null;
  encrypted_content: string | null;
  status: Generated<'created' | 'in-progress' | 'delivered' | 'failed' | 'cancelled'>;
  how: 'sms' | 'email' | 'letter' | null;
  scheduled_for: Time | null;
  created_at: Time;
  completed_at: Time | null;
  due_at: Time | null;
  leased_until: Time | null;
  attempts: Generated<number>;
  recipient_tags: string[] | null;
}

interface PlanOutcomeChanges {
  plan_id: string;
  plan_version: number;
  status: string;
  step: number;
  messages: number;
}

interface PlanOutcomes {
  plan_id: string;
  plan_version: number;
  status: 'created' | 'in-progress' | 'delivered' | 'failed' | 'cancelled';
  step: number;
  messages: number;
}

interface PlanStepChanges {
  id: Generated<number>;
  message_id: string;
}

interface PlanSteps {
  message_id: string;
  number: number;
  channel: 'sms' | 'email' | 'letter';
  template_id: string;
  template_version: number;
  wait_h: number | null;
  only_if_missing: boolean;
  state: Generated<'waiting' | 'skipped' | 'sent' | 'delivered' | 'failed' | 'expired' | 'cancelled'>;
  reason: string | null;
  notification_id: string | null;
  started_at: Time | null;
  handed_over_at: Time | null;
  ended_at: Time | null;
}

interface PlatformStatusTotals {
  london_day: string;
  notification_type: string;
  status: string;
  count: number;
}

interface PlatformUsageTotals {
  london_day: string;
  notification_type: string;
  provider: string;
  rate_multiplier: number;
  billable_units: number;
  notifications_sent: number;
}

interface PrintedLetters {
  reference: string;
  notification_id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  api_key_id: string | null;
  created_by_id: string | null;
  client_reference: string | null;
  created_at: Time;
  printed_at: Time;
  job_id: string | null;
  job_row_number: number | null;
}

interface ProviderDetails {
  id: string;
  identifier: string;
  display_name: string;
  notification_type: 'sms' | 'email' | 'letter';
  priority: number;
  resting_priority: number;
  active: Generated<boolean>;
  supports_international: boolean;
  version: Generated<number>;
  created_by_id: string | null;
  reason: string | null;
  updated_at: Time | null;
}

interface ProviderDetailsHistory {
  id: string;
  version: number;
  identifier: string;
  display_name: string;
  notification_type: 'sms' | 'email' | 'letter';
  priority: number;
  active: boolean;
  supports_international: boolean;
  created_by_id: string | null;
  reason: string | null;
  updated_at: Time | null;
}

interface ProviderHealth {
  provider: string;
  period_start: Time;
  handed_over: Generated<number>;
  errors: Generated<number>;
  delivered_in_time: Generated<number>;
  failed: Generated<number>;
  unmatched: Generated<number>;
}

interface ProviderHealthChanges {
  provider: string;
  period_start: Time;
  handed_over: number;
  errors: number;
  delivered_in_time: number;
  failed: number;
  unmatched: Generated<number>;
}

interface ProviderSlots {
  provider: string;
  next_at: Time;
  granted: number;
}

interface QueueWorkers {
  id: string;
  seen_at: Time;
}

interface RateWindows {
  service_id: string;
  key_type: 'normal' | 'team' | 'test' | 'read-normal' | 'read-team' | 'read-test';
  slot: number;
  count: number;
}

interface RatesAbroad {
  prefix: string;
  valid_from: Time;
  multiplier: number | null;
  receipts: boolean;
  numeric_sender: boolean;
}

interface ReceivedParts {
  service_id: string;
  user_number: string;
  number: number;
  total: number;
  nth: number;
  content: string;
  received_at: Time;
}

interface RecurringRuns {
  recurring_id: string;
  due_at: Time;
  job_id: string;
  outcome: 'started' | 'sent' | 'failed' | 'skipped';
  reason: string | null;
  leased_until: Time | null;
  reason_texts: Json | null;
}

interface RecurringSends {
  id: string;
  service_id: string;
  template_id: string;
  contact_list_id: string;
  sender_id: string | null;
  rule: string;
  starts_on: string;
  at_time: string;
  time_zone: string;
  next_at: Time | null;
  state: 'active' | 'paused' | 'ended';
  ends_reason: string | null;
  failures: Generated<number>;
  created_by_id: string;
  created_at: Time;
}

interface RefusedRequests {
  id: string;
  service_id: string;
  api_key_id: string;
  path: string;
  status_code: number;
  errors: Json;
  template_id: string | null;
  fields: string[];
  personalisation_fields: string[];
  created_at: Time;
}

interface ReportReceivers {
  provider: string;
  name: string;
  worker: string;
  leased_until: Time;
  received_at: Time | null;
}

interface ReportRequests {
  id: string;
  service_id: string;
  user_id: string;
  notification_type: 'sms' | 'email' | 'letter';
  notification_status: 'all' | 'sending' | 'delivered' | 'failed';
  status: 'pending' | 'in progress' | 'stored' | 'failed' | 'deleted';
  created_at: Time;
  updated_at: Time | null;
  api_key_id: string | null;
  language: 'en' | 'fr' | null;
  job_id: string | null;
}

interface RequestedMessages {
  requested_for: string;
  kind: string;
  requested_at: Time;
}

interface ReturnedLetters {
  notification_id: string;
  reference: string;
  service_id: string;
  template_id: string;
  template_version: number;
  api_key_id: string | null;
  created_by_id: string | null;
  client_reference: string | null;
  letter_created_at: Time;
  printed_at: Time;
  reported_on: string;
  created_at: Time;
  job_id: string | null;
  job_row_number: number | null;
}

interface SandboxMessages {
  reference: string;
  notification_type: 'sms' | 'email' | 'letter';
  recipient: string;
  sender: string;
  subject: string | null;
  body: string;
  times_sent: Generated<number>;
  created_at: Time;
  receipt_due_at: Time | null;
  source_file: string | null;
  source_start: number | null;
  source_length: number | null;
}

interface SendWindows {
  id: string;
  service_id: string;
  name: string;
  days: string[];
  from_time: string;
  until_time: string;
  closed_days: string[];
  created_at: Time;
  updated_at: Time | null;
  created_by_id: string | null;
}

interface SendingDomainChanges {
  id: string;
  domain_id: string;
  changed: string;
  before: string | null;
  after: string;
  reason: string | null;
  changed_at: Time;
}

interface SendingDomainChecks {
  domain_id: string;
  check_name: string;
  verdict: 'pass' | 'warn' | 'fail' | 'unknown';
  reason: string;
  evidence: Json;
  since: Time;
  checked_at: Time;
}

interface SendingDomainKeys {
  id: string;
  domain_id: string;
  selector: string;
  algorithm: 'rsa-2048' | 'ed25519';
  public_key: string | null;
  encrypted_private_key: string | null;
  state: 'waiting' | 'ready' | 'signing' | 'retiring' | 'deleted';
  passed_since: Time | null;
  signing_from: Time | null;
  retire_at: Time | null;
  created_at: Time;
}

interface SendingDomainRecords {
  domain_id: string;
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  purpose: 'signature' | 'return-path';
}

interface SendingDomains {
  id: string;
  name: string;
  scope: 'installation' | 'organisation' | 'service';
  organisation_id: string | null;
  service_id: string | null;
  way: 'signed-here' | 'provider' | 'relay';
  provider: string | null;
  return_path_domain: string | null;
  token: string;
  state: Generated<'pending' | 'verified' | 'warning' | 'suspended' | 'retired'>;
  hold: Generated<boolean>;
  required_failing_since: Time | null;
  required_failures: Generated<number>;
  checked_at: Time | null;
  next_check_at: Time | null;
  leased_until: Time | null;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  version: Generated<number>;
}

interface ServiceCallbackApi {
  id: string;
  service_id: string;
  callback_type: 'delivery_status' | 'message_status' | 'complaint' | 'returned_letter' | 'inbound_sms';
  url: string;
  encrypted_bearer_token: string;
  updated_by_id: string;
  version: Generated<number>;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceCallbackApiHistory {
  id: string;
  version: number;
  service_id: string;
  callback_type: string;
  url: string;
  updated_by_id: string;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceCallbackSigningSecrets {
  callback_id: string;
  encrypted_secret: string;
  created_by_id: string;
  created_at: Time;
}

interface ServiceCallbacks {
  id: string;
  service_id: string;
  callback_type: 'delivery_status' | 'message_status' | 'complaint' | 'returned_letter' | 'inbound_sms';
  subject_id: string;
  url: string;
  encrypted_bearer_token: string;
  body: string;
  status: Generated<'waiting' | 'delivered' | 'failed'>;
  attempts: Generated<number>;
  due_at: Time;
  attempt_log: Generated<Json>;
  created_at: Time;
  completed_at: Time | null;
}

interface ServiceDataRetention {
  id: string;
  service_id: string;
  notification_type: 'sms' | 'email' | 'letter';
  days_of_retention: number;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceEmailReplyTo {
  id: string;
  service_id: string;
  email_address: string;
  is_default: boolean;
  archived: Generated<boolean>;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceGuard {
  service_id: string;
  state: 'ok' | 'warned' | 'paused';
  because: 'bounces' | 'bounces-small' | 'complaints' | null;
  rate: string | null;
  since: Time;
  judged_at: Time;
  last_warning_at: Time | null;
  lifted_at: Time | null;
  lifted_by_id: string | null;
  lift_reason: string | null;
  lifted_sent: number | null;
  lifted_bounces: number | null;
  lifted_complaints: number | null;
  exempt_until: Time | null;
}

interface ServiceGuestList {
  service_id: string;
  recipient_type: 'email' | 'mobile';
  position: number;
  recipient: string;
}

interface ServiceInvites {
  id: string;
  service_id: string;
  email_address: string;
  from_user_id: string;
  permissions: string[];
  folder_permissions: string[];
  auth_type: 'sms_auth' | 'email_auth' | 'webauthn_auth';
  status: Generated<'pending' | 'accepted' | 'cancelled'>;
  created_at: Time;
}

interface ServiceJoinRequests {
  id: string;
  service_id: string;
  requester_id: string;
  contacted_user_ids: string[];
  reason: string | null;
  status: Generated<'pending' | 'approved' | 'rejected' | 'cancelled'>;
  status_changed_by_id: string | null;
  status_changed_at: Time | null;
  created_at: Time;
}

interface ServiceLetterContacts {
  id: string;
  service_id: string;
  contact_block: string;
  is_default: boolean;
  archived: Generated<boolean>;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceMembers {
  service_id: string;
  user_id: string;
  permissions: Generated<string[]>;
  created_at: Time;
}

interface ServiceSendingTimes {
  service_id: string;
  sms_window_id: string | null;
  email_window_id: string | null;
  time_zone: string | null;
}

interface ServiceSmsSenders {
  id: string;
  service_id: string;
  sms_sender: string;
  is_default: boolean;
  archived: Generated<boolean>;
  inbound_number_id: string | null;
  created_at: Time;
  updated_at: Time | null;
}

interface ServiceStatusSpans {
  service_id: string;
  span: 'month' | 'five_days' | 'day';
  first_day: string;
  notification_type: string;
  of_test_keys: boolean;
  created: number;
  sending: number;
  sent: number;
  pending: number;
  delivered: number;
  failed: number;
  technical_failure: number;
  temporary_failure: number;
  permanent_failure: number;
  cancelled: number;
  pending_virus_check: number;
  validation_failed: number;
  virus_scan_failed: number;
  returned_letter: number;
}

interface ServiceUsageSpans {
  service_id: string;
  span: 'month' | 'five_days' | 'day';
  first_day: string;
  sms_sent: number;
  sms_chargeable_units: number;
  emails_sent: number;
  letters: number[];
  letter_kinds: Generated<number[]>;
  letter_counts: Generated<number[]>;
}

interface Services {
  id: string;
  name: string;
  normalised_name: string;
  active: Generated<boolean>;
  restricted: Generated<boolean>;
  created_by_id: string;
  organisation_id: string | null;
  organisation_type: string | null;
  crown: boolean | null;
  permissions: string[];
  email_branding_id: string | null;
  letter_branding_id: string | null;
  email_message_limit: number;
  sms_message_limit: number;
  letter_message_limit: number;
  international_sms_message_limit: number;
  rate_limit: Generated<number>;
  prefix_sms: Generated<boolean>;
  contact_link: string | null;
  custom_email_sender_name: string | null;
  email_sender_local_part: string;
  confirmed_email_sender_name: Generated<boolean | null>;
  confirmed_unique: Generated<boolean>;
  has_active_go_live_request: Generated<boolean>;
  count_as_live: Generated<boolean>;
  go_live_user_id: string | null;
  go_live_at: Time | null;
  volume_sms: number | null;
  volume_email: number | null;
  volume_letter: number | null;
  consent_to_research: boolean | null;
  notes: string | null;
  purchase_order_number: string | null;
  billing_contact_names: string | null;
  billing_contact_email_addresses: string | null;
  billing_reference: string | null;
  version: Generated<number>;
  created_at: Time;
  updated_at: Time | null;
  api_dialect: Generated<'govuk' | 'gc'>;
  sending_domain_id: string | null;
  email_annual_limit: number | null;
  sms_annual_limit: number | null;
  letter_annual_limit: number | null;
  sms_limit_unit: Generated<'messages' | 'parts'>;
  sms_limit_unit_from: string | null;
  smtp_files: 'refuse' | 'drop' | 'link' | null;
}

interface ServicesHistory {
  id: string;
  version: number;
  name: string;
  active: boolean;
  restricted: boolean;
  email_message_limit: number;
  sms_message_limit: number;
  letter_message_limit: number;
  custom_email_sender_name: string | null;
  email_sender_local_part: string;
  permissions: string[];
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
}

interface Sessions {
  id: string;
  token_hash: string;
  user_id: string;
  password_changed_at: Time;
  platform_admin: boolean;
  device: string;
  created_at: Time;
  last_used_at: Time;
}

interface SingleSignOnStates {
  state_hash: string;
  expires_at: Time;
}

interface SmsOptOuts {
  id: string;
  service_id: string;
  user_number: string;
  sender: string;
  keyword: string;
  reason: 'keyword' | 'provider';
  inbound_sms_id: string | null;
  created_at: Time;
}

interface SmsRates {
  valid_from: Time;
  rate: Numeric;
}

interface StatusCountChanges {
  london_day: string;
  service_id: string;
  template_id: string;
  notification_type: string;
  key_type: string;
  status: string;
  previous_status: string | null;
  change: number;
  job_id: string | null;
}

interface SuppressedRecipients {
  id: string;
  service_id: string;
  email_address: string;
  reason: 'hard-bounce' | 'complaint' | 'unsubscribe';
  notification_id: string;
  created_at: Time;
}

interface TaskRuns {
  task: string;
  watched_since: Time;
  succeeded_at: Time | null;
  failed_at: Time | null;
}

interface TemplateDrafts {
  id: string;
  service_id: string;
  user_id: string;
  template_id: string | null;
  fields: Json;
  updated_at: Time;
}

interface TemplateEmailFiles {
  id: string;
  service_id: string;
  template_id: string;
  template_version: number;
  version: Generated<number>;
  filename: string;
  filename_key: string;
  link_text: string | null;
  retention_period: number;
  validate_users_email: boolean;
  pending: boolean;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  archived_by_id: string | null;
  archived_at: Time | null;
}

interface TemplateEmailFilesHistory {
  id: string;
  version: number;
  service_id: string;
  template_id: string;
  template_version: number;
  filename: string;
  link_text: string | null;
  retention_period: number;
  validate_users_email: boolean;
  pending: boolean;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  archived_by_id: string | null;
  archived_at: Time | null;
}

interface TemplateFolderMembers {
  template_folder_id: string;
  service_id: string;
  user_id: string;
}

interface TemplateFolders {
  id: string;
  service_id: string;
  name: string;
  parent_id: string | null;
  created_at: Time;
}

interface TemplateHiddenHints {
  template_id: string;
  rule: string;
  service_id: string;
  hidden_by_id: string;
  hidden_at: Time;
}

interface TemplateSendingTimes {
  template_id: string;
  service_id: string;
  window_id: string | null;
}

interface TemplateStatusTotals {
  service_id: string;
  template_id: string;
  month: string;
  status: string;
  count: number;
}

interface TemplateVariants {
  template_id: string;
  version: number;
  language: string;
  subject: string | null;
  content: string;
  seeded: Generated<boolean>;
}

interface Templates {
  id: string;
  service_id: string;
  name: string;
  template_type: 'sms' | 'email' | 'letter';
  subject: string | null;
  content: string;
  version: Generated<number>;
  archived: Generated<boolean>;
  hidden: Generated<boolean>;
  folder: string | null;
  process_type: Generated<'normal' | 'priority' | 'bulk'>;
  redact_personalisation: Generated<boolean>;
  postage: string | null;
  reply_to: string | null;
  letter_languages: 'english' | 'welsh_then_english' | null;
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  letter_attachment_id: string | null;
  has_unsubscribe_link: Generated<boolean>;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  category_id: string | null;
  language: string | null;
  language_field: string | null;
  refuse_unknown_languages: Generated<boolean>;
}

interface TemplatesHistory {
  id: string;
  version: number;
  service_id: string;
  name: string;
  template_type: 'sms' | 'email' | 'letter';
  subject: string | null;
  content: string;
  archived: boolean;
  hidden: boolean;
  process_type: 'normal' | 'priority' | 'bulk';
  redact_personalisation: boolean;
  postage: string | null;
  reply_to: string | null;
  letter_languages: 'english' | 'welsh_then_english' | null;
  letter_welsh_subject: string | null;
  letter_welsh_content: string | null;
  letter_attachment_id: string | null;
  has_unsubscribe_link: boolean;
  created_by_id: string;
  created_at: Time;
  updated_at: Time | null;
  category_id: string | null;
  language: string | null;
  language_field: string | null;
  refuse_unknown_languages: Generated<boolean>;
}

interface UnconfirmedFiles {
  path: string;
  created_at: Time;
}

interface UnfinishedMessages {
  notification_id: string;
  look_at: Time;
}

interface UnsubscribeReports {
  id: string;
  service_id: string;
  count: number;
  earliest_timestamp: Time;
  latest_timestamp: Time;
  processed_by_service_at: Time | null;
  created_at: Time;
}

interface UnsubscribeRequests {
  id: string;
  service_id: string;
  notification_id: string;
  template_id: string;
  template_version: number;
  email_address: string;
  report_id: string | null;
  processed: Generated<boolean>;
  created_at: Time;
  job_id: string | null;
}

interface UploadChunks {
  upload_id: string;
  first_row: number;
  row_count: number;
  cells: string;
  messages: string | null;
  problems: string | null;
  problem_count: Generated<number>;
  abroad_count: Generated<number>;
  expanded_at: Time | null;
  part_count: Generated<number>;
}

interface UploadedLetters {
  service_id: string;
  file_id: string;
  notification_id: string;
  created_at: Time;
}

interface Uploads {
  id: string;
  service_id: string;
  state: 'receiving' | 'checked' | 'sent' | 'saved';
  original_file_name: string;
  encoding: string | null;
  header: Json;
  row_count: Generated<number>;
  digest: string | null;
  is_contact_list: Generated<boolean>;
  contact_list_id: string | null;
  template_id: string | null;
  template_version: number | null;
  sender_id: string | null;
  key_type: Generated<'normal' | 'team' | 'test'>;
  api_key_id: string | null;
  check_id: string | null;
  summary: Json | null;
  created_at: Time;
  language: string | null;
}

interface UsageChanges {
  london_day: string;
  service_id: string;
  template_id: string;
  notification_type: string;
  provider: string;
  rate_multiplier: number;
  international: boolean;
  postage: string;
  sheets: number;
  billable_units: number;
  notifications_sent: number;
}

interface UserIdentities {
  issuer: string;
  subject: string;
  user_id: string;
  created_at: Time;
  last_used_at: Time;
}

interface Users {
  id: string;
  name: string;
  email_address: string;
  mobile_number: string | null;
  password_hash: string;
  auth_type: Generated<'sms_auth' | 'email_auth' | 'webauthn_auth'>;
  state: Generated<'pending' | 'active' | 'inactive'>;
  platform_admin: Generated<boolean>;
  failed_login_count: Generated<number>;
  failed_password_count: Generated<number>;
  failed_code_count: Generated<number>;
  passwords_refused_until: Time | null;
  current_session_id: string | null;
  email_access_validated_at: Time;
  logged_in_at: Time | null;
  password_changed_at: Time;
  take_part_in_research: Generated<boolean>;
  receives_new_features_email: Generated<boolean>;
  created_for_tests: Generated<boolean>;
  created_at: Time;
  updated_at: Time | null;
  locked_at: Time | null;
  read_only_operator: Generated<boolean>;
  time_zone: string | null;
  language: string | null;
}

interface VerifyCodes {
  id: string;
  user_id: string;
  code_type: 'sms' | 'email';
  code_digest: string;
  used: Generated<boolean>;
  expires_at: Time;
  created_at: Time;
}

interface WebauthnChallenges {
  user_id: string;
  purpose: 'registration' | 'sign-in';
  challenge: string;
  expires_at: Time;
}

interface WebauthnCredentials {
  id: string;
  user_id: string;
  name: string;
  credential_data: string;
  registration_response: string;
  logged_in_at: Time | null;
  created_at: Time;
  updated_at: Time | null;
  credential_id: string | null;
  rp_id: string | null;
  public_key: Buffer | null;
  sign_count: number | null;
  transports: string[] | null;
}

interface ZoneChanges {
  first_day: string;
  old_zone: string;
  new_zone: string;
  changed_at: Time;
}

export interface DB {
  annual_allowances: AnnualAllowances;
  annual_counts: AnnualCounts;
  api_key_uses: ApiKeyUses;
  api_keys: ApiKeys;
  api_keys_history: ApiKeysHistory;
  attachments: Attachments;
  audit_log: AuditLog;
  channel_plan_versions: ChannelPlanVersions;
  channel_plans: ChannelPlans;
  complaints: Complaints;
  console_marks: ConsoleMarks;
  contact_lists: ContactLists;
  daily_despatches: DailyDespatches;
  daily_message_counts: DailyMessageCounts;
  daily_processing_time: DailyProcessingTime;
  daily_status_counts: DailyStatusCounts;
  daily_usage: DailyUsage;
  days_without_printing: DaysWithoutPrinting;
  default_allowances: DefaultAllowances;
  delivery_queue: DeliveryQueue;
  delivery_sweeps: DeliverySweeps;
  document_attempts: DocumentAttempts;
  documents: Documents;
  domain_mail_changes: DomainMailChanges;
  domain_refusals: DomainRefusals;
  domain_volumes: DomainVolumes;
  email_branding: EmailBranding;
  email_outcome_changes: EmailOutcomeChanges;
  email_outcomes: EmailOutcomes;
  essential_templates: EssentialTemplates;
  events: Events;
  failed_attempts: FailedAttempts;
  held_messages: HeldMessages;
  idempotency_keys: IdempotencyKeys;
  inbound_numbers: InboundNumbers;
  inbound_sms: InboundSms;
  installation: Installation;
  job_status_counts: JobStatusCounts;
  jobs: Jobs;
  keyword_replies: KeywordReplies;
  keyword_settings: KeywordSettings;
  letter_attachments: LetterAttachments;
  letter_branding: LetterBranding;
  letter_despatches: LetterDespatches;
  letter_files: LetterFiles;
  letter_rates: LetterRates;
  limit_notices: LimitNotices;
  message_parts: MessageParts;
  message_traces: MessageTraces;
  notifications: Notifications;
  organisation_domains: OrganisationDomains;
  organisation_email_branding_pool: OrganisationEmailBrandingPool;
  organisation_invites: OrganisationInvites;
  organisation_letter_branding_pool: OrganisationLetterBrandingPool;
  organisation_members: OrganisationMembers;
  organisation_permissions: OrganisationPermissions;
  organisations: Organisations;
  password_guesses: PasswordGuesses;
  plan_messages: PlanMessages;
  plan_outcome_changes: PlanOutcomeChanges;
  plan_outcomes: PlanOutcomes;
  plan_step_changes: PlanStepChanges;
  plan_steps: PlanSteps;
  platform_status_totals: PlatformStatusTotals;
  platform_usage_totals: PlatformUsageTotals;
  printed_letters: PrintedLetters;
  provider_details: ProviderDetails;
  provider_details_history: ProviderDetailsHistory;
  provider_health: ProviderHealth;
  provider_health_changes: ProviderHealthChanges;
  provider_slots: ProviderSlots;
  queue_workers: QueueWorkers;
  rate_windows: RateWindows;
  rates_abroad: RatesAbroad;
  received_parts: ReceivedParts;
  recurring_runs: RecurringRuns;
  recurring_sends: RecurringSends;
  refused_requests: RefusedRequests;
  report_receivers: ReportReceivers;
  report_requests: ReportRequests;
  requested_messages: RequestedMessages;
  returned_letters: ReturnedLetters;
  sandbox_messages: SandboxMessages;
  send_windows: SendWindows;
  sending_domain_changes: SendingDomainChanges;
  sending_domain_checks: SendingDomainChecks;
  sending_domain_keys: SendingDomainKeys;
  sending_domain_records: SendingDomainRecords;
  sending_domains: SendingDomains;
  service_callback_api: ServiceCallbackApi;
  service_callback_api_history: ServiceCallbackApiHistory;
  service_callback_signing_secrets: ServiceCallbackSigningSecrets;
  service_callbacks: ServiceCallbacks;
  service_data_retention: ServiceDataRetention;
  service_email_reply_to: ServiceEmailReplyTo;
  service_guard: ServiceGuard;
  service_guest_list: ServiceGuestList;
  service_invites: ServiceInvites;
  service_join_requests: ServiceJoinRequests;
  service_letter_contacts: ServiceLetterContacts;
  service_members: ServiceMembers;
  service_sending_times: ServiceSendingTimes;
  service_sms_senders: ServiceSmsSenders;
  service_status_spans: ServiceStatusSpans;
  service_usage_spans: ServiceUsageSpans;
  services: Services;
  services_history: ServicesHistory;
  sessions: Sessions;
  single_sign_on_states: SingleSignOnStates;
  sms_opt_outs: SmsOptOuts;
  sms_rates: SmsRates;
  status_count_changes: StatusCountChanges;
  suppressed_recipients: SuppressedRecipients;
  task_runs: TaskRuns;
  template_drafts: TemplateDrafts;
  template_email_files: TemplateEmailFiles;
  template_email_files_history: TemplateEmailFilesHistory;
  template_folder_members: TemplateFolderMembers;
  template_folders: TemplateFolders;
  template_hidden_hints: TemplateHiddenHints;
  template_sending_times: TemplateSendingTimes;
  template_status_totals: TemplateStatusTotals;
  template_variants: TemplateVariants;
  templates: Templates;
  templates_history: TemplatesHistory;
  unconfirmed_files: UnconfirmedFiles;
  unfinished_messages: UnfinishedMessages;
  unsubscribe_reports: UnsubscribeReports;
  unsubscribe_requests: UnsubscribeRequests;
  upload_chunks: UploadChunks;
  uploaded_letters: UploadedLetters;
  uploads: Uploads;
  usage_changes: UsageChanges;
  user_identities: UserIdentities;
  users: Users;
  verify_codes: VerifyCodes;
  webauthn_challenges: WebauthnChallenges;
  webauthn_credentials: WebauthnCredentials;
  zone_changes: ZoneChanges;
}
