import { beforeAll, describe, expect, it } from 'vitest';
import { describeFileProblem } from '../../src/console/pages/files/problem-texts.ts';
import { createCountry } from '../../src/countries/country.ts';
import { nl } from '../../src/countries/nl.ts';
import { letterRow } from '../kit/builders/letters.ts';
import { anApiKey, aService, aTemplate, aUser } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { firstPage, makePdf } from '../kit/samples/pdf-samples.ts';
import { aPerson, joinService, signedIn } from '../kit/world/console-people.ts';

/** Letters of an installation in the Netherlands, from the request to the usage. The window is that of the sample PDFs. */

const country = { ...nl, letter: { ...nl.letter, window: 'gb-c5' as const } };
const harness = useHarness({ now: '2026-11-18T10:00:00Z', country });
let service: string;
let template: string;
let key: string;

beforeAll(async () => {
  harness.app.printer = { handOver: async () => {}, despatchesItselfAfter_ms: 0 };
  service = await aService(harness);
  template = await createTemplate({});
  key = await anApiKey(harness, service);
});

async function createTemplate(fields: object): Promise<string> {
  const { status, body } = await harness.admin('POST', `/service/${service}/template`, {
    ...{ name: 'Brief', template_type: 'letter', subject: 'Over uw aanvraag', content: 'Geachte ((naam))' },
    ...{ service, created_by: await aUser(harness), ...fields },
  });
  expect(status).toBe(201);
  return body.data.id;
}

const storedPostage = async (id: string) =>
  (await harness.admin('GET', `/service/${service}/template/${id}`)).body.data.postage;

const send = (personalisation: object, id = template) =>
  harness.v2('POST', '/v2/notifications/letter', key, {
    template_id: id,
    personalisation: { naam: 'De Vries', ...personalisation },
  });

const atHome = { address_line_1: 'Mw. J. de Vries', address_line_2: 'Dorpsstraat 12' };

describe('POST /service/{service_id}/template', () => {
  it('201 with the default class, and with the names of other countries for it', async () => {
    expect(await storedPostage(template)).toBe('netherlands');
    expect(await storedPostage(await createTemplate({ postage: 'first' }))).toBe('netherlands');
    expect(await storedPostage(await createTemplate({ postage: 'netherlands' }))).toBe('netherlands');
  });

  it('400 with a class that this country does not have, or that the address decides', async () => {
    for (const postage of ['express', 'europe']) {
      const { status, body } = await harness.admin('POST', `/service/${service}/template`, {
        ...{ name: 'Brief', template_type: 'letter', subject: 'Kop', content: 'Tekst', service, postage },
        created_by: await aUser(harness),
      });
      expect(status).toBe(400);
      expect(JSON.stringify(body)).toContain('netherlands, first, second, economy');
    }
  });
});

describe('POST /v2/notifications/letter', () => {
  it.each([
    ['in the lines of the country', { ...atHome, address_line_3: '1234ab amsterdam' }],
    [
      'with the field of the protocol for the postcode',
      { ...atHome, address_line_3: 'amsterdam', postcode: '1234 ab' },
    ],
    ['with the country', { ...atHome, address_line_3: 'NL-1234 AB amsterdam', address_line_4: 'The Netherlands' }],
  ])('201 %s', async (_, values) => {
    const { status, body } = await send(values);
    expect(status).toBe(201);
    expect(await letterRow(harness, body.id)).toMatchObject({
      recipient: 'Mw. J. de Vries\nDorpsstraat 12\n1234 AB  amsterdam',
      postage: 'netherlands',
      international: false,
    });
  });

  it('201 with a template from before the country was chosen', async () => {
    const old = await aTemplate(harness, service, { template_type: 'letter', postage: 'second', content: '((naam))' });
    const { body } = await send({ ...atHome, address_line_3: '1234 AB Amsterdam', thing: 'x' }, old);
    expect(await letterRow(harness, body.id)).toMatchObject({ postage: 'netherlands' });
    expect((await harness.v2('GET', `/v2/template/${old}`, key)).body).toMatchObject({ postage: 'second' });
  });

  it.each([
    [['1 Some Street', 'London', 'SW1A 1AA', 'United Kingdom'], 'Verenigd Koninkrijk', 'europe'],
    [['1600 Main St', 'Springfield IL 62704', 'USA'], 'Verenigde Staten', 'rest-of-world'],
  ])('201 abroad: %j', async (lines, name, postage) => {
    const numbered = Object.fromEntries(lines.map((line, index) => [`address_line_${index + 2}`, line]));
    const { body } = await send({ address_line_1: 'A. Person', ...numbered });
    const row = await letterRow(harness, body.id);
    expect(row).toMatchObject({ postage, international: true });
    expect(row?.recipient.split('\n').at(-1)).toBe(name);
  });

  it.each([
    [
      { address_line_3: '0123 AB Amsterdam' },
      'Last line of address must be a Dutch postcode and a town, or another country',
    ],
    [{ address_line_2: 'Straat 1', address_line_3: '1234 AB' }, 'The postcode must be beside a town'],
    [{ address_line_2: '1234 AB Amsterdam' }, 'Address must be at least 3 lines'],
    [
      { address_line_3: 'A', address_line_4: 'B', address_line_5: 'C', address_line_6: 'D', postcode: '1234 AB Ede' },
      'Address must be no more than 6 lines',
    ],
  ])('400 %j', async (values, message) => {
    const { status, body } = await send({ ...atHome, ...values });
    expect(status).toBe(400);
    expect(body.errors).toEqual([{ error: 'ValidationError', message }]);
  });
});

