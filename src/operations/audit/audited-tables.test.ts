import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { surfaces } from '../../routes.ts';
import { auditNouns } from './audit-entry.ts';

const harness = useHarness();

/** Tables whose changes have no entries, and why. Every other table needs a trigger, in the migration that adds it. */
const notAudited = new Map([
  [
    'accepting',
    'messages: notifications, daily_message_counts, annual_counts, limit_notices, rate_windows, idempotency_keys, unfinished_messages, held_messages, recurring_runs, plan_messages, plan_steps',
  ],
  [
    'queues',
    'delivery_queue, delivery_sweeps, provider_slots, queue_workers, report_receivers, service_callbacks, task_runs, failed_attempts, plan_step_changes, unconfirmed_files',
  ],
  [
    'counting',
    'daily_despatches, daily_processing_time, daily_status_counts, daily_usage, domain_mail_changes, domain_refusals, domain_volumes, email_outcomes, email_outcome_changes, job_status_counts, plan_outcomes, plan_outcome_changes, platform_status_totals, platform_usage_totals, service_status_spans, service_usage_spans, status_count_changes, template_status_totals, usage_changes',
  ],
  [
    'what arrives from outside or follows from a message',
    'api_key_uses, attachments, keyword_replies, complaints, documents, document_attempts, inbound_sms, received_parts, letter_despatches, letter_files, message_parts, message_traces, printed_letters, provider_health, provider_health_changes, provider_slots, refused_requests, sandbox_messages, sending_domain_checks, sending_domain_changes, unsubscribe_requests, uploaded_letters',
  ],
  [
    'copies of what is audited',
    'api_keys_history, channel_plan_versions, provider_details_history, service_callback_api_history, services_history, template_email_files_history, templates_history',
  ],
  ['recorded with the template, by the rule that changes them', 'template_variants'],
  ['rows of recipients, whose file or list is audited', 'upload_chunks'],
  ['written by a start or a command, which records what it changed', 'installation, zone_changes'],
  ['not saved yet', 'template_drafts'],
  ['what a person has opened or dismissed, which changes nothing for others', 'console_marks'],
  [
    'codes and tries of a sign-in',
    'verify_codes, webauthn_challenges, single_sign_on_states, password_guesses, requested_messages',
  ],
  ['logs themselves', 'audit_log, events'],
]);

it('every table is audited, or the list says why not', async () => {
  const { rows } = await sql<{ name: string; triggers: string[] }>`
    select c.relname as name, array(select tgname::text from pg_trigger where tgrelid = c.oid and tgname like 'audit%') as triggers
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname <> 'schema_migrations'
    order by 1`.execute(harness.app.db);
  const excluded = new Set([...notAudited.values()].flatMap((names) => names.match(/\w+/g) ?? []));
  expect(rows.filter(({ triggers }) => triggers.length === 0).map(({ name }) => name)).toEqual(
    rows.map(({ name }) => name).filter((name) => excluded.has(name)),
  );
});

it('the list of nouns is that of the triggers and of what rules record themselves', async () => {
  const { rows } = await sql<{ noun: string }>`
    select distinct convert_from(split_part(encode(tgargs, 'escape'), '\\000', 1)::bytea, 'utf8') as noun
    from pg_trigger where tgname like 'audit%' order by 1`.execute(harness.app.db);
  const recorded = [
    ...['callback', 'inbound_text', 'installation', 'notification', 'plan_message', 'provider_test', 'recipient'],
  ];
  expect([...rows.map(({ noun }) => noun), ...recorded].sort()).toEqual([...auditNouns]);
});

it('every surface on which people or admin clients change something names who acts', () => {
  const nameless = surfaces.filter(({ actor }) => !actor).map(({ name }) => name);
  expect(nameless).toEqual([
    'platform-stats',
    'v2',
    'callbacks',
    'printer',
    'open',
    'pages',
    'unsubscribe',
    'operations',
  ]);
});

it('no column that is not recorded elsewhere is readable in an entry', async () => {
  const { rows } = await sql<{ name: string }>`
    select distinct c.table_name || '.' || c.column_name as name
    from information_schema.columns c join pg_trigger t on t.tgrelid = c.table_name::regclass and t.tgname = 'audit'
    where c.table_schema = 'public' and c.column_name ~ '(recipient|personalisation|secret|password|token|hash|key$|code$|credential)'
      and audited_value(c.column_name, '"x"', split_part(encode(t.tgargs, 'escape'), '\\000', 3)::text[]) <> '"[not recorded]"' order by 1`.execute(
    harness.app.db,
  );
  expect(rows.map(({ name }) => name)).toEqual([
    'template_email_files.filename_key',
    'templates.redact_personalisation',
  ]);
});
