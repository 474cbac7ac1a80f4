import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { ca } from '../src/countries/ca.ts';
import { createCountry } from '../src/countries/country.ts';
import { describeStatus } from '../src/notifications/history/public-notification.ts';
import type { Channel } from '../src/protocol/channels.ts';
import { checkPhonePermissions, parsePhoneNumber } from '../src/recipients/phone-number.ts';
import { jwt } from './kit/builders/jwt.ts';
import { anApiKey, aService, aTemplate } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';
import { casesOf } from './kit/vectors.ts';

interface Expected {
  status?: number;
  errors?: { error: string; message?: string }[];
  message_begins?: string;
  then?: Record<string, number | object>;
  body?: { keys?: string[]; content_keys?: string[] } & Record<string, unknown>;
  content_type?: string;
  keys?: string[];
}

interface Case {
  id: string;
  what: string;
  request?: { method: 'GET' | 'POST'; path: string; authorization?: string | null; body?: unknown };
  headers?: Record<string, string>;
  setup?: Record<string, unknown>;
  number?: string;
  notification?: { type: Channel; status: string; feedback_subtype?: string | null; feedback_reason?: string | null };
  gc: Expected & Record<string, unknown>;
  pennypost: 'same' | (Expected & Record<string, unknown>);
}

const read = (area: string) => casesOf<Case>(`gc/${area}.json`);

const expectedOf = ({ gc, pennypost }: Case) => (pennypost === 'same' ? gc : pennypost);

const now = '2026-11-16T12:00:00Z';
const harness = useHarness({ now, country: ca });

const requests = ['auth', 'send', 'bulk', 'status', 'other']
  .flatMap(read)
  .filter((one) => one.request && !(one.pennypost !== 'same' && 'note' in one.pennypost));

describe('requests of GC Notify', () => {
  it.each(requests.map((one) => [one.id, one.what, one] as const))('%s: %s', async (_id, _what, one) => {
    const { request, setup = {} } = one;
    if (!request) throw new Error('A case without a request');
    const fill = await aWorld(setup);
    const text = JSON.stringify(await fill(request));
    const { method, path, authorization, body } = JSON.parse(text);
    const sent =
      authorization === undefined
        ? (await fill({ as: 'ApiKey-v1 gcntfy-{key_name}-{service}-{secret}' })).as
        : authorization;
    const headers = { ...(sent === null ? {} : { authorization: sent }), ...one.headers };
    const times = setup.already_sent || setup.already_requested ? 2 : 1;
    let response = await harness.request({ method, url: path, headers, body });
    for (let time = 1; time < times; time++) response = await harness.request({ method, url: path, headers, body });
    const expected = (await fill(expectedOf(one))) as Expected;
    const { status, errors } = expected;
    if (status !== undefined && status < 400) expect(response.body?.errors ?? []).toEqual([]);
    if (status !== undefined) expect(response.status).toBe(status);
    if (errors) expect(response.body.errors).toMatchObject(errors);
    if (expected.message_begins) expect(response.body.errors[0].message.startsWith(expected.message_begins)).toBe(true);
    if (expected.content_type) expect(response.headers['content-type']).toContain(expected.content_type);
    if (expected.keys) expect(Object.keys(response.body)).toEqual(expect.arrayContaining(expected.keys));
    const { keys, content_keys, ...fields } = expected.body ?? {};
    if (keys) expect(Object.keys(response.body)).toEqual(expect.arrayContaining(keys));
    if (content_keys) expect(Object.keys(response.body.content)).toEqual(expect.arrayContaining(content_keys));
    expect(response.body ?? {}).toMatchObject(fields);
    for (const [what, then] of Object.entries(expected.then ?? {})) {
      await harness.deliver();
      const url = what.replace('GET ', '').replace('{id}', response.body.id);
      const later = await harness.request({ method: 'GET', url, headers });
      if (typeof then === 'number') expect(later.status).toBe(then);
      else expect(later.body).toMatchObject(then);
    }
  });
});

