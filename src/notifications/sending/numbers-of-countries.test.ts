import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { storedMessage } from '../../../test/kit/builders/sends.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';
import { nl } from '../../countries/nl.ts';
import { us } from '../../countries/us.ts';

const priced = { ...nl.prices, sms: [{ from: '2026-01-01T00:00Z', rate: '0.05' }] };
const dutch = useHarness({ now: '2026-11-16T12:00:00Z', country: { ...nl, prices: priced } });
const american = useHarness({ now: '2026-11-16T12:00:00Z', country: us });

describe.each([
  {
    name: 'the Netherlands',
    harness: dutch,
    home: [
      ['06 12345678', '31612345678'],
      ['612345678', '31612345678'],
      ['0+31612345678', '31612345678'],
      ['+44 7700 900123', '447700900123'],
    ],
    refused: [
      ['07700900123', 'InvalidPhoneError', 'Not a valid phone number'],
      ['+31 800 1234', 'InvalidPhoneError', 'Not a valid phone number'],
      ['010 123 4567', 'InvalidPhoneError', 'Not a Dutch mobile number'],
      ['+49 1512 3456789', 'BadRequestError', 'Cannot send to international mobile numbers'],
    ],
    abroad: ['+49 1512 3456789', '4915123456789'],
  },
  {
    name: 'the United States',
    harness: american,
    home: [
      ['(202) 555-0104', '12025550104'],
      ['1 787 234 5678', '17872345678'],
      ['+1 202-555-0104', '12025550104'],
    ],
    refused: [
      ['+1 876 210 1234', 'BadRequestError', 'Cannot send to international mobile numbers'],
      ['+1 506 234 5678', 'BadRequestError', 'Cannot send to international mobile numbers'],
      ['5550104', 'InvalidPhoneError', 'Not a valid phone number'],
    ],
    abroad: ['+1 876 210 1234', '18762101234'],
  },
])('POST /v2/notifications/sms in $name', ({ harness, home, refused, abroad }) => {
  let key: string;
  let template_id: string;

  beforeAll(async () => {
    const service = await aService(harness, { permissions: ['sms', 'email', 'letter'] });
    key = await anApiKey(harness, service);
    template_id = await aTemplate(harness, service, { content: 'Hello' });
  });

  const send = (phone_number: string, as = key, template = template_id) =>
    harness.v2('POST', '/v2/notifications/sms', as, { phone_number, template_id: template });

  it.each(home)('201 for %s, which is at home', async (typed, normalised) => {
    const { status, body } = await send(typed ?? '');
    expect(status).toBe(201);
    const stored = await storedMessage(harness, body.id);
    expect(stored).toMatchObject({ normalised_recipient: normalised, international: false, rate_multiplier: 1 });
  });

  it.each(refused)('400 for %s', async (typed, error, message) => {
    const { status, body } = await send(typed ?? '');
    expect([status, body.errors]).toEqual([400, [{ error, message }]]);
  });

  it('201 for a number abroad with the permission', async () => {
    const service = await aService(harness, { permissions: ['sms', 'international_sms'] });
    const template = await aTemplate(harness, service, { content: 'Hello' });
    const { status, body } = await send(abroad[0] ?? '', await anApiKey(harness, service), template);
    expect(status).toBe(201);
    const stored = await storedMessage(harness, body.id);
    expect(stored).toMatchObject({ normalised_recipient: abroad[1], international: true, rate_multiplier: 1 });
  });

  it('201 for a simulated recipient, which is not stored', async () => {
    const { status, body } = await send('+44 7700 900000');
    expect(status).toBe(201);
    expect(await storedMessage(harness, body.id)).toBeUndefined();
  });
});

