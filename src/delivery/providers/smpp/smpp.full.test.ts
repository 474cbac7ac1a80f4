import { tmpdir } from 'node:os';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { aQueuedMessage, messageOf, queueOf } from '../../../../test/kit/builders/queued-messages.ts';
import { anApiKey, anInboundNumber, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aCertificate } from '../../../../test/kit/vendors/certificate.ts';
import { packetOf, receiptText, startMessageCentre } from '../../../../test/kit/vendors/message-centre.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { readConfig } from '../../../commands/read-config.ts';
import { examine } from '../../../operations/doctor/doctor.ts';
import { newId } from '../../../platform/id.ts';
import { buildDelivery, type Delivery } from '../../delivery.ts';
import { providers } from '../providers.ts';
import { openTextProviders } from '../settings.ts';

const centre = await startMessageCentre();
afterAll(() => centre.close());

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    sms: { providers: ['smpp'] },
    providers: {
      // The message centre runs in the same process, which a busy machine may stop for a second.
      smpp: { url: centre.url, systemId: 'pennypost', password: 'secret', responseTimeout_ms: 5_000, window: 4 },
    },
  },
});

const eventually = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 10_000, interval: 20 });

let service: string;
let delivery: Delivery;
beforeAll(async () => {
  service = await aService(harness);
  await start();
});
afterAll(() => delivery.stop());
beforeEach(() => {
  Object.assign(centre, { answer: () => 'accept', answerBind: () => 0, answersEnquiries: true });
  own().responseTimeout_ms = 5_000;
  centre.submitted.length = 0;
  centre.received.length = 0;
});
afterEach(() => {
  expect(centre.violations).toEqual([]);
});

async function start(binds = ['transceiver']): Promise<void> {
  delivery = buildDelivery(harness.app);
  delivery.start();
  await eventually(() => expect(centre.bound()).toEqual(binds));
}

const own = () => harness.app.config.providers.smpp;
const send = (name = 'Ada', fields: object = {}) =>
  aQueuedMessage(harness, service, { personalisation: { name }, ...fields });
const handedOver = (id: string) =>
  eventually(async () => {
    const message = await messageOf(harness, id);
    expect(message.status).toBe('sending');
    return message;
  });
const becomes = (id: string, status: string) =>
  eventually(async () => expect((await messageOf(harness, id)).status).toBe(status));
const statusOf = async (id: string) => (await messageOf(harness, id)).status;
const receipt = (id: string, stat = 'DELIVRD', err?: string) =>
  centre.deliver({ esm_class: 0x04, text: receiptText(id, stat, err) });
const lastId = () => centre.submitted.at(-1)?.id ?? '';