describe('POST /v2/notifications/letter with a PDF', () => {
  const content = async (...lines: string[]) => Buffer.from(await makePdf([firstPage(lines)])).toString('base64');
  const post = async (fields: object, ...lines: string[]) =>
    harness.v2('POST', '/v2/notifications/letter', key, {
      reference: 'pdf',
      content: await content(...lines),
      ...fields,
    });
  const dutch = ['Mw. J. de Vries', 'Dorpsstraat 12', '1234AB Amsterdam'];

  it.each([
    [{}, dutch, 'netherlands'],
    [{ postage: 'first' }, dutch, 'netherlands'],
    [{ postage: 'rest-of-world' }, dutch, 'netherlands'],
    [{ postage: 'netherlands' }, ['A. Person', 'Hauptstr. 1', '10115 Berlin', 'Duitsland'], 'europe'],
  ])('201 with %j', async (fields, lines, postage) => {
    const { status, body } = await post(fields, ...lines);
    expect(status).toBe(201);
    await harness.runTasks();
    expect(await letterRow(harness, body.id)).toMatchObject({ status: 'created', postage });
    expect((await harness.v2('GET', `/v2/notifications/${body.id}`, key)).body).toMatchObject({ postage });
  });

  it('400 with a class that this country does not have', async () => {
    const { status, body } = await post({ postage: 'express' }, ...dutch);
    expect(status).toBe(400);
    expect(body.errors).toEqual([
      { error: 'ValidationError', message: 'postage invalid. It must be netherlands, europe or rest-of-world.' },
    ]);
  });
});

describe('POST /v2/notifications/bulk', () => {
  it('201 with rows of Dutch addresses, checked in threads', async () => {
    const rows = [
      ['address line 1', 'address line 2', 'address line 3', 'postcode', 'naam'],
      ['Mw. J. de Vries', 'Dorpsstraat 12', 'Ede', '6711 AA', 'De Vries'],
      ['A. Person', '1 Rue', 'Parijs', 'Frankrijk', 'Person'],
    ];
    const { status, body } = await harness.v2('POST', '/v2/notifications/bulk', key, {
      name: 'Lijst',
      template_id: template,
      rows,
    });
    expect(status).toBe(201);
    await harness.runTasks();
    const sent = await harness.app.db
      .selectFrom('notifications')
      .select(['recipient', 'postage'])
      .where('job_id', '=', body.data.id)
      .orderBy('job_row_number')
      .execute();
    expect(sent).toEqual([
      { recipient: 'Mw. J. de Vries\nDorpsstraat 12\n6711 AA  Ede', postage: 'netherlands' },
      { recipient: 'A. Person\n1 Rue\nParijs\nFrankrijk', postage: 'europe' },
    ]);
  });

  it('400 with a row whose postcode has no town', async () => {
    const rows = [
      ['address line 1', 'address line 2', 'postcode', 'naam'],
      ['Mw. J. de Vries', 'Dorpsstraat 12', '6711 AA', 'De Vries'],
    ];
    const { status, body } = await harness.v2('POST', '/v2/notifications/bulk', key, {
      name: 'Lijst',
      template_id: template,
      rows,
    });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('1');
  });
});

