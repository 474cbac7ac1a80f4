import { beforeAll, describe, expect, it } from 'vitest';
import type { KeyType } from '../src/protocol/key-types.ts';
import { aPlan, planRecipient } from './kit/builders/plans.ts';
import { anApiKey, aService, aTemplate } from './kit/builders/rows.ts';
import { useHarness } from './kit/harness.ts';

/**
 * Requests every object that a route of the API names, with keys of another type and of another service. Routes come from the API document:
 * a parameter without a sample fails.
 */

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

/** An object by the parameter that names it, and how the owner reads it. */
type Samples = Record<string, string>;

const types: KeyType[] = ['normal', 'team', 'test'];
/**
 * Templates and reports belong to the service: keys with the right to request reports read all of them. By the contract, every key reads any
 * message by its id.
 */
const ofService = [/^\/v2\/(manage-)?template\//, /^\/v2\/reports\//, /^\/v2\/notifications\/\{notification_id\}/];

let service: string;
const keys = new Map<KeyType, string>();
/** Of each type, the objects that its key has made. */
const owned = new Map<KeyType, Samples>();
let stranger: string;

beforeAll(async () => {
  service = await aService(harness);
  for (const key_type of types)
    keys.set(key_type, await anApiKey(harness, service, { key_type, manage_reports: true }));
  const rights = { manage_reports: true, manage_templates: true };
  stranger = await anApiKey(harness, await aService(harness), rights);
  const id = await aTemplate(harness, service, { content: 'Hello ((name))' });
  const letter = await aTemplate(harness, service, { template_type: 'letter', content: 'Hello' });
  const plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }]);
  await harness.admin('PUT', `/service/${service}/guest-list`, {
    ...{ email_addresses: [planRecipient.email_address], phone_numbers: ['07700900123'] },
  });
  for (const [key_type, key] of keys) {
    const make = async (url: string, body: object) => {
      const made = await harness.v2('POST', url, key, body);
      if (made.status >= 300) throw new Error(`${url} with a ${key_type} key: ${made.status} ${made.text}`);
      return made.body;
    };
    const personalisation = { name: 'Ada' };
    const bulk = {
      name: 'People',
      template_id: id,
      rows: [
        ['phone number', 'name'],
        ['07700900123', 'Ada'],
      ],
    };
    const late = '2026-11-16T20:00:00Z';
    const address = { thing: 'x', address_line_1: 'Ada', address_line_2: '1 High Street', postcode: 'SW1A 1AA' };
    const sms = { phone_number: '07700900123', template_id: id, personalisation };
    const notification_id = (await make('/v2/notifications/sms', sms)).id;
    owned.set(key_type, {
      ...{ id, version: '1', notification_id },
      letter_id:
        key_type === 'team'
          ? notification_id
          : (await make('/v2/notifications/letter', { template_id: letter, personalisation: address })).id,
      job_id: (await make('/v2/notifications/bulk', { ...bulk, scheduled_for: late })).data.id,
      message_id: (
        await make('/v2/messages', { plan_id, recipient: planRecipient, personalisation, scheduled_for: late })
      ).id,
      report_id: (await make('/v2/reports', { report_type: 'sms', language: 'en' })).report_id,
    });
  }
  await harness.runTasks();
});

interface Operation {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  path: string;
}

/** Operations with an API key, with or without an object in the path. */
function operations(namesObject: boolean): Operation[] {
  const { paths } = harness.http.swagger() as { paths: Record<string, Record<string, { security?: object[] }>> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, { security = [] }]) => security.some((one) => 'api_key' in one))
      .filter(() => path.includes('{') === namesObject)
      .map(([method]) => ({ method: method.toUpperCase() as Operation['method'], path })),
  );
}

function urlOf(path: string, samples: Samples): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = samples[path.endsWith('/pdf') ? 'letter_id' : name];
    if (value === undefined) throw new Error(`${path}: say what ${name} is`);
    return value;
  });
}

/** Valid for every operation that takes a body. */
const body = ({ method, path }: Operation) =>
  method === 'GET' || method === 'DELETE'
    ? undefined
    : path.endsWith('/preview')
      ? { personalisation: { name: 'x' } }
      : {};

const send = (operation: Operation, samples: Samples, key: string) =>
  harness.v2(operation.method, urlOf(operation.path, samples), key, body(operation));

/** Everything that the owners read. Reading is a use of the key. */
async function readAll(): Promise<string[]> {
  const texts: string[] = [];
  for (const [key_type, samples] of owned) {
    for (const operation of operations(true).filter(({ method }) => method === 'GET')) {
      const { status, text } = await send(operation, samples, keys.get(key_type) ?? '');
      texts.push(`${operation.path} ${key_type} ${status} ${text}`);
    }
  }
  return texts;
}

describe('an object that a route of the API names', () => {
  it('is not found with a key of another type or service, and does not change', async () => {
    const before = await readAll();
    const found = before.filter((text) => / 200 /.test(text));
    expect(found.length).toBeGreaterThan(20);
    const wrong: string[] = [];
    for (const [key_type, samples] of owned) {
      for (const operation of operations(true)) {
        // By the contract, a template of another service is 403.
        const isTemplate = operation.path.startsWith('/v2/template/');
        const isOfService = ofService.some((path) => path.test(operation.path));
        for (const [other, key] of [...keys, ['stranger', stranger]] as const) {
          if (other === key_type) continue;
          const { status } = await send(operation, samples, key);
          const isRight =
            isOfService && other !== 'stranger' ? status < 500 : status === 404 || (isTemplate && status === 403);
          if (!isRight) wrong.push(`${operation.method} ${operation.path} of ${key_type} with ${other}: ${status}`);
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(await readAll()).toEqual(before);
  });

  it('is in no list of a key of another type or service', async () => {
    const wrong: string[] = [];
    for (const operation of operations(false).filter(({ method }) => method === 'GET')) {
      for (const [other, key] of [...keys, ['stranger', stranger]] as const) {
        const { text } = await send(operation, {}, key);
        for (const [key_type, { id: _, version: __, report_id, ...samples }] of owned) {
          if (other === key_type) continue;
          if (other === 'stranger' && report_id && text.includes(report_id))
            wrong.push(`${operation.path} shows a report`);
          const shown = Object.entries(samples).find(([, id]) => text.includes(id));
          if (shown) wrong.push(`${operation.path} shows ${shown[0]} of ${key_type} to ${other}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});