describe('SMPP: sending', () => {
  it('hands a text over, and its receipt ends the message', async () => {
    const id = await send();
    expect(await handedOver(id)).toMatchObject({ provider: 'smpp', billable_units: 1 });
    expect(centre.submitted).toMatchObject([
      {
        ...{ source_type: '5/0', source: 'TESTING', destination_type: '1/1', destination: '447700900123' },
        ...{ esm_class: 0, data_coding: 0, short_message: Buffer.from('Hello Ada') },
      },
    ]);
    expect(await receipt(lastId())).toBe(0);
    expect(await statusOf(id)).toBe('delivered');
    // The same receipt again, and one that comes too late.
    expect(await receipt(lastId())).toBe(0);
    expect(await receipt(lastId(), 'UNDELIV')).toBe(0);
    expect(await statusOf(id)).toBe('delivered');
  });

  it.each([
    ['07700900123', '3/0', '12345'],
    ['a phone number', '1/1', '447700900999'],
    ['letters', '5/0', 'Council'],
  ])('says what kind of sender it is: %s', async (_what, source_type, source) => {
    await handedOver(await send('Ada', { reply_to_text: source }));
    expect(centre.submitted[0]).toMatchObject({ source, source_type });
  });

  it.each([
    ['the default alphabet', '@£$ òΔ_ÄÖ é', '00 01 02 20 08 10 11 5b 5c 20 05', 0],
    ['its extension', '€^{}\\[~]|', '1b65 1b14 1b28 1b29 1b2f 1b3c 1b3d 1b3e 1b40', 0],
    ['UCS-2', 'ŵ€', '0175 20ac', 8],
  ])('encodes %s', async (_what, name, hex, data_coding) => {
    await handedOver(await send(name));
    const hello = data_coding === 8 ? Buffer.from('Hello ', 'utf16le').swap16() : Buffer.from('Hello ');
    const text = Buffer.concat([hello, Buffer.from(hex.replaceAll(' ', ''), 'hex')]);
    expect(centre.submitted).toMatchObject([{ data_coding, short_message: text }]);
  });

  it.each([
    [0x0b, 'permanent-failure'],
    [0x65, 'permanent-failure'],
    [0x01, 'technical-failure'],
    [0x66, 'technical-failure'],
  ])('status 0x%s of the response is final', async (status, expected) => {
    centre.answer = () => ({ status });
    const id = await send();
    await becomes(id, expected);
    expect(centre.submitted).toHaveLength(1);
  });

  it.each([
    ['a system error', { status: 0x08 }],
    ['a status of the vendor', { status: 0x4e1 }],
    ['generic_nack', { nack: 0x03 }],
  ])('is retried after %s', async (_what, answer) => {
    centre.answer = (_submitted, nth) => (nth === 1 ? answer : 'accept');
    await handedOver(await send());
    expect(centre.submitted).toHaveLength(2);
  });

  it.each([0x58, 0x14])('slows down and tries again after status %s', async (status) => {
    centre.answer = (_submitted, nth) => (nth === 1 ? { status } : 'accept');
    const id = await send();
    await becomes(id, 'sending');
    const [first, second] = centre.submitted.map(({ at }) => at);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(900);
  });

  it('never has more messages under way than the window allows', async () => {
    centre.mostUnderway = 0;
    centre.answer = () => new Promise((resolve) => setTimeout(() => resolve('accept'), 20));
    const ids = await Promise.all(Array.from({ length: 30 }, () => send()));
    for (const id of ids) await becomes(id, 'sending');
    expect(centre.mostUnderway).toBe(4);
  });

  it('treats a message without a response as perhaps sent, and repeats it', async () => {
    const { delivery: timing } = harness.app.config;
    const usual_ms = timing.retryDelay_ms;
    timing.retryDelay_ms = 0;
    own().responseTimeout_ms = 400;
    centre.answer = (_submitted, nth) => (nth === 1 ? 'nothing' : 'accept');
    const id = await send();
    await becomes(id, 'sending');
    timing.retryDelay_ms = usual_ms;
    expect(centre.submitted).toHaveLength(2);
    const attempts = await harness.app.db
      .selectFrom('failed_attempts')
      .select(['outcome', 'reason'])
      .where('notification_id', '=', id)
      .execute();
    expect(attempts).toEqual([{ outcome: 'unknown', reason: 'no response in time' }]);
  });
});

