import { describe, expect, it } from 'vitest';
import {
  anyRecipient,
  type CheckOptions,
  checkSheet,
  chunksOf,
  openSpreadsheet,
} from '../../../test/kit/samples/read-spreadsheet.ts';
import type { Channel } from '../../protocol/channels.ts';
import { compileTemplate, contentProblems } from '../../rendering/template.ts';
import { findContactListChannel } from './columns.ts';
import { contactListTemplate } from './row-problems.ts';
import { fileProblemTexts } from './spreadsheet-problems.ts';

async function check(channel: Channel, content: string, csv: string, options: Partial<CheckOptions> = {}) {
  const compiled = compileTemplate({ template_type: channel, content, subject: 'Subject' });
  const template = {
    channel,
    placeholders: compiled.placeholders,
    contentProblems: (values: Record<string, unknown>) => contentProblems(compiled, values),
  };
  const sheet = await openSpreadsheet('a.csv', chunksOf(csv), { channel });
  return checkSheet(sheet, template, { ...anyRecipient, ...options });
}

describe('personalisation', () => {
  it('has the spelling of the template, and no recipient', async () => {
    const { rows } = await check('sms', 'Hi ((First Name))', 'phone_number,first_name,other\n07700900460,Ann,x');
    expect(rows[0]).toMatchObject({ personalisation: { 'First Name': 'Ann' }, recipient: '07700900460', problems: [] });
    expect(Object.keys(rows[0]?.personalisation ?? {})).toEqual(['First Name']);
  });

  it('has the recipient if the template uses it', async () => {
    const { rows } = await check('sms', 'You are ((Phone Number))', 'phone_number\n07700 900460');
    expect(rows[0]?.personalisation).toEqual({ 'Phone Number': '07700 900460' });
    expect(rows[0]?.destination).toMatchObject({ channel: 'sms', number: { normalised: '447700900460' } });
  });

  it.each([
    ['sms', 'Numéro de téléphone', '07700900460'],
    ['sms', 'telefoonnummer', '07700900460'],
    ['sms', 'Telefonnummer', '07700900460'],
    ['sms', 'número_de_teléfono', '07700900460'],
    ['sms', 'Rhif ffon', '07700900460'],
    ['sms', 'nume\u0301ro de telephone', '07700900460'],
    ['email', 'adresse e-mail', 'a@example.org'],
    ['email', 'cyfeiriad e-bost', 'a@example.org'],
    ['email', 'Adresse courriel', 'a@example.org'],
    ['email', 'E-mailadres', 'a@example.org'],
    ['email', 'E-Mail-Adresse', 'a@example.org'],
    ['email', 'Dirección de correo electrónico', 'a@example.org'],
  ] as const)('of %s has its recipient in the column %s', async (channel, heading, recipient) => {
    const { rows, summary } = await check(channel, 'Hi ((name))', `name,${heading}\nAnn,${recipient}`);
    expect(rows[0]).toMatchObject({ recipient, personalisation: { name: 'Ann' }, problems: [] });
    expect(summary.missing_columns).toEqual([]);
    expect(findContactListChannel({ names: [heading], width: 1 })).toBe(channel);
  });

  it.each([
    ['fr', "ligne d'adresse 1,ligne d'adresse 2,code postal"],
    ['nl', 'Adresregel 1,adresregel 2,Postcode'],
    ['cy', 'llinell cyfeiriad 1,llinell cyfeiriad 2,cod post'],
    ['de', 'Adresszeile 1,Adresszeile 2,Adresszeile 7'],
    ['es', 'línea de dirección 1,linea de direccion 2,codigo postal'],
  ])('of letters has its address in columns in %s', async (_, headings) => {
    const { rows, summary } = await check('letter', 'Dear ((name))', `name,${headings}\nAnn,A. Person,1 Road,SW1A 1AA`);
    expect(rows[0]).toMatchObject({ recipient: 'A. Person', problems: [] });
    expect(rows[0]?.personalisation).toMatchObject({
      name: 'Ann',
      address_line_1: 'A. Person',
      address_line_2: '1 Road',
    });
    expect(summary.missing_columns).toEqual([]);
  });

  it('does not have its recipient in a column that the template prints', async () => {
    const { summary } = await check('sms', 'Bel ((telefoonnummer))', 'Telefoonnummer\n07700900460');
    expect(summary.missing_columns).toEqual(['phone number']);
  });

  it('has two recipients in a column that is repeated', async () => {
    const { summary } = await check('sms', 'Hi', 'Telefoonnummer,telefoonnummer\n07700900460,07700900461');
    expect(summary.duplicate_columns).toEqual(['Telefoonnummer', 'telefoonnummer']);
  });

  it('has its recipient in the English column, if there is one of another language, too', async () => {
    const csv = 'numéro de téléphone,phone number\n07700900461,07700900460';
    const { rows } = await check('sms', 'Call ((Numéro de téléphone))', csv);
    expect(rows[0]).toMatchObject({
      recipient: '07700900460',
      personalisation: { 'Numéro de téléphone': '07700900461' },
      problems: [],
    });
  });

  it('lacks the English column without a recipient', async () => {
    const { summary } = await check('sms', 'Hi', 'nom\nAnn');
    expect(summary.missing_columns).toEqual(['phone number']);
  });

  it('has the address lines of a letter, as single letters do', async () => {
    const csv = 'Address line 1,address-line-2,postcode,name\nA,B,SW1A 1AA,Ann';
    const { rows } = await check('letter', 'Dear ((address line 1)), ((NAME))', csv);
    expect(rows[0]?.personalisation).toEqual({
      NAME: 'Ann',
      address_line_1: 'A',
      address_line_2: 'B',
      postcode: 'SW1A 1AA',
    });
    expect(rows[0]).toMatchObject({ recipient: 'A', destination: { address: { lines: ['A', 'B', 'SW1A 1AA'] } } });
  });

  it('makes lists of columns with the same key, without empty cells', async () => {
    const csv =
      'phone number,item,Item,ITEM\n07700900460,a,b,c\n07700900460,,b,\n07700900460,a, ,c\n07700900460,,,\n1,1';
    const { rows } = await check('sms', '((item))', csv);
    expect(rows.map(({ personalisation }) => personalisation.item)).toEqual([
      ['a', 'b', 'c'],
      'b',
      ['a', 'c'],
      null,
      '1',
    ]);
  });

  it('is cleaned of what cannot be seen or stored', async () => {
    const csv = 'phone number,name\n07700900460,"\u00a0\tAnn\u202fSm\u200bith\0  x\u3000 "\n';
    const { rows } = await check('sms', '((name))', csv);
    expect(rows[0]?.personalisation).toEqual({ name: 'Ann Smith  x\u3000' });
  });

  it('takes names of object properties for names', async () => {
    const csv = 'phone number,__proto__,constructor,reference\n07700900460,a,b,c';
    const { rows, summary, columns } = await check('sms', '((__proto__)) ((constructor))', csv);
    expect(Object.entries(rows[0]?.personalisation ?? {})).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(Object.entries(summary.rows_shown[0]?.cells ?? {})).toContainEqual(['__proto__', 'a']);
    expect(columns.missing).toEqual([]);
  });

  it('has no half characters', async () => {
    const [row] = (
      await checkSheet(
        {
          header: { names: ['phone number', 'name'], width: 2 },
          batches: (async function* () {
            yield { firstRow: 0, rows: [['07700900460', '\ud800a\udc00 \ud83d\ude00']] };
          })(),
          encoding: () => null,
        },
        { channel: 'sms', placeholders: ['name'], contentProblems: () => [] },
        anyRecipient,
      )
    ).rows;
    expect(row?.personalisation).toEqual({ name: '\ufffda\ufffd \u{1f600}' });
  });

  it('has the reference apart', async () => {
    const csv = 'phone number,Reference,re-ference\n07700900460,a,\n07700900460,a,b\n07700900460';
    const { rows } = await check('sms', 'Hi', csv);
    expect(rows.map(({ reference }) => reference)).toEqual(['a', 'a, b', null]);
  });
});