describe('POST /platform-admin/find-recipient', () => {
  it.each([
    ['P Bakker, 9711AA', 0],
    ['Dhr. P. Bakker\n9711 aa', 1],
    ['Dhr. P. Bakker\nNL-9711 AA Groningen', 1],
  ])('200 by name and postcode, which shares its line with the town: %j', async (recipient, notification) => {
    const service_id = await aService(harness);
    const template_id = await aTemplate(harness, service_id, { template_type: 'letter', subject: 'a', content: 'b' });
    const personalisation = {
      address_line_1: 'Dhr. P. Bakker',
      address_line_2: 'Kade 3',
      postcode: '9711 AA Groningen',
    };
    const ofService = await anApiKey(harness, service_id);
    await harness.v2('POST', '/v2/notifications/letter', ofService, { template_id, personalisation });
    const { body } = await harness.admin('POST', '/platform-admin/find-recipient', { recipient, service_id });
    expect(body.total).toMatchObject({ notification });
  });
});

describe('usage', () => {
  it('is counted under the class of each letter, before and after it is folded', async () => {
    await harness.admin('POST', '/sms-rate', { rate: 0.08, valid_from: '2026-01-01' });
    for (const [post_class, rate] of [
      ['netherlands', 1.01],
      ['europe', 1.72],
      ['rest-of-world', 1.9],
    ] as const) {
      const price = { post_class, sheet_count: 1, rate, start_date: '2026-01-01' };
      expect((await harness.admin('POST', '/letter-rates', price)).status).toBe(201);
    }
    harness.clock.set('2026-11-18T18:00:00Z');
    await harness.addTask('collate-letters');
    await harness.runTasks();
    const counted = await usage();
    expect(counted.map(({ postage, rate }) => [postage, rate])).toEqual([
      ['netherlands', 1.01],
      ['europe', 1.72],
      ['rest-of-world', 1.9],
    ]);
    await harness.addTask('fold-rollups');
    await harness.runTasks();
    expect(await usage()).toEqual(counted);
  });

  async function usage(): Promise<{ postage: string; rate: number; notifications_sent: number }[]> {
    const { status, body } = await harness.admin('GET', `/service/${service}/billing/monthly-usage?year=2026`);
    expect([status, body]).toEqual([200, expect.any(Array)]);
    return body.filter(({ notification_type }: { notification_type: string }) => notification_type === 'letter');
  }

  it('refuses to count a class without a slot', async () => {
    await expect(harness.app.pool.query(`select letter_kind('second', 1)`)).rejects.toThrow(
      'No slot for the postage class second',
    );
    const { rows } = await harness.app.pool.query(
      `select letter_kind('europe', 1) as europe, letter_kind('netherlands', 9) as many`,
    );
    expect(rows).toEqual([{ europe: 7, many: 31 }]);
  });
});

describe('the console', () => {
  it('offers no Welsh in the editor, unless a template has it', async () => {
    const { id } = await aPerson(harness, { mobile_number: null, auth_type: 'email_auth' });
    await joinService(harness, service, id);
    const browser = await signedIn(harness, id);
    const edit = (of: string) => browser.get(`/console/services/${service}/templates/${of}/edit`);
    expect((await edit(template)).text).toContain('Postage');
    expect((await edit(template)).text).not.toContain('Welsh');
    const welsh = await createTemplate({
      ...{ letter_languages: 'welsh_then_english', letter_welsh_subject: 'Eich cais', letter_welsh_content: 'Annwyl' },
    });
    expect((await edit(welsh)).text).toContain('Welsh, then English');
  });

  it('asks for as many columns as an address has lines', () => {
    const file = {
      template_type: 'letter' as const,
      row_count: 1,
      problem_counts: {},
      missing_column_headers: [],
      duplicate_recipient_column_headers: [],
    };
    const columnsOf = (min: number) =>
      String(
        describeFileProblem(
          createCountry({ ...nl, address: { ...nl.address, lines: { min, max: 7 } } }),
          'no-recipient-columns',
          file,
          1,
        ),
      );
    const names = 'columns with the address, such as “address line 1”, “address line 2” and “postcode”.';
    expect(columnsOf(3)).toBe(`Your file needs at least 3 ${names}`);
    expect(columnsOf(2)).toBe(`Your file needs at least 2 ${names}`);
    expect(columnsOf(1)).toBe(`Your file needs ${names}`);
  });
});

it('a text template is as long as its message will be, in the alphabet of the country', async () => {
  // Decomposed letters count once where they are kept, and twice where they are replaced.
  const content = 'e\u0301'.repeat(500);
  const id = await createTemplate({ template_type: 'sms', content });
  const update = (text: string) => harness.admin('POST', `/service/${service}/template/${id}`, { content: text });
  expect((await update(`${content}!`)).status).toBe(200);
  expect((await update('é'.repeat(919))).body.message).toEqual({
    content: ['Content has a character count greater than the limit of 918'],
  });
});