describe('SMPP: long texts', () => {
  afterEach(() => {
    own().longMessages = 'udh';
  });
  const long = (character: string) => `${character.repeat(299)}€`;
  const partsOf = () => centre.submitted.map(({ short_message }) => short_message);

  it.each([
    ['udh', 6],
    ['udh16', 7],
  ] as const)('goes out in parts with a header (%s)', async (form, header) => {
    own().longMessages = form;
    const id = await send(long('a'));
    await handedOver(id);
    const parts = partsOf();
    expect(centre.submitted.map(({ esm_class }) => esm_class)).toEqual([0x40, 0x40, 0x40].slice(0, parts.length));
    const number = form === 'udh' ? id.slice(-2) : id.slice(-4);
    expect(parts.map((part) => part.subarray(0, header).toString('hex'))).toEqual(
      parts.map((_part, index) => `${form === 'udh' ? '050003' : '060804'}${number}0${parts.length}0${index + 1}`),
    );
    // The escape stays with its character.
    const whole = Buffer.concat(parts.map((part) => part.subarray(header)));
    expect(whole.toString('latin1')).toBe(`Hello ${'a'.repeat(299)}\u001be`);
    expect(parts.every((part) => part.at(-1) !== 0x1b)).toBe(true);
  });

  it('goes out in parts with parameters (sar)', async () => {
    own().longMessages = 'sar';
    const id = await send(long('ŵ'));
    await handedOver(id);
    const parts = partsOf();
    expect(parts.map(({ length }) => length)).toEqual([134, 134, 134, 134, 76]);
    const numbers = centre.submitted.map(({ tlvs }) =>
      [0x020c, 0x020e, 0x020f].map((tag) => tlvs.get(tag)?.toString('hex')),
    );
    expect(numbers).toEqual(parts.map((_part, index) => [`00${id.slice(-2)}`, '05', `0${index + 1}`]));
  });

  it('goes out as one message (payload)', async () => {
    own().longMessages = 'payload';
    await handedOver(await send(long('a')));
    expect(centre.submitted.map(({ tlvs }) => tlvs.get(0x0424)?.length)).toEqual([307]);
  });

  it('is delivered when all parts are, by whatever process', async () => {
    const id = await send('a'.repeat(350));
    await handedOver(id);
    const [first, second, third] = centre.submitted.map((part) => part.id);
    await receipt(third ?? '');
    await receipt(first ?? '');
    await receipt(first ?? '');
    expect(await statusOf(id)).toBe('sending');
    await delivery.stop();
    await start();
    await receipt(second ?? '');
    expect(await statusOf(id)).toBe('delivered');
  });

  it('fails with the first part that fails', async () => {
    const id = await send('a'.repeat(350));
    await handedOver(id);
    const [first, second, third] = centre.submitted.map((part) => part.id);
    await receipt(first ?? '');
    await receipt(second ?? '', 'EXPIRED');
    expect(await statusOf(id)).toBe('temporary-failure');
    await receipt(third ?? '');
    expect(await statusOf(id)).toBe('temporary-failure');
  });

  it('sends no further part after one that was refused, and repeats one that was throttled', async () => {
    centre.answer = () => ({ status: 0x0b });
    await becomes(await send('a'.repeat(350)), 'permanent-failure');
    expect(centre.submitted).toHaveLength(1);
    centre.answer = (_part, nth) => (nth === 3 ? { status: 0x58 } : 'accept');
    await becomes(await send('a'.repeat(350)), 'sending');
    const headers = centre.submitted.slice(1).map(({ short_message }) => short_message[5]);
    expect(headers).toEqual([1, 2, 2, 3]);
  });
});