describe('rows', () => {
  it('are shown with the number of the spreadsheet, all columns and all problems', async () => {
    const csv = 'Phone number,name,,other\n07700900460,Ann,,x\nabc,,y,,surplus\n';
    const { summary } = await check('sms', 'Hi ((name))', csv);
    expect(summary.rows_shown).toEqual([
      {
        row: 3,
        recipient: 'abc',
        cells: { 'Phone number': 'abc', name: null, '': 'y', other: null },
        surplus: ['surplus'],
        problems: [
          { column: 'Phone number', problem: 'Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -' },
          { column: 'name', problem: 'Missing' },
        ],
      },
    ]);
    expect(summary.row_problem_counts).toEqual({ 'bad-recipient': 1, 'missing-data': 1 });
  });

  it('are shown from the first if a column is missing or nothing is wrong', async () => {
    const csv = `phone number\n${'07700900460\n'.repeat(3)}bad\n`;
    const shown = async (content: string) =>
      (await check('sms', content, csv, { maxRowsShown: 2 })).summary.rows_shown.map(({ row }) => row);
    expect(await shown('((name))')).toEqual([2, 3]);
    expect(await shown('Hi')).toEqual([5]);
  });

  it.each([
    ['sms', '((text))', `phone number,text\n07700900460,${'a'.repeat(919)}`, 'too-long'],
    ['sms', '((show??x))', 'phone number,show\n07700900460,no', 'empty'],
    ['email', '((show??x))', 'email address,show\na@b.com,no', 'empty'],
    ['email', '((a))'.repeat(3), `email address,a\na@b.com,${'a'.repeat(700_000)}`, 'too-long'],
    [
      'letter',
      'QR: ((code))',
      `address line 1,address line 2,postcode,code\nA,B,SW1A 1AA,${'a'.repeat(501)}`,
      'qr-code-too-long',
    ],
    ['letter', '((show??x))', 'address line 1,address line 2,postcode,show\nA,B,SW1A 1AA,no', 'empty'],
  ] as const)('of %s %s are %4$s', async (channel, content, csv, kind) => {
    const { rows } = await check(channel, content, csv);
    expect(rows[0]?.problems).toEqual([{ column: null, kind, message: expect.any(String) }]);
  });

  it('beyond the limit are counted and not read', async () => {
    const { rows, summary, problems } = await check('sms', 'Hi', `phone number\n${'bad\n'.repeat(700)}`, {
      maxRows: 3,
    });
    expect([rows.length, summary.row_count, problems[0]]).toEqual([3, 700, 'too-many-rows']);
  });
});