/** A service as the case asks for it. Returns what fills the words in braces. */
async function aWorld(setup: Record<string, unknown>) {
  const { key_type = 'normal', already_sent: _sent, already_requested: _requested, ...fields } = setup;
  const service = await aService(harness, { name: `Service ${randomUUID()}`, ...fields } as Parameters<
    typeof aService
  >[1]);
  const guests = ['+16132532299', 'member@example.ca'];
  const values: Record<string, string> = {
    key_name: 'name',
    service,
    random_uuid: randomUUID(),
    member_number: guests[0] ?? '',
    member_address: guests[1] ?? '',
    limit: String(Object.entries(fields).find(([name]) => name.endsWith('_limit'))?.[1] ?? ''),
  };
  await harness.admin('PUT', `/service/${service}/guest-list`, {
    phone_numbers: [guests[0]],
    email_addresses: [guests[1]],
  });
  const secretOf = async (name: string, type: 'normal' | 'team' | 'test', of = service) =>
    (await anApiKey(harness, of, { name, key_type: type })).slice(-36);
  values.secret = await secretOf('live', key_type as 'normal');
  values.team_secret = await secretOf('team', 'team');
  values.test_secret = await secretOf('test', 'test');
  values.revoked_secret = await secretOf('revoked', 'normal');
  const { apiKeys } = (await harness.admin('GET', `/service/${service}/api-keys`)).body;
  const revoked = apiKeys.find(({ name }: { name: string }) => name === 'revoked');
  await harness.admin('POST', `/service/${service}/api-key/revoke/${revoked.id}`);
  values.archived_service = await aService(harness);
  values.archived_secret = await secretOf('old', 'normal', values.archived_service);
  await harness.admin('POST', `/service/${values.archived_service}/archive`);
  // `a*612` is a text of 612 letters.
  const text = (content: string) =>
    aTemplate(harness, service, {
      content: content.replace(/^(.)\*(\d+)$/, (_all, letter: string, times: string) => letter.repeat(Number(times))),
    });
  const email = (content: string, of = service) =>
    aTemplate(harness, of, { template_type: 'email', subject: 'Subject', content });
  values.sms_template = await text('Hello');
  values.email_template = await email('Hello');
  values.other_template = await email('Hello', await aService(harness));
  const sent = await harness.request({
    method: 'POST',
    url: '/v2/notifications/email',
    headers: { authorization: `ApiKey-v1 x-${service}-${values.test_secret}` },
    body: { email_address: 'a@example.ca', template_id: values.email_template },
  });
  values.notification = sent.body.id ?? '';
  const seconds = Date.parse(now) / 1000;
  const made = async (word: string): Promise<string> => {
    const [kind, content] = word.split(/:(.*)/s);
    if (content !== undefined && (kind === 'template' || kind === 'sms')) {
      values.template = kind === 'sms' ? await text(content) : await email(content);
      return values.template;
    }
    if (word.startsWith('now+'))
      return new Date(Date.parse(now) + Number.parseInt(word.slice(4), 10) * 3_600_000).toISOString();
    if (word.startsWith('jwt')) {
      const [, option = ''] = word.split(':');
      const [name, value] = option.split('=');
      const claims = {
        iss: name === 'iss' ? value : name === 'no_iss' ? undefined : service,
        iat: seconds + (name === 'iat' ? Number(value) : 0),
      };
      return jwt(claims, values.secret ?? '', option === 'HS512' ? { alg: 'HS512' } : {});
    }
    return values[word] ?? `{${word}}`;
  };
  return async <Value>(value: Value): Promise<Value> => {
    let json = JSON.stringify(value);
    for (const [whole, word] of json.matchAll(/\{([a-z_]+(?:[:+][^{}"]*)?)\}/g)) {
      json = json.replace(whole, await made(word ?? ''));
    }
    return JSON.parse(json);
  };
}

const numbers = read('phone');
const { phoneOfGcClients } = createCountry(ca);

describe('numbers of GC Notify', () => {
  it.each(numbers.map((one) => [one.id, one.number ?? '', expectedOf(one)] as const))(
    '%s: %j',
    (_id, text, expected) => {
      const result = parsePhoneNumber(phoneOfGcClients, text);
      // What a request says of a wrong number is in the tests of requests.
      const isUnsold = result.ok && result.number.countryPrefix === '249';
      if ('error' in expected) return expect(result.ok && !isUnsold).toBe(false);
      if (!result.ok) throw new Error(result.reason);
      expect(`+${result.number.normalised}`).toBe(expected.normalised);
      const reason = checkPhonePermissions(result.number, { international: false, landline: false });
      expect(reason !== undefined).toBe(expected.needs_permission ?? expected.international);
    },
  );
});

const described = read('status').filter(({ notification }) => notification);

describe('descriptions of statuses', () => {
  it.each(described.map((one) => [one.id, one.what, one] as const))('%s: %s', (_id, _what, one) => {
    const { type, status, feedback_subtype, feedback_reason } = one.notification ?? { type: 'sms', status: '' };
    const reason = feedback_reason ?? feedback_subtype ?? null;
    expect(describeStatus(type, status, reason)).toBe(expectedOf(one).status_description);
  });
});