describe('SMPP: receipts', () => {
  it.each([
    ['DELIVRD', 2, 'delivered'],
    ['EXPIRED', 3, 'temporary-failure'],
    ['DELETED', 4, 'technical-failure'],
    ['UNDELIV', 5, 'permanent-failure'],
    ['ACCEPTD', 6, 'pending'],
    ['UNKNOWN', 7, 'pending'],
    ['REJECTD', 8, 'permanent-failure'],
    ['ENROUTE', 1, 'pending'],
  ])('%s is %s as text and as a parameter', async (stat, state, expected) => {
    const asText = await send();
    await handedOver(asText);
    await receipt(lastId(), stat);
    expect(await statusOf(asText)).toBe(expected);
    const asParameter = await send();
    await handedOver(asParameter);
    // Without the type in esm_class, as some message centres send it.
    const tlvs: [number, Buffer][] = [
      [0x001e, Buffer.from(`${lastId()}\0`)],
      [0x0427, Buffer.from([state])],
    ];
    expect(await centre.deliver({ tlvs })).toBe(0);
    expect(await statusOf(asParameter)).toBe(expected);
  });

  it('an error code in the settings makes a failure temporary', async () => {
    own().temporaryErrors = ['027'];
    const id = await send();
    await handedOver(id);
    await receipt(lastId(), 'UNDELIV', '027');
    own().temporaryErrors = [];
    expect(await statusOf(id)).toBe('temporary-failure');
  });

  it.each([
    ['decimal', '1A2B', '0000006699'],
    ['hexadecimal', '6699', '00001a2b'],
  ] as const)('finds %s ids', async (form, ofResponse, ofReceipt) => {
    own().receiptIds = form;
    centre.answer = () => ({ id: ofResponse });
    const id = await send();
    await handedOver(id);
    await receipt(ofReceipt);
    own().receiptIds = 'same';
    expect(await statusOf(id)).toBe('delivered');
  });

  it('counts for the newest message if an id is used again', async () => {
    centre.answer = () => ({ id: '1' });
    const [old, young] = [await send(), (await handedOver(await send())).id];
    await handedOver(old);
    await receipt('1');
    expect([await statusOf(old), await statusOf(young)]).toEqual(['sending', 'delivered']);
  });

  it('is kept if it arrives before the response', async () => {
    const statuses: number[] = [];
    centre.answer = async ({ id }) => {
      statuses.push(await receipt(id));
      return 'accept' as const;
    };
    const id = await send();
    await handedOver(id);
    expect(statuses).toEqual([0]);
    harness.clock.advance({ seconds: 15 });
    await harness.runTasks();
    expect(await statusOf(id)).toBe('delivered');
  });

  it('counts at once if it arrives with the response', async () => {
    centre.answer = ({ id }) => {
      setTimeout(() => void receipt(id), 0);
      return 'accept';
    };
    await becomes(await send(), 'delivered');
  });

  it('with ids in another format than the setting says is named on the overview, with the setting', async () => {
    // Receipts of other tests match, in the hour before.
    harness.clock.advance({ hours: 2 });
    const ids: string[] = [];
    centre.answer = () => ({ id: (0xa0f0 + ids.length).toString(16) });
    for (let count = 0; count < 6; count += 1) {
      const id = await send();
      await handedOver(id);
      ids.push(id);
      expect(await receipt(String(Number.parseInt(lastId(), 16)))).toBe(0);
    }
    const before = harness.logged.length;
    for (let minute = 0; minute < 6; minute += 1) {
      harness.clock.advance({ minutes: 1 });
      await harness.runTasks();
    }
    expect(await Promise.all(ids.map(statusOf))).toEqual(Array(6).fill('sending'));
    const lines = harness.logged.slice(before).filter((line) => line.includes('receipt.unmatched'));
    expect(lines).toHaveLength(6);
    expect(lines[0]).toContain('"provider":"smpp","id_format":"decimal, 5 characters"');
    const operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    const { text } = await operator.get('/console/operator');
    expect(text).toContain('Receipts from SMPP match no message');
    expect(text).toContain('6 in the last hour, which is most of them. Check SMPP_RECEIPT_IDS');
  });

  it('of an unknown message is confirmed, and given up later', async () => {
    expect(await receipt('nobody')).toBe(0);
    harness.logged.length = 0;
    for (let minute = 0; minute < 6; minute += 1) {
      harness.clock.advance({ minutes: 1 });
      await harness.runTasks();
    }
    expect(harness.logged.filter((line) => line.includes('receipt.unmatched'))).toHaveLength(1);
    const { rows } = await harness.app.pool.query(
      "select 1 from graphile_worker.jobs where task_identifier like '%receipt'",
    );
    expect(rows).toEqual([]);
  });

  it('without an id or a state changes nothing', async () => {
    for (const text of ['', 'id:m1', 'stat:DELIVRD', 'text:id:m1 stat:DELIVRD']) {
      expect(await centre.deliver({ esm_class: 0x04, text })).toBe(0);
    }
  });

  it('that cannot be stored is not confirmed', async () => {
    const id = await send();
    await handedOver(id);
    const { pool } = harness.app;
    await pool.query('alter table message_parts rename to elsewhere');
    const status = await receipt(lastId());
    await pool.query('alter table elsewhere rename to message_parts');
    expect(status).toBe(0x64);
    expect(await receipt(lastId())).toBe(0);
    expect(await statusOf(id)).toBe('delivered');
  });
});

