import { beforeAll, describe, expect, it } from 'vitest';
import { aLetter } from '../../../../test/kit/builders/letters.ts';
import { aQueuedMessage } from '../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { letterReference } from '../../../letters/print/print-provider.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let operator: ConsoleVisitor;
let looker: ConsoleVisitor;
let service: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'Parking permits' });
  operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  looker = await signedIn(harness, (await aPerson(harness, { read_only_operator: true })).id);
});

describe('rates', () => {
  const rates = '/console/operator/rates';

  it('are added from a day on, and listed', async () => {
    const text = await operator.post(`${rates}/new-text`, { rate: '0.0314', valid_from: '2027-04-01' });
    expect(text.status).toBe(303);
    const letter = { post_class: 'first', sheet_count: '2', rate: '£1.25', start_date: '2027-04-01' };
    expect((await operator.post(`${rates}/new-letter`, letter)).status).toBe(303);
    const page = await operator.get(rates);
    expect(page.text).toMatch(/1 Apr 2027.*From then on.*3\.14p/s);
    expect(page.text).toContain('£1.25');
    expect((await operator.post(`${rates}/new-text`, { rate: '0.1', valid_from: '2027-04-01' })).problems).toEqual({
      valid_from: 'Enter another date. There is already a rate from this one.',
    });
  });

  it('400 for what is no price or no day', async () => {
    const wrong = await operator.post(`${rates}/new-text`, { rate: '2 pence', valid_from: '2027-05-01' });
    expect(wrong.problems).toEqual({ rate: 'Enter pounds, such as 0.0227, at most 1,000.' });
    const day = await operator.post(`${rates}/new-text`, { rate: '0.02', valid_from: '1.5.2027' });
    expect(Object.keys(day.problems)).toEqual(['valid_from']);
    const sheets = { post_class: 'first', sheet_count: '0', rate: '1', start_date: '2027-05-01' };
    expect(Object.keys((await operator.post(`${rates}/new-letter`, sheets)).problems)).toEqual(['sheet_count']);
  });
});

describe('inbound numbers', () => {
  const numbers = '/console/operator/inbound-numbers';

  it('are added, assigned by the name of a service, and released', async () => {
    expect((await operator.post(`${numbers}/new`, { number: '447900900077', provider: 'sandbox' })).status).toBe(303);
    expect((await operator.post(`${numbers}/new`, { number: '447900900077', provider: 'sandbox' })).problems).toEqual({
      number: 'Inbound number already exists',
    });
    expect((await operator.post(`${numbers}/new`, { number: 'none', provider: 'sandbox' })).status).toBe(400);
    const list = async () => (await harness.admin('GET', '/inbound-number')).body.data;
    const { id } = (await list()).find(({ number }: { number: string }) => number === '447900900077');
    const assign = (name: string) => operator.post(`${numbers}/${id}/assign`, { service: name });
    expect((await assign('Nobody')).problems).toEqual({
      service: 'No service has this name. Enter the whole name or the id.',
    });
    expect((await assign('parking permits')).status).toBe(303);
    expect((await harness.admin('GET', `/service/${service}`)).body.data.permissions).toContain('inbound_sms');
    expect((await looker.get(numbers)).text).toContain('Parking permits');
    expect((await looker.post(`${numbers}/${id}/release`)).status).toBe(403);
    expect((await operator.post(`${numbers}/${id}/release`)).status).toBe(303);
    expect((await list()).find((number: { id: string }) => number.id === id).service).toBeNull();
    expect((await operator.post(`${numbers}/${newId(new Date())}/release`)).status).toBe(404);
  });
});

describe('returned letters', () => {
  it('are reported by their references, once; a wrong one reports nothing', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const letter = await aLetter(harness, service, template);
    await harness.runTasks();
    harness.clock.set('2026-11-16T17:30:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    harness.clock.set('2026-11-16T12:00:00Z');
    const url = '/console/operator/returned-letters';
    const reference = letterReference(letter);
    const wrong = await operator.post(url, { references: `${reference}\nnonsense` });
    expect(wrong.problems).toEqual({
      references: '“nonsense” is not a reference. Correct it and try again. We have not reported any letters.',
    });
    const unknown = 'A'.repeat(16);
    const done = await operator.follow(await operator.post(url, { references: `${reference}, ${unknown}` }));
    expect(done.text).toContain('1 of 2 letters reported as returned. The others are unknown');
    const [{ returned_letter_count }] = (await harness.admin('GET', `/service/${service}/returned-letter-summary`))
      .body;
    expect(returned_letter_count).toBe(1);
    expect((await looker.get(url)).status).toBe(403);
  });
});

describe('reports', () => {
  const reports = '/console/operator/reports';
  const names = [
    'daily-volumes',
    'text-providers',
    'volumes-by-service',
    'services-by-status',
    'billing',
    'printer-billing',
    'live-services',
    'users',
  ];

  it('all have a page and a CSV file', async () => {
    await aQueuedMessage(harness, service, { notification_type: 'email' });
    await aQueuedMessage(harness, service);
    await harness.deliver();
    for (const name of names) {
      const page = await looker.get(`${reports}/${name}`);
      expect([name, page.status]).toEqual([name, 200]);
      const csv = await looker.get(`${reports}/${name}/csv`);
      expect([name, csv.status, csv.headers['content-type']]).toEqual([name, 200, 'text/csv; charset=utf-8']);
    }
    const days = await looker.get(`${reports}/daily-volumes?start=2026-11-01&end=2026-11-16`);
    expect(days.text).toMatch(/The busiest day was 2026-11-16, with 3\./);
    const csv = await looker.get(`${reports}/daily-volumes/csv?start=2026-11-16&end=2026-11-16`);
    expect(csv.text).toContain('2026-11-16,1,1,1,1,1,1');
  });

  it.each([
    ['daily-volumes', 'start=2026-11-16&end=2026-11-15', 'Enter a first day that is not after the last day.'],
    ['daily-volumes', 'start=x&end=', 'Enter both days as year, month and day, for example 2026-11-15.'],
    ['billing', 'start=2026-03-01&end=2026-05-01', 'Enter days in one financial year, April to March.'],
  ])('%s with %s says what is wrong', async (name, query, text) => {
    const page = await looker.get(`${reports}/${name}?${query}`);
    expect([page.status, page.text.includes(text)]).toEqual([200, true]);
    expect((await looker.get(`${reports}/${name}/csv?${query}`)).status).toBe(404);
  });

  it('404 for another name', async () => {
    expect((await looker.get(`${reports}/nonsense`)).status).toBe(404);
  });
});
