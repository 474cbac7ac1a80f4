import { beforeAll, describe, expect, it } from 'vitest';
import { someQueuedMessages } from '../../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

let service: string;
let list: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  await joinService(harness, service, id);
  list = `/console/services/${service}/messages`;
  browser = await signedIn(harness, id);
});

const recipientsIn = (html: string) =>
  [...html.matchAll(/<a href="[^"]*\/messages\/[0-9a-f-]{36}">(.*?)<\/a>/g)].map(([, text]) => text);

async function search(find: string, others: Record<string, string> = {}) {
  const posted = await browser.post(list, { find, ...others });
  return { address: posted.location ?? '', page: await browser.follow(posted) };
}

describe('GET /console/services/{id}/messages', () => {
  it('200 without messages', async () => {
    const page = await browser.get(list);
    expect([page.status, page.h1]).toEqual([200, 'Messages']);
    expect(page.text).toContain('No messages yet');
  });

  it('200 with the newest messages, how many there are and who sent them', async () => {
    await anApiKey(harness, service, { name: 'web' });
    const key = await harness.app.db.selectFrom('api_keys').select('id').executeTakeFirstOrThrow();
    const template_id = await aTemplate(harness, service, { name: 'Reminder' });
    const ofKey = { api_key_id: key.id, template_id };
    await someQueuedMessages(harness, service, [
      { recipient: '07700 900001', normalised_recipient: '447700900001', client_reference: 'LETTER-1', ...ofKey },
      { notification_type: 'email', recipient: 'ada@example.org', normalised_recipient: 'ada@example.org' },
      { recipient: '07700 900009', normalised_recipient: '447700900009', key_type: 'test', ...ofKey },
    ]);
    const page = await browser.get(list);
    expect(recipientsIn(page.text)).toEqual(['ada@example.org', '07700 900001']);
    expect(page.text).toContain('Key “web”');
    expect(page.text).toMatch(/Newest 2 of 2/);
    expect(page.text).toMatch(/Accepted/);
    expect(recipientsIn((await browser.get(`${list}?channel=sms`)).text)).toEqual(['07700 900001']);
    expect(recipientsIn((await browser.get(`${list}?status=failed`)).text)).toEqual([]);
    expect(recipientsIn((await browser.get(`${list}?from=test-key`)).text)).toEqual(['07700 900009']);
    expect(recipientsIn((await browser.get(`${list}?from=key`)).text)).toEqual(['07700 900001']);
  });

  it('finds by recipient, reference, template and day, with nothing of it in an address', async () => {
    for (const [find, found] of [
      ['07700 900001', ['07700 900001']],
      ['to:+447700900001', ['07700 900001']],
      ['ref:LETTER-1', ['07700 900001']],
      ['letter-1', ['07700 900001']],
      ['template:remind', ['07700 900001']],
      ['template:unknown', []],
      ['to:900001 status:failed', []],
      ['after:today', ['ada@example.org', '07700 900001']],
      ['before:today', []],
    ] as const) {
      const { address, page } = await search(find);
      expect([find, recipientsIn(page.text)]).toEqual([find, found]);
      expect(address).not.toMatch(/900001|letter-1|remind/i);
      expect(page.text).toContain('Show all');
    }
    const other = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    const { address } = await search('ref:LETTER-1');
    expect((await other.get(address)).text).not.toContain('value="ref:LETTER-1"');
  });

  it('400 for an operator that is wrong, and keeps what was typed', async () => {
    const page = await browser.post(list, { find: 'status:lost "x', channel: 'sms' });
    expect(page.status).toBe(400);
    expect(page.problems.find).toContain('“lost” is not a status.');
    expect(page.text).toContain('value="status:lost &quot;x"');
  });

  it('has 50 messages on a page, and links to the older and newer ones', async () => {
    const other = await aService(harness, { created_by_id: (await aPerson(harness)).id });
    const asAdmin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    await someQueuedMessages(
      harness,
      other,
      Array.from({ length: 120 }, (_, index) => ({ recipient: `n${index}`, normalised_recipient: `n${index}` })),
    );
    const link = (html: string, rel: string) =>
      new RegExp(`href="([^"]+)" rel="${rel}"`).exec(html)?.[1]?.replaceAll('&amp;', '&');
    const first = await asAdmin.get(`/console/services/${other}/messages`);
    expect([recipientsIn(first.text).length, recipientsIn(first.text)[0]]).toEqual([50, 'n119']);
    expect(first.text).toContain('Newest 50 of 120');
    expect(Buffer.byteLength(first.text)).toBeLessThan(40_000);
    expect(link(first.text, 'prev')).toBeUndefined();
    const second = await asAdmin.get(link(first.text, 'next') ?? '');
    expect([recipientsIn(second.text)[0], recipientsIn(second.text).at(-1)]).toEqual(['n69', 'n20']);
    const third = await asAdmin.get(link(second.text, 'next') ?? '');
    expect(recipientsIn(third.text)).toHaveLength(20);
    expect(link(third.text, 'next')).toBeUndefined();
    const back = await asAdmin.get(link(third.text, 'prev') ?? '');
    expect(recipientsIn(back.text)).toEqual(recipientsIn(second.text));
  });

  it('leaves out what is no longer kept', async () => {
    const moment = new Date('2026-11-07T23:00:00Z');
    await someQueuedMessages(harness, service, [
      { id: newId(moment), recipient: '07700 900777', created_at: moment.toISOString() },
    ]);
    expect((await browser.get(list)).text).not.toContain('07700 900777');
    await harness.admin('POST', `/service/${service}/data-retention`, {
      notification_type: 'sms',
      days_of_retention: 9,
    });
    expect((await browser.get(list)).text).toContain('07700 900777');
  });
});

describe('GET /console/services/{id}/messages/list', () => {
  it('200 with the rows alone, then 304 until something changes', async () => {
    const fragment = await browser.get(`${list}/list`);
    expect(fragment.text).toMatch(/^<div data-live/);
    const unchanged = await browser.get(`${list}/list`, { 'if-none-match': String(fragment.headers.etag) });
    expect(unchanged.status).toBe(304);
  });
});

describe('GET /console/services/{id}/messages/csv', () => {
  it('200 with every message that matches', async () => {
    const { address } = await search('ref:LETTER-1');
    const page = await browser.get(address.replace('/messages?', '/messages/csv?'));
    expect(page.headers['content-type']).toBe('text/csv; charset=utf-8');
    expect(page.text.split('\r\n')).toEqual([
      'Recipient,Reference,Template,Type,Sent by,Sent by email,Job,Status,Time,API key name',
      '07700 900001,LETTER-1,Reminder,sms,,,,Sending,2026-11-15 12:00:00,web',
      '',
    ]);
  });
});
