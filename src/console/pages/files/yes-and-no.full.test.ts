import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { nl } from '../../../countries/nl.ts';
import { getInboxMessage } from '../../../delivery/sandbox/inbox.ts';

const now = '2026-11-16T12:00:00Z';
const abroad = useHarness({ now, country: nl });
const here = useHarness({ now });

const content = 'Tot vrijdag. ((parkeren??Gratis parkeren.))';
const numbers = ['0612345678', '0612345679', '0612345670'];

interface Team {
  service: string;
  template: string;
  browser: ConsoleVisitor;
  /** Uploads a file with these values, and opens its check. */
  check(...values: string[]): Promise<{ text: string; path: string }>;
}

async function aTeam(harness: Harness, recipients: string[]): Promise<Team> {
  const { id } = await aPerson(harness);
  const service = await aService(harness, { permissions: ['sms', 'email'] });
  await joinService(harness, service, id);
  const browser = await signedIn(harness, id);
  const template = await aTemplate(harness, service, { name: 'Afspraak', content });
  const check = async (...values: string[]) => {
    const rows = values.map((value, index) => `${recipients[index]},${value}\n`);
    const file = { field: 'file', name: 'afspraken.csv', content: `phone number,Parkeren\n${rows.join('')}` };
    const sent = await browser.postFile(`/console/services/${service}/files/new/${template}`, {}, file);
    await harness.runTasks();
    const path = sent.location ?? '';
    return { text: (await browser.get(path)).text, path };
  };
  return { service, template, browser, check };
}

async function textsOf(harness: Harness, service: string): Promise<string[]> {
  await harness.runTasks();
  await harness.deliver();
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select('id')
    .where('service_id', '=', service)
    .orderBy('id')
    .execute();
  const operator = { platform_admin: true, permissions: {} };
  return Promise.all(rows.map(async ({ id }) => String((await getInboxMessage(harness.app, operator, id)).text)));
}

describe('optional text in the Netherlands', () => {
  let team: Team;
  beforeAll(async () => {
    team = await aTeam(abroad, numbers);
  });

  it('is shown for ja in a file, and hidden for nee', async () => {
    const { text, path } = await team.check('ja', 'Nee', 'yes');
    expect(text).not.toContain('neither yes nor no');
    expect(text).not.toContain('What is wrong');
    expect((await team.browser.post(`${path}/send`)).status).toBe(303);
    const shown = (await textsOf(abroad, team.service)).map((sent) => sent.includes('Gratis parkeren.'));
    expect(shown).toEqual([true, false, true]);
  });

  it('needs a value that is yes or no: others are problems of their rows', async () => {
    const { text } = await team.check('ja', 'jein', 'oui');
    const rows = [
      ...text.matchAll(
        />(\d)(?:<\/a>)?<\/th><td[^>]*>Parkeren<\/td><td[^>]*><code>(\w+)<\/code><\/td><td[^>]*>([^<]+)</g,
      ),
    ];
    expect(rows.map(([, row, value, problem]) => [row, value, problem])).toEqual([
      ['3', 'jein', 'Enter yes or no'],
      ['4', 'oui', 'Enter yes or no'],
    ]);
    const key = await anApiKey(abroad, team.service);
    const rowsOfRequest = [
      ['phone number', 'parkeren'],
      [numbers[0], 'jein'],
    ];
    const body = { name: 'x', template_id: team.template, rows: rowsOfRequest };
    const refused = await abroad.v2('POST', '/v2/notifications/bulk', key, body);
    expect([refused.status, refused.body.errors[0].message]).toEqual([400, expect.stringContaining('Not yes or no')]);
  });

  it('has an example in the language of the country', async () => {
    const example = await team.browser.get(`/console/services/${team.service}/files/new/${team.template}/example.csv`);
    expect(example.text).toMatch(/,parkeren\r\n.*,ja\r\n$/s);
  });

  it('is shown for ja, and hidden for anything else, in a message by the API', async () => {
    const service = await aService(abroad, { permissions: ['sms'] });
    const template_id = await aTemplate(abroad, service, { content });
    const key = await anApiKey(abroad, service);
    for (const parkeren of ['JA', 'jein', true]) {
      const send = { phone_number: numbers[0], template_id, personalisation: { parkeren } };
      expect((await abroad.v2('POST', '/v2/notifications/sms', key, send)).status).toBe(201);
    }
    const shown = (await textsOf(abroad, service)).map((sent) => sent.includes('Gratis parkeren.'));
    expect(shown).toEqual([true, false, true]);
  });

  it('is shown or hidden by a choice when sending to one person, and in Quick start', async () => {
    const url = `/console/services/${team.service}/send/${team.template}`;
    const page = await team.browser.get(url);
    expect(page.text).toMatch(/<select class="input" id="value_0" name="values\[\]"><option value selected>Choose/);
    const fields = { to: numbers[0] ?? '', 'names[]': ['parkeren'] };
    const empty = await team.browser.post(url, { ...fields, 'values[]': [''], do: 'check' });
    expect(empty.problems).toEqual({ value_0: 'Choose whether to show the text of “parkeren”.' });
    const checked = await team.browser.post(url, { ...fields, 'values[]': ['yes'], do: 'check' });
    expect([checked.status, checked.text]).toEqual([200, expect.stringContaining('Gratis parkeren.')]);
    const quick = await team.browser.get(`/console/services/${team.service}/quick-start?template=${team.template}`);
    expect(quick.text).toMatch(/name="values\[\]"[^>]*>.*?<option value="yes" selected>Show/s);
  });
});

describe('optional text in the United Kingdom', () => {
  it('is hidden for a value that is neither yes nor no, with a warning', async () => {
    const team = await aTeam(here, ['07700900001', '07700900002', '07700900003']);
    const { text, path } = await team.check('yes', 'ja', 'no');
    expect(text).toMatch(/1 row has a value that is neither yes nor no.*?\?row=3#preview">Row 3</s);
    expect(text).not.toContain('What is wrong');
    expect((await team.browser.post(`${path}/send`)).status).toBe(303);
    const shown = (await textsOf(here, team.service)).map((sent) => sent.includes('Gratis parkeren.'));
    expect(shown).toEqual([true, false, false]);
    const example = await team.browser.get(`/console/services/${team.service}/files/new/${team.template}/example.csv`);
    expect(example.text).toMatch(/,yes\r\n$/);
  });
});