describe('problems of a file', () => {
  it('are told in order', async () => {
    const all = await check('sms', '((name))', 'phone number,phone number\n,\n+12025550104,07700900460\nabc\n', {
      maxRows: 2,
      allowedRecipients: new Set(['447700900999']),
      refuseLetters: true,
      remaining: { messages: 1, international: -5 },
    });
    expect(all.problems).toEqual([
      'too-many-rows',
      'duplicate-recipient-columns',
      'missing-columns',
      'not-allowed-to-send-to',
      'too-many-messages',
    ]);
    expect(Object.keys(fileProblemTexts)).toEqual(expect.arrayContaining(all.problems));
  });

  it('of letters include the trial mode', async () => {
    const csv = 'address line 1,address line 2,postcode\nA,B,SW1A 1AA';
    const trial = { refuseLetters: true, allowedRecipients: new Set<string>() };
    expect((await check('letter', 'Hi', csv, trial)).problems).toEqual(['letters-in-trial-mode']);
    expect((await check('letter', 'Hi', 'name\nAnn')).problems).toEqual(['no-recipient-columns', 'row-errors']);
  });

  it('include recipients that a service in trial mode does not know; an empty list knows none', async () => {
    const csv = 'email address\nKNOWN@example.com\nother@example.com\nbad';
    const known = (...recipients: string[]) => ({ allowedRecipients: new Set(recipients) });
    expect((await check('email', 'Hi', csv, known('known@example.com'))).summary.not_allowed_count).toBe(1);
    expect((await check('email', 'Hi', csv, known())).summary.not_allowed_count).toBe(2);
    expect((await check('email', 'Hi', csv)).summary.not_allowed_count).toBe(0);
  });

  it('include more numbers abroad than are left', async () => {
    const csv = 'phone number\n+12025550104\n+447797292290\n07700900460';
    const left = (international: number) => ({ remaining: { messages: null, international } });
    expect((await check('sms', 'Hi', csv, left(1))).problems).toEqual([]);
    expect((await check('sms', 'Hi', csv, left(0))).problems).toEqual(['too-many-international']);
  });
});

describe('contact lists', () => {
  it.each([
    ['phone number\n1', 'sms'],
    ['"E-mail address",,\n1', 'email'],
    [',email address\n1', 'email'],
    ['phone number,name\n1', undefined],
    ['phone number,phone number\n1', undefined],
    ['address line 1\n1', undefined],
    ['', undefined],
  ])('%j: %s', async (csv, channel) => {
    expect(findContactListChannel((await openSpreadsheet('a.csv', chunksOf(csv))).header)).toBe(channel);
  });

  it('are checked as if they were sent', async () => {
    const sheet = await openSpreadsheet('a.csv', chunksOf('phone number\n07700900460\nabc'));
    const { summary, problems } = await checkSheet(sheet, contactListTemplate('sms'), anyRecipient);
    expect(problems).toEqual(['row-errors']);
    expect(summary).toMatchObject({ row_count: 2, rows_with_problems: 1 });
  });
});
