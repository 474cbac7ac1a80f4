import { describe, expect, it } from 'vitest';
import type { RecipientsCase } from '../../../test/kit/builders/bulk-vectors.ts';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { casesOf } from '../../../test/kit/vectors.ts';
import type { Channel } from '../../protocol/channels.ts';

interface RequestCase {
  id: string;
  kind: string;
  about: string;
  quirk?: boolean;
  now: string;
  body: Record<string, unknown>;
  template?: { type: Channel; content: string };
  limits?: {
    max_rows?: number;
    remaining_today?: number;
    known_recipients?: string[];
    key_type?: 'team';
    trial?: boolean;
  };
  expected: {
    status_code: number;
    errors?: { error: string; message: string }[];
    notification_count?: number;
    job_status?: string;
  };
}

/** Cases that this product answers differently on purpose. */
const decidedOtherwise = new Set([
  // An unknown template is a 404, and a channel that is not allowed a 403, as in single sends.
  'bulk-api-048',
  'bulk-api-050',
  // Archived services are refused by authentication.
  'bulk-api-051',
  // There are no annual limits.
  'bulk-api-055',
]);

/** Cases of files that this product reads differently on purpose; see the test of the spreadsheet reader. */
const readOtherwise = new Set(['bulk-206', 'bulk-329']);

const harness = useHarness({ now: '2026-11-15T10:05:00Z' });
const cases = casesOf<{ id: string; kind: string; quirk?: boolean }>('bulk/bulk-vectors.json');

describe('POST /v2/notifications/bulk', () => {
  const requests = cases.filter(
    ({ kind, quirk, id }) => kind === 'v2-bulk-request' && !quirk && !decidedOtherwise.has(id),
  );
  it.each(requests as RequestCase[])('$id $about', async ({ now, body, template, limits = {}, expected }) => {
    harness.clock.set(now);
    const service = await aService(harness, {
      restricted: limits.trial ?? false,
      ...(limits.remaining_today === undefined ? {} : { email_message_limit: limits.remaining_today }),
    });
    await addGuests(service, limits.known_recipients ?? []);
    const { type: template_type = 'email', content = 'Hello' } = template ?? {};
    const template_id = await aTemplate(harness, service, {
      template_type,
      content,
      subject: template_type === 'sms' ? null : 'Hello',
    });
    const key = await anApiKey(harness, service, { key_type: limits.key_type ?? 'normal' });
    const caller = limits.max_rows ? await harness.anotherProcess({ bulk: { maxRows: limits.max_rows } }) : harness;
    const sent = { ...body, ...('template_id' in body ? { template_id } : {}) };
    const response = await caller.v2('POST', '/v2/notifications/bulk', key, sent);
    expect(response.status).toBe(expected.status_code);
    if (expected.errors) {
      const errors = expected.errors.map(({ error, message }) => ({
        error,
        message: fromOne(message).replace('{service_id}', service),
      }));
      expect(response.body).toEqual({ status_code: expected.status_code, errors });
      expect(await storedOf(service)).toEqual({ uploads: 0, jobs: 0 });
    } else {
      const { notification_count, job_status } = expected;
      expect(response.body.data).toMatchObject({ notification_count, job_status });
      expect(await storedOf(service)).toEqual({ uploads: 1, jobs: 1 });
    }
  });
});

describe('POST /v2/notifications/bulk as text/csv', () => {
  const files = cases.filter(({ kind, quirk, id }) => kind === 'recipients' && !quirk && !readOtherwise.has(id));
  // Files of megabytes, numbers that are not checked, and limits below those of a service are tested elsewhere.
  const isApplicable = ({ csv, options = {} }: RecipientsCase) =>
    csv !== undefined &&
    csv.length < 100_000 &&
    options.validate_phone_number !== false &&
    options.max_rows === undefined &&
    options.remaining_international_sms === undefined;
  it.each((files as RecipientsCase[]).filter(isApplicable))('$id $about', async (example) => {
    const { options = {}, expected, template_type, content, subject, csv } = example;
    harness.clock.set('2026-11-15T10:05:00Z');
    const guests = (options.guest_list as string[] | undefined) ?? [];
    const limit = options.remaining_messages as number | undefined;
    // A number that no file has.
    const created_by_id = await aUser(harness, { mobile_number: '07700900999' });
    const service = await aService(harness, {
      created_by_id,
      restricted: guests.length > 0 && template_type !== 'letter',
      permissions: [
        ...['sms', 'email', 'letter'],
        ...(options.allow_international_sms ? ['international_sms'] : []),
        ...(options.allow_sms_to_uk_landline ? ['sms_to_uk_landlines'] : []),
        ...(options.allow_international_letters ? ['international_letters'] : []),
      ],
      international_sms_message_limit: 100_000,
      ...(limit === undefined ? {} : { [`${template_type}_message_limit`]: Math.max(0, limit) }),
    });
    await addGuests(service, guests);
    const template_id = await aTemplate(harness, service, {
      template_type,
      content,
      subject: subject ?? (template_type === 'sms' ? null : 'Hi'),
    });
    const key = await anApiKey(harness, service);
    const response = await harness.request({
      method: 'POST',
      url: `/v2/notifications/bulk?${new URLSearchParams({ template_id, name: 'list.csv' })}`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
      payload: csv ?? '',
    });
    const text = response.status === 201 ? null : response.body.errors[0].message;
    expect([response.status, text]).toEqual([expected.has_errors || expected.row_count === 0 ? 400 : 201, text]);
    expect(text ?? '').toMatch(textOf(example, text ?? ''));
    expect(await storedOf(service)).toEqual(text === null ? { uploads: 1, jobs: 1 } : { uploads: 0, jobs: 0 });
    if (text === null) expect(response.body.data.notification_count).toBe(expected.row_count);
  });
});

/** The first problem in the order of the API, which differs from that of pages. */
function textOf({ expected, options = {} }: RecipientsCase, text: string): RegExp {
  const { missing_column_headers: missing, duplicate_recipient_column_headers: duplicates } = expected;
  const limit = options.remaining_messages as number | undefined;
  if (!expected.has_errors && expected.row_count > 0) return /^$/;
  if (text === 'There must be at least one row') return expected.row_count === 0 ? /./ : /never/;
  if (missing.length > 0 || !expected.has_recipient_columns) return /^Missing column headers: /;
  if (duplicates.length > 0) return /^Duplicate column headers: /;
  if (limit !== undefined && expected.row_count > limit) return /^You only have/;
  if (expected.first_problem === 'not-allowed-to-send-to') return /^You cannot send to these recipients/;
  const first = (expected.rows_with_errors[0] ?? 0) + 1;
  return new RegExp(
    `^(Some rows have errors. Row ${first} - |Row \\d+ - has a character count|You cannot send to these)`,
  );
}

async function addGuests(service_id: string, recipients: string[]): Promise<void> {
  if (recipients.length === 0) return;
  const rows = recipients.map((recipient, position) => ({
    service_id,
    recipient,
    position,
    recipient_type: recipient.includes('@') ? ('email' as const) : ('mobile' as const),
  }));
  await harness.app.db.insertInto('service_guest_list').values(rows).execute();
  harness.app.changeListener.reset();
}

async function storedOf(service: string) {
  const count = async (table: 'uploads' | 'jobs') =>
    (await harness.app.db.selectFrom(table).select('id').where('service_id', '=', service).execute()).length;
  return { uploads: await count('uploads'), jobs: await count('jobs') };
}

/** The examples count rows from 0. */
function fromOne(message: string): string {
  return message.replace(/Row (\d+) - `/g, (_match, row: string) => `Row ${Number(row) + 1} - \``);
}