describe('SMPP: received texts', () => {
  let key: string;
  beforeAll(async () => {
    const receiver = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    key = await anApiKey(harness, receiver);
    await anInboundNumber(harness, receiver, { number: '07700900444', provider: 'smpp' });
  });
  const texts = async (): Promise<string[]> => {
    const { body } = await harness.v2('GET', '/v2/received-text-messages', key);
    return body.received_text_messages.map((text: { content: string }) => text.content);
  };

  it.each([
    ['the default alphabet', 0, Buffer.from('004869201b65', 'hex'), '@Hi €'],
    ['Latin-1', 3, Buffer.from('naïve', 'latin1'), 'naïve'],
    ['UCS-2', 8, Buffer.from('d83ddce9', 'hex'), '📩'],
  ])('are stored from %s', async (_what, data_coding, text, content) => {
    expect(await centre.deliver({ data_coding, text })).toBe(0);
    expect((await texts())[0]).toBe(content);
  });

  it.each([
    ['a number of 8 bits', (nth: number) => ({ esm_class: 0x40, header: [5, 0, 3, 7, 3, nth], sar: [] })],
    ['a number of 16 bits', (nth: number) => ({ esm_class: 0x40, header: [6, 8, 4, 1, 7, 3, nth], sar: [] })],
    ['parameters', (nth: number) => ({ esm_class: 0, header: [], sar: [7, 3, nth] })],
  ])('are put together from parts with %s', async (_what, partOf) => {
    const before = await texts();
    const words = ['one ', 'two ', 'three'];
    const part = (nth: number) => {
      const { esm_class, header, sar } = partOf(nth);
      const [low = 0, total = 0, own = 0] = sar;
      const parameters: [number, Buffer][] = [
        [0x020c, Buffer.from([0, low])],
        [0x020e, Buffer.from([total])],
        [0x020f, Buffer.from([own])],
      ];
      const tlvs = sar.length > 0 ? parameters : [];
      const text = Buffer.concat([Buffer.from(header), Buffer.from(words[nth - 1] ?? '')]);
      return centre.deliver({ esm_class, text, tlvs });
    };
    expect([await part(3), await part(1), await part(1)]).toEqual([0, 0, 0]);
    expect(await texts()).toEqual(before);
    expect(await part(2)).toBe(0);
    expect(await texts()).toEqual(['one two three', ...before]);
    const { rows } = await harness.app.pool.query('select 1 from received_parts');
    expect(rows).toEqual([]);
  });

  it('in parts that arrive at the same time are put together', async () => {
    const before = await texts();
    const sent = Array.from({ length: 5 }, (_, index) => {
      const text = Buffer.from([5, 0, 3, 9, 5, index + 1, 0x61 + index]);
      return centre.deliver({ esm_class: 0x40, text });
    });
    expect(await Promise.all(sent)).toEqual([0, 0, 0, 0, 0]);
    expect(await texts()).toEqual(['abcde', ...before]);
  });

  it('of which a part never arrives are deleted after a day, or with their sender', async () => {
    const { pool } = harness.app;
    const count = async () => (await pool.query('select 1 from received_parts')).rowCount;
    const half = (number: number) =>
      centre.deliver({ esm_class: 0x40, text: Buffer.from([5, 0, 3, number, 2, 1, 0x61]) });
    await half(1);
    expect(await count()).toBe(1);
    await harness.admin('POST', '/platform-admin/erase-recipient', { recipient: '447700900111' });
    expect(await count()).toBe(0);
    await half(2);
    await pool.query("update received_parts set received_at = received_at - interval '25 hours'");
    await harness.addTask('delete-inbound-texts');
    await harness.runTasks();
    expect(await count()).toBe(0);
  });

  it('are repeated by the message centre until a service owns their number', async () => {
    const text = { destination: '447700900445', text: 'Hello' };
    expect([await centre.deliver(text), await centre.deliver(text)]).toEqual([0x64, 0x64]);
    const late = await aService(harness, { permissions: ['sms', 'inbound_sms'] });
    await anInboundNumber(harness, late, { number: '447700900445', provider: 'smpp' });
    expect(await centre.deliver(text)).toBe(0);
    const { body } = await harness.v2('GET', '/v2/received-text-messages', await anApiKey(harness, late));
    expect(body.received_text_messages).toMatchObject([{ notify_number: '447700900445', content: 'Hello' }]);
  });

  it('are confirmed and left out if they are no text', async () => {
    const before = await texts();
    expect(await centre.deliver({ data_coding: 4, text: Buffer.from([1, 2, 3]) })).toBe(0);
    expect(await texts()).toEqual(before);
  });
});

