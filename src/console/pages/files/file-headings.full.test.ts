import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', environment: { LANGUAGES: 'en,nl' } });

let service: string;
let user: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  ({ id: user } = await aPerson(harness, { name: 'Grace Hopper' }));
  const permissions = ['sms', 'email', 'letter', 'template_languages'];
  service = await aService(harness, { permissions });
  await joinService(harness, service, user);
  browser = await signedIn(harness, user);
  await browser.post('/console/account/language-and-time', { language: 'nl' });
});

const newFile = (template: string) => `/console/services/${service}/files/new/${template}`;
const exampleOf = async (template: string) =>
  (await browser.get(`${newFile(template)}/example.csv`)).text.split('\r\n');

describe('the columns that a file needs', () => {
  it('are named in the language of the person, and found in the file', async () => {
    const template = await aTemplate(harness, service, { name: 'Bericht', content: 'Hallo ((naam))' });
    expect((await browser.get(newFile(template))).text).toContain('>telefoonnummer</th>');
    const example = await exampleOf(template);
    expect(example).toEqual(['telefoonnummer,naam', '07700 900321,example', '']);
    const file = { field: 'file', name: 'mensen.csv', content: example.join('\n') };
    const sent = await browser.postFile(newFile(template), {}, file);
    await harness.runTasks();
    const page = await browser.follow(sent);
    expect(page.text).toContain('status--delivered">telefoonnummer');
    expect(page.text).toContain(`action="${sent.location}/send"`);
  });

  it('are followed by the time zone, where messages may have to wait', async () => {
    const daytime = { name: 'Day', days: ['mon'], from_time: '08:00', until_time: '21:00' };
    const window = await harness.admin('POST', `/service/${service}/send-window`, daytime);
    const times = { sms_window_id: window.body.data.id, email_window_id: null, time_zone: null };
    const choose = (more: object) => harness.admin('POST', `/service/${service}/sending-times`, { ...times, ...more });
    await choose({});
    const template = await aTemplate(harness, service, { content: 'Hallo' });
    const page = (await browser.get(newFile(template))).text;
    expect(page).toContain('>time zone</th>');
    const example = await exampleOf(template);
    expect(example).toEqual(['telefoonnummer,time zone', '07700 900321,Europe/London', '']);
    const file = { field: 'file', name: 'mensen.csv', content: `${example.join('\n')}07700 900322,hier` };
    const sent = await browser.postFile(newFile(template), {}, file);
    await harness.runTasks();
    const check = (await browser.follow(sent)).text;
    expect(check).toContain('status--delivered">time zone');
    expect(check).toContain('<code>hier</code>');
    const own = await aTemplate(harness, service, { content: 'Uw tijdzone: ((time zone))' });
    expect((await exampleOf(own))[0]).toBe('telefoonnummer,time zone');
    await choose({ sms_window_id: null });
    await harness.admin('DELETE', `/service/${service}/send-window/${window.body.data.id}`);
    expect((await exampleOf(template))[0]).toBe('telefoonnummer');
  });

  it('of a letter are those of an address', async () => {
    const template = await aTemplate(harness, service, { template_type: 'letter', subject: 'x', content: 'Hallo' });
    const lines = [1, 2, 3, 4, 5, 6, 7].map((number) => `adresregel ${number}`);
    expect((await exampleOf(template))[0]).toBe(lines.join());
  });

  it('have their English name where a placeholder has the other', async () => {
    const template = await aTemplate(harness, service, { content: 'Bel ((Telefoonnummer))' });
    expect((await exampleOf(template))[0]).toBe('phone number,Telefoonnummer');
  });

  it('are those of all texts of a template, with one that chooses', async () => {
    const { body } = await harness.admin('POST', `/service/${service}/template`, {
      ...{ name: 'Greeting', template_type: 'sms', content: 'Hello ((name))', created_by: user },
      languages: { default: 'en', variants: [{ language: 'nl', content: 'Hallo ((naam))' }] },
    });
    expect(await exampleOf(body.data.id)).toEqual([
      'telefoonnummer,name,naam,message language',
      '07700 900321,example,example,nl',
      '',
    ]);
  });
});

describe('the preview of a row', () => {
  it('of a letter is in the language of the row', async () => {
    const { body } = await harness.admin('POST', `/service/${service}/template`, {
      ...{ name: 'Letter', template_type: 'letter', subject: 'x', content: 'One page', created_by: user },
      languages: { default: 'en', variants: [{ language: 'nl', subject: 'x', content: 'Twee\n\n***\n\nBladen' }] },
    });
    const address = 'Ada,12 St James’s Square,SW1Y 4JH';
    const content = `address line 1,address line 2,address line 3,message language\n${address},nl\n${address},en\n`;
    const sent = await browser.postFile(newFile(body.data.id), {}, { field: 'file', name: 'a.csv', content });
    await harness.runTasks();
    const statusOf = async (row: number, page: number) =>
      (await browser.get(`${sent.location}/rows/${row}/pages/${page}`)).status;
    expect([await statusOf(2, 1), await statusOf(2, 2)]).toEqual([200, 200]);
    expect([await statusOf(3, 1), await statusOf(3, 2)]).toEqual([200, 400]);
  });
});
