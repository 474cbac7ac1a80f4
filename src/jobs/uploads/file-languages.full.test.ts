import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let user: string;
let key: string;

beforeAll(async () => {
  user = await aUser(harness);
  const permissions = ['sms', 'email', 'letter', 'template_languages'];
  service = await aService(harness, { permissions, created_by_id: user });
  key = await anApiKey(harness, service);
});

const variants = [
  { language: 'fr', content: 'Bonjour ((name)), rendez-vous le ((jour))' },
  { language: 'cy', content: 'Helo ((name))' },
];

async function aTemplateIn(languages: object = {}): Promise<string> {
  const { status, body } = await harness.admin('POST', `/service/${service}/template`, {
    ...{ name: 'Greeting', template_type: 'sms', content: 'Hello ((name))', created_by: user },
    languages: { default: 'en', variants, ...languages },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

async function upload(payload: string, query: Record<string, string>) {
  const search = new URLSearchParams({ filename: 'people.csv', ...query });
  const { body } = await harness.request({
    method: 'POST',
    url: `/service/${service}/upload?${search}`,
    headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
    payload,
  });
  return body.data;
}

async function sendFile(id: string): Promise<Record<string, string[]>> {
  const job = await harness.admin('POST', `/service/${service}/job`, { id, created_by: user });
  expect(job.status, JSON.stringify(job.body)).toBe(201);
  await harness.runTasks();
  const rows = await harness.app.db
    .selectFrom('notifications')
    .select(['language', 'recipient'])
    .where('job_id', '=', id)
    .orderBy('job_row_number')
    .execute();
  const byLanguage: Record<string, string[]> = {};
  for (const { language, recipient } of rows) {
    const name = language ?? 'own';
    byLanguage[name] = [...(byLanguage[name] ?? []), recipient];
  }
  return byLanguage;
}

const line = (index: number, ...cells: string[]) => [`07700${String(900_000 + index)}`, ...cells].join(',');

describe('a file for a template in several languages', () => {
  it('of 10,000 rows sends each row in its language, and the check counts them', async () => {
    const asked = ['fr', 'en', 'cy', 'fr-CA', '', 'de', 'CY-gb', 'no language!'];
    const lines = Array.from({ length: 10_000 }, (_, index) =>
      line(index, `N${index}`, 'lundi', asked[index % 8] ?? ''),
    );
    const id = await aTemplateIn();
    const checked = await upload(`phone number,name,jour,message language\n${lines.join('\n')}`, { template_id: id });
    expect(checked).toMatchObject({ valid: true, row_count: 10_000, fell_back_count: 2_500 });
    expect(checked.language_counts).toEqual({ fr: 2_500, en: 5_000, cy: 2_500 });
    const sent = await sendFile(checked.id);
    expect([sent.fr?.length, sent.cy?.length, sent.own?.length]).toEqual([2_500, 2_500, 5_000]);
    expect(sent.fr?.slice(0, 3)).toEqual(['07700900000', '07700900003', '07700900008']);
    const { body } = await harness.admin('GET', `/service/${service}/job/${checked.id}/notifications?page_size=4`);
    expect(body.notifications.map((one: { body: string }) => one.body)).toEqual([
      'Bonjour N0, rendez-vous le lundi',
      'Hello N1',
      'Helo N2',
      'Bonjour N3, rendez-vous le lundi',
    ]);
  });

  it('needs the columns of all texts, and the values of the text of each row', async () => {
    const id = await aTemplateIn();
    const rows = [line(1, 'Ada', 'fr'), line(2, 'Bob', 'en')].join('\n');
    const checked = await upload(`phone number,name,language\n${rows}`, { template_id: id });
    expect(checked).toMatchObject({ valid: false, missing_column_headers: [], problem_counts: { 'row-errors': 1 } });
    expect(checked.rows_shown).toMatchObject([{ row: 2, problems: [{ column: 'jour', problem: 'Missing' }] }]);
    const without = await upload(`phone number\n${line(1)}`, { template_id: id });
    expect(without.missing_column_headers).toEqual(['name']);
  });

  it('takes the column of the placeholder before the others, and then the language of the file', async () => {
    const id = await aTemplateIn({ field: 'langue' });
    const rows = [line(1, 'A', 'cy', 'fr'), line(2, 'B', '', 'cy'), line(3, 'C', '', ''), line(4, 'D', 'en', '')];
    const text = `phone number,name,langue,language\n${rows.join('\n')}`;
    const checked = await upload(text, { template_id: id, language: 'cy' });
    expect(checked.language_counts).toEqual({ cy: 3, en: 1 });
    expect(await sendFile(checked.id)).toEqual({
      cy: ['07700900001', '07700900002', '07700900003'],
      own: ['07700900004'],
    });
  });

  it('does not take a column that a text prints', async () => {
    const id = await aTemplateIn({ variants: [{ language: 'fr', content: 'Langue : ((language))' }] });
    const checked = await upload(`phone number,name,language\n${line(1, 'Ada', 'fr')}`, { template_id: id });
    expect(checked.language_counts).toEqual({ en: 1 });
  });

  it('has a problem in rows of other languages, if the template refuses them', async () => {
    const id = await aTemplateIn({ refuse_unknown: true });
    const rows = [line(1, 'Ada', 'de'), line(2, 'Bob', 'cy')].join('\n');
    const checked = await upload(`phone number,name,language\n${rows}`, { template_id: id });
    expect(checked.row_problem_counts).toEqual({ 'unknown-language': 1 });
    expect(checked.rows_shown[0]).toMatchObject({
      row: 2,
      problems: [{ column: null, problem: 'The template has no text in this language' }],
    });
  });

  it('made of a saved list has the language of the list', async () => {
    const id = await aTemplateIn({ variants: [{ language: 'fr', content: 'Bonjour' }] });
    await harness.admin('POST', `/service/${service}/template/${id}`, { content: 'Hello' });
    const list = await upload(`phone number\n${line(1)}\n${line(2)}`, { contact_list: 'true' });
    const saved = await harness.admin('POST', `/service/${service}/contact-list`, {
      ...{ id: list.id, original_file_name: 'list.csv', row_count: 2, template_type: 'sms', created_by: user },
      language: 'fr-be',
    });
    expect(saved.body).toMatchObject({ language: 'fr-BE' });
    const copy = await upload('', { template_id: id, contact_list_id: list.id });
    expect(copy.language_counts).toEqual({ fr: 2 });
    expect(await sendFile(copy.id)).toEqual({ fr: ['07700900001', '07700900002'] });
  });

  it('sent through the API chooses by value and by column', async () => {
    const id = await aTemplateIn({ field: 'langue', variants: [{ language: 'fr', content: 'Bonjour ((nom))' }] });
    const ndjson = [
      { phone_number: '07700900001', personalisation: { nom: 'Ada', name: 'Ada', langue: 'fr' } },
      { phone_number: '07700900002', personalisation: { name: 'Bob' } },
    ];
    const sendAs = async (type: string, payload: string) => {
      const search = new URLSearchParams({ template_id: id, name: 'bulk' });
      const { status, body } = await harness.request({
        method: 'POST',
        url: `/v2/notifications/bulk?${search}`,
        headers: { authorization: `ApiKey-v1 ${key}`, 'content-type': type },
        payload,
      });
      expect(status, JSON.stringify(body)).toBe(201);
      await harness.runTasks();
      const rows = await harness.app.db
        .selectFrom('notifications')
        .select('language')
        .where('job_id', '=', body.data.id)
        .orderBy('job_row_number')
        .execute();
      return rows.map(({ language }) => language);
    };
    expect(await sendAs('application/x-ndjson', ndjson.map((one) => JSON.stringify(one)).join('\n'))).toEqual([
      'fr',
      null,
    ]);
    const csv = 'phone number,name,nom,message language\n07700900001,A,A,\n07700900002,B,B,fr-FR\n';
    expect(await sendAs('text/csv', csv)).toEqual([null, 'fr']);
  });
});