describe('SMPP: connections', () => {
  const reconnected = async (act: () => void) => {
    const { binds } = centre;
    act();
    await eventually(() => expect(centre.binds).toBe(binds + 1));
    await handedOver(await send());
  };

  it('bind again after the message centre closed or unbound', async () => {
    await reconnected(() => centre.cut());
    await reconnected(() => centre.unbind());
    expect(centre.received).toContainEqual({ command: 0x8000_0006, status: 0, sequence: expect.any(Number) });
  });

  it.each([
    ['too long', Buffer.from('7fffffff000000050000000000000001', 'hex')],
    ['too short', Buffer.from('0000000f000000050000000000000001', 'hex')],
    ['no SMPP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('bind again after a packet that is %s', async (_what, octets) => {
    await reconnected(() => centre.write(octets));
    expect(centre.received).toContainEqual({ command: 0x8000_0000, status: 0x02, sequence: 0 });
  });

  it('survive unknown commands, responses to nothing, and packets in pieces', async () => {
    centre.write(packetOf(0x7777, 0, 7));
    centre.write(packetOf(0x8000_0004, 0, 999, Buffer.from('x\0')));
    centre.write(packetOf(0x102, 0, 8));
    const enquiry = packetOf(0x15, 0, 9);
    for (const octet of enquiry) centre.write(Buffer.from([octet]));
    await eventually(() =>
      expect(centre.received).toEqual([
        { command: 0x8000_0000, status: 0x03, sequence: 7 },
        { command: 0x8000_0015, status: 0, sequence: 9 },
      ]),
    );
  });

  it('reject a deliver_sm that cannot be read', async () => {
    centre.write(packetOf(0x05, 0, 5, Buffer.from('no end')));
    await eventually(() => expect(centre.received).toEqual([{ command: 0x8000_0005, status: 0x65, sequence: 5 }]));
    centre.violations.length = 0;
  });

  it('end when the message centre does not even answer enquire_link', async () => {
    own().responseTimeout_ms = 400;
    centre.answersEnquiries = false;
    centre.answer = () => 'nothing';
    const { binds } = centre;
    const id = await send();
    await eventually(async () => expect(await queueOf(harness, id)).toMatchObject({ outcome_known: false }));
    await eventually(() => expect(centre.binds).toBe(binds + 1));
  });

  it('that cannot be made fail the attempt at once, and wait longer each time', async () => {
    centre.answerBind = () => 0x0e;
    centre.cut();
    const id = await send();
    await eventually(async () =>
      expect(await queueOf(harness, id)).toMatchObject({ attempts: 2, outcome_known: true }),
    );
    expect(harness.logged.filter((line) => line.includes('correct SMPP_PASSWORD')).length).toBeGreaterThan(0);
    centre.answerBind = () => 0;
    harness.clock.advance({ minutes: 5 });
    await eventually(() => expect(centre.bound()).toEqual(['transceiver']));
  });
});

describe('SMPP: other set-ups', () => {
  it('binds a transmitter and a receiver, several times', async () => {
    await delivery.stop();
    Object.assign(own(), { bind: 'separate', binds: 2 });
    await start(['receiver', 'receiver', 'transmitter', 'transmitter']);
    Object.assign(own(), { bind: 'transceiver', binds: 1 });
    const id = await send('Separate');
    await handedOver(id);
    const sent = centre.submitted.find(({ short_message }) => short_message.toString() === 'Hello Separate');
    await receipt(sent?.id ?? '');
    expect(await statusOf(id)).toBe('delivered');
  });

  it('tests the provider with a bind that takes no receipts from the others', async () => {
    const binds: string[][] = [];
    centre.answer = () => {
      binds.push(centre.bound());
      return 'accept';
    };
    await delivery.stop();
    const [provider] = openTextProviders({ ...harness.app, providers });
    await provider?.check?.();
    const reference = newId(harness.clock.now());
    const message = { reference, to: '447700900123', sender: 'A', text: 'Hi', international: false };
    expect(await provider?.send({ ...message, encoding: 'gsm7' })).toMatchObject({ kind: 'accepted' });
    await provider?.close?.();
    expect(binds).toEqual([['transmitter']]);
    await start();
  });

  const examined = async (change: object) => {
    const { config, pool } = harness.app;
    const changed = { ...config, providers: { ...config.providers, smpp: { ...own(), ...change } } };
    const found = await examine(changed, String(pool.options.connectionString), providers);
    return found.find(({ name }) => name === 'sms')?.description;
  };

  it('is checked and tested as transceiver where only these may bind', async () => {
    const types: string[] = [];
    centre.answerBind = ({ type, password }) => {
      types.push(type);
      if (password !== 'secret') return 0x0e;
      return type === 'transceiver' ? 0 : 0x0d;
    };
    expect(await examined({})).toBe('smpp can be reached');
    expect(types).toEqual(['transmitter', 'transceiver']);
    const [provider] = openTextProviders({ ...harness.app, providers });
    const message = { reference: newId(harness.clock.now()), to: '447700900123', sender: 'A', text: 'Hi' };
    expect(await provider?.send({ ...message, international: false, encoding: 'gsm7' })).toMatchObject({
      kind: 'accepted',
    });
    await provider?.close?.();

    expect(await examined({ bind: 'separate' })).toMatch(/^smpp: ESME_RBINDFAIL/);
    types.length = 0;
    expect(await examined({ password: 'x' })).toBe('smpp: ESME_RINVPASWD (0x0e): correct SMPP_PASSWORD');
    expect(types).toEqual(['transmitter']);
  });

  it('says what is wrong, and speaks TLS', async () => {
    expect(await examined({})).toBe('smpp can be reached');
    expect(await examined({ url: 'smpp://127.0.0.1:1' })).toBe(
      'smpp: 127.0.0.1:1 cannot be reached (ECONNREFUSED): check SMPP_URL and the firewall',
    );
    centre.answerBind = ({ password }) => (password === 'secret' ? 0 : 0x0e);
    expect(await examined({ password: 'x' })).toBe('smpp: ESME_RINVPASWD (0x0e): correct SMPP_PASSWORD');

    const { pem, privateKey } = aCertificate(
      { from: new Date('2020-01-01'), until: new Date('2049-01-01') },
      'localhost',
    );
    const key = String(privateKey.export({ type: 'pkcs8', format: 'pem' }));
    const secure = await startMessageCentre({ tls: { key, cert: pem } });
    expect(await examined({ url: secure.url })).toContain('(DEPTH_ZERO_SELF_SIGNED_CERT)');
    expect(await examined({ url: secure.url, ca: pem })).toBe('smpp can be reached');
    expect(secure.violations).toEqual([]);
    await secure.close();
  });

  it('needs settings that make sense', () => {
    const read = (given: Record<string, string>) => () =>
      readConfig({
        ...{ DATA_DIR: tmpdir(), SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32) },
        ...{ SMS_PROVIDERS: 'smpp', SMPP_URL: 'smpp://centre', SMPP_SYSTEM_ID: 'x', SMPP_PASSWORD: 'y', ...given },
      });
    expect(read({ SMPP_SHORT_SENDER: '6 / 0' })().providers.smpp).toMatchObject({
      window: 20,
      shortSender: { ton: 6, npi: 0 },
    });
    expect(read({ SMPP_PASSWORD: '' })).toThrow('SMPP_PASSWORD must be set for the provider smpp');
    expect(read({ SMPP_URL: 'http://x' })).toThrow('SMPP_URL must begin with smpp:// or smpps://');
    expect(read({ SMPP_URL: 'smpp://a:b@centre' })).toThrow('SMPP_URL must not contain credentials');
    expect(read({ SMPP_SYSTEM_ID: 'x'.repeat(16) })).toThrow('SMPP_SYSTEM_ID must have at most 15 characters');
    expect(read({ SMPP_RECIPIENT: '1' })).toThrow(
      'SMPP_RECIPIENT must be two numbers from 0 to 255, such as 1/1, not "1"',
    );
  });
});