describe('the console in the Netherlands', () => {
  let browser: ConsoleVisitor;
  let url: string;
  let person: string;

  beforeAll(async () => {
    ({ id: person } = await aPerson(dutch, { name: 'Ada', mobile_number: '0612345678' }));
    const service = await aService(dutch, { permissions: ['sms'] });
    await joinService(dutch, service, person);
    browser = await signedIn(dutch, person);
    const template = await aTemplate(dutch, service, { content: 'Hello' });
    url = `/console/services/${service}/send/${template}`;
  });

  it.each([
    ['010 123 4567', 'Enter a Dutch mobile number.'],
    ['+49 1512 3456789', nl.words.numberAbroad],
    ['0612', 'Mobile number is too short'],
  ])('shows what is wrong with %s beside its field', async (to, sentence) => {
    const page = await browser.post(url, { do: 'check', to });
    expect(page.problems).toEqual({ to: sentence });
  });

  it('writes numbers as people there do', async () => {
    const page = await browser.post(url, { do: 'check', to: '+31612345678' });
    expect(page.text).toContain('06 12345678');
  });

  it.each([
    ['010 123 4567', 'Enter a mobile number. This one cannot get texts.'],
    ['my phone', 'Enter a mobile number in the correct format, such as 06 12345678.'],
  ])('refuses %s as the number of a person', async (mobile_number, sentence) => {
    const page = await browser.post('/console/account/mobile', { mobile_number });
    expect(page.problems).toMatchObject({ mobile_number: sentence });
  });

  it('refuses the same in the API with a whole sentence', async () => {
    const { status, body } = await dutch.admin('POST', `/user/${person}`, { mobile_number: '010 123 4567' });
    expect(status).toBe(400);
    expect(JSON.stringify(body)).toContain('Invalid phone number: Not a Dutch mobile number');
  });
});

describe('the letters of a text in the Netherlands', () => {
  it('are kept in the response, when it is delivered, and in its units', async () => {
    const service = await aService(dutch, { permissions: ['sms'] });
    const key = await anApiKey(dutch, service);
    const template_id = await aTemplate(dutch, service, { content: 'Beste ((naam)) – “tot vrijdag”' });
    const body = { phone_number: '06 12345678', template_id, personalisation: { naam: 'Façal Şahin' } };
    const sent = await dutch.v2('POST', '/v2/notifications/sms', key, body);
    expect(sent.body.content.body).toBe('Beste Façal Şahin - "tot vrijdag"');
    const long = await dutch.v2('POST', '/v2/notifications/sms', key, {
      ...body,
      personalisation: { naam: `Ş${'a'.repeat(70)}` },
    });
    await dutch.deliver();
    expect(await storedMessage(dutch, sent.body.id)).toMatchObject({ billable_units: 1 });
    expect(await storedMessage(dutch, long.body.id)).toMatchObject({ billable_units: 2 });
  });
});

describe('a file of numbers in the Netherlands', () => {
  it('is checked in threads by the rules and with the words of the country', async () => {
    const service = await aService(dutch, { permissions: ['sms'] });
    const template_id = await aTemplate(dutch, service, { content: 'Dag ((naam)) 🎉' });
    const rows = ['0612345678,Ana', '612345678,Ben', '010 123 4567,Cas', '+31 800 1234,Dex', '+4915123456789,Eva'];
    const { status, body } = await dutch.request({
      method: 'POST',
      url: `/service/${service}/upload?${new URLSearchParams({ filename: 'people.csv', template_id })}`,
      headers: { authorization: `Bearer ${adminToken(dutch.clock)}`, 'content-type': 'text/csv' },
      payload: `phone number,naam\n${rows.join('\n')}\n`,
    });
    expect(status).toBe(201);
    const problems = body.data.rows_shown.map((row: { problems: { problem: string }[] }) => row.problems[0]?.problem);
    const { doubleCheckMobile } = nl.words;
    const invalid = 'Number is not valid – double check the phone number you entered';
    expect(problems).toEqual(expect.arrayContaining([doubleCheckMobile, invalid]));
    expect(problems.filter((problem: string | undefined) => problem === doubleCheckMobile)).toHaveLength(2);
    expect(body.data.problem_counts['row-errors']).toBe(3);
  });
});
