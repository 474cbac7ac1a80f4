import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { aPlatformAdmin } from '../../../test/kit/builders/sending-domains.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import type { App } from '../../app.ts';
import { textReceiver } from '../../delivery/inbound/inbound-hooks.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { recordOptOutsAtProvider } from './opt-outs.ts';

const harness = useHarness({ now: '2026-11-03T12:00:00Z', config: { providers: { sandbox: { receipts: 'hold' } } } });
beforeEach(() => harness.clock.set('2026-11-03T12:00:00Z'));

const stopText = 'Can’t send to this recipient: they replied STOP on 3 November 2026.';
const person = '07700 900321';
let numbers = 0;

/** A service with a number of its own. */
async function aService2() {
  numbers += 1;
  const permissions = ['sms', 'email', 'inbound_sms', 'international_sms'];
  const service = await aService(harness, { name: `Bins ${numbers}`, permissions });
  const number = `07700900${String(500 + numbers)}`;
  const added = await harness.admin('POST', '/inbound-number', { number, provider: 'sandbox' });
  await harness.admin('POST', `/inbound-number/service/${service}`, { inbound_number_id: added.body.data.id });
  const key = await anApiKey(harness, service);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const receive = async (content: string, from = person, app: App = harness.app) => {
    const text = { provider: 'sandbox', from, to: number, content, received_at: undefined, reference: undefined };
    expect(await textReceiver(app, 'sandbox')(text)).toBe(true);
    await app.changeListener.catchUp();
  };
  const send = (phone_number = person, as = key, more: object = {}) =>
    harness.v2('POST', '/v2/notifications/sms', as, { phone_number, template_id, ...more });
  return { service, number, key, template_id, receive, send };
}
type Team = Awaited<ReturnType<typeof aService2>>;

const repliesOf = async ({ service }: Team) =>
  (
    await harness.app.db
      .selectFrom('notifications')
      .innerJoin('templates', 'templates.id', 'notifications.template_id')
      .select(['notifications.personalisation', 'notifications.reply_to_text', 'notifications.normalised_recipient'])
      .where('notifications.service_id', '=', service)
      .where('templates.hidden', '=', true)
      .orderBy('notifications.id')
      .execute()
  ).map(({ personalisation, reply_to_text, normalised_recipient }) => [
    (personalisation as { text: string }).text,
    reply_to_text,
    normalised_recipient,
  ]);

const receivedBy = async ({ key }: Team) =>
  (await harness.v2('GET', '/v2/received-text-messages', key)).body.received_text_messages;

describe('a person who replies STOP', () => {
  it('gets one confirmation and no more texts, however the number is written, until they reply START', async () => {
    const team = await aService2();
    expect((await team.send()).status).toBe(201);
    await team.receive('Stop', '+44 7700 900321');
    await team.receive('STOP', '447700900321');
    for (const spelling of ['07700900321', '+447700900321', ' 07700 900 321', '0044 7700 900321']) {
      const { status, body } = await team.send(spelling);
      expect([status, body.errors]).toEqual([400, [{ error: 'BadRequestError', message: stopText }]]);
    }
    expect((await team.send('07700900322')).status).toBe(201);
    const [{ name = '' } = {}] = (
      await sql<{ name: string }>`select name from services where id = ${team.service}`.execute(harness.app.db)
    ).rows;
    const confirmation = `You will get no more texts from ${name}. Reply START to get them again.`;
    expect(await repliesOf(team)).toEqual([[confirmation, team.number, '447700900321']]);
    await harness.deliver();
    const { rows } = await sql<{ status: string }>`
      select n.status from notifications n join templates t on t.id = n.template_id
      where n.service_id = ${team.service} and t.hidden`.execute(harness.app.db);
    expect(rows).toEqual([{ status: 'sending' }]);
    expect((await receivedBy(team)).map((text: { keyword?: string }) => text.keyword)).toEqual(['STOP', 'STOP']);

    await team.receive('start');
    expect((await team.send()).status).toBe(201);
    harness.clock.set('2026-11-04T12:00:00Z');
    await team.receive('stop');
    expect(await repliesOf(team)).toHaveLength(2);
    expect((await team.send()).body.errors[0].message).toContain('on 4 November 2026.');
  });

  it('in two parts, as some phones send it', async () => {
    const team = await aService2();
    const part = { number: 7, total: 2 };
    const text = { provider: 'sandbox', from: person, to: team.number, received_at: undefined, reference: undefined };
    const receive = textReceiver(harness.app, 'sandbox');
    await receive({ ...text, content: 'please st', part: { ...part, nth: 1 } });
    await receive({ ...text, content: 'op', part: { ...part, nth: 2 } });
    await harness.app.changeListener.catchUp();
    expect((await team.send()).status).toBe(400);
  });

  it('stops no other service, no email and no test key', async () => {
    const [team, other] = [await aService2(), await aService2()];
    await team.receive('STOP');
    expect((await other.send()).status).toBe(201);
    expect((await team.send(person, await anApiKey(harness, team.service, { key_type: 'test' }))).status).toBe(201);
    const email = await aTemplate(harness, team.service, { template_type: 'email', subject: 's', content: 'c' });
    const to = { email_address: 'a@example.org', template_id: email };
    expect((await harness.v2('POST', '/v2/notifications/email', team.key, to)).status).toBe(201);
  });

  it('is left alone if a text only mentions it: a person decides', async () => {
    const team = await aService2();
    await team.receive('Can you stop my appointment?');
    expect((await team.send()).status).toBe(201);
    expect(await repliesOf(team)).toEqual([]);
    const [text] = await receivedBy(team);
    expect(Object.keys(text)).not.toContain('keyword');
    const stored = harness.app.db.selectFrom('inbound_sms').select(['keyword', 'keyword_action']);
    expect(await stored.where('service_id', '=', team.service).execute()).toEqual([
      { keyword: 'STOP', keyword_action: 'review' },
    ]);
  });

  it('gets the help text once a day for HELP', async () => {
    const team = await aService2();
    await team.receive('help');
    await team.receive('HELP');
    const replies = await repliesOf(team);
    expect(replies).toHaveLength(1);
    expect(replies[0]?.[0]).toMatch(/^Bins \d+: .* Reply STOP to stop\.$/);
  });

  it('is refused after the template and before limits', async () => {
    const team = await aService2();
    await team.receive('STOP');
    const unknown = await team.send(person, team.key, { template_id: team.service });
    expect(unknown.body.errors[0].message).toBe('No result found');
  });
});

describe('a file that is being sent', () => {
  it('fails rows of stopped numbers at once, not billed, and those that were waiting when STOP came', async () => {
    const team = await aService2();
    await team.receive('STOP', '07700900331');
    const rows = [['phone number'], ['07700900330'], ['+44 7700 900331'], ['07700900332'], ['07700900333']];
    const { body } = await harness.v2('POST', '/v2/notifications/bulk', team.key, {
      ...{ name: 'list', template_id: team.template_id, rows },
    });
    await harness.runTasks();
    await team.receive('STOP', '07700900333');
    await harness.deliver();
    const ofJob = await harness.app.db
      .selectFrom('notifications')
      .select(['status', 'provider'])
      .where('job_id', '=', body.data.id)
      .orderBy('job_row_number')
      .execute();
    expect(ofJob).toEqual([
      { status: 'sending', provider: 'sandbox' },
      { status: 'permanent-failure', provider: null },
      { status: 'sending', provider: 'sandbox' },
      { status: 'permanent-failure', provider: null },
    ]);
    const { rows: usage } = await sql<{ sent: number; units: number }>`
      select coalesce(sum(notifications_sent), 0)::int as sent, coalesce(sum(billable_units), 0)::int as units
      from usage_counts where service_id = ${team.service} and template_id = ${team.template_id}`.execute(
      harness.app.db,
    );
    expect(usage).toEqual([{ sent: 2, units: 2 }]);
  });
});

describe('OPT_OUT_SCOPE', () => {
  it('sender: only texts from the number that got the reply are stopped', async () => {
    const team = await aService2();
    await team.receive('STOP');
    const { v2, app } = await harness.anotherProcess({ optOuts: { scope: 'sender' } });
    await harness.admin('POST', `/service/${team.service}/sms-sender`, { sms_sender: 'TESTING', is_default: false });
    const senders = await harness.app.db
      .selectFrom('service_sms_senders')
      .select(['id', 'sms_sender'])
      .where('service_id', '=', team.service)
      .execute();
    const send = (sms_sender_id: string | undefined) =>
      v2('POST', '/v2/notifications/sms', team.key, {
        ...{ phone_number: person, template_id: team.template_id, sms_sender_id },
      });
    const of = (name: string) => senders.find(({ sms_sender }) => sms_sender === name)?.id;
    expect((await send(of('TESTING'))).status).toBe(201);
    expect((await send(of(team.number))).status).toBe(400);
    await team.receive('START', person, app);
    expect((await send(of(team.number))).status).toBe(201);
  });
});

describe('a template that is essential', () => {
  it('goes to numbers that opted out', async () => {
    const team = await aService2();
    await team.receive('STOP');
    const page = `/console/services/${team.service}/templates/${team.template_id}`;
    const manager = await aPerson(harness);
    await joinService(harness, team.service, manager.id);
    const byManager = await (await signedIn(harness, manager.id)).post(page, { do: 'essential' });
    expect([byManager.status, byManager.text.includes('Only a platform administrator can decide this.')]).toEqual([
      400,
      true,
    ]);
    const operator = await signedIn(harness, await aPlatformAdmin(harness));
    expect((await team.send()).status).toBe(400);
    await operator.post(page, { do: 'essential' });
    expect((await operator.get(page)).text).toContain('Goes to numbers that opted out');
    const { status, body } = await team.send();
    expect(status).toBe(201);
    await harness.deliver();
    const found = harness.app.db.selectFrom('notifications').select('status').where('id', '=', body.id);
    expect(await found.executeTakeFirst()).toEqual({ status: 'sending' });
    await operator.post(page, { do: 'ordinary' });
    expect((await team.send()).status).toBe(400);
    const entries = harness.app.db.selectFrom('audit_log').select('action').where('noun', '=', 'essential_template');
    expect(await entries.where('thing_id', '=', team.template_id).orderBy('action').execute()).toEqual([
      { action: 'create' },
      { action: 'delete' },
    ]);
  });

  it('is a template of texts: 400 for an email', async () => {
    const team = await aService2();
    const email = await aTemplate(harness, team.service, { template_type: 'email', subject: 's', content: 'c' });
    const operator = await signedIn(harness, await aPlatformAdmin(harness));
    const page = `/console/services/${team.service}/templates/${email}`;
    expect((await operator.post(page, { do: 'essential' })).status).toBe(400);
  });
});

describe('a provider that refuses because of its own list', () => {
  it('makes the same row, once', async () => {
    const team = await aService2();
    const refused = [{ service_id: team.service, user_number: '447700900321', sender: team.number }];
    const record = () =>
      inTransaction(harness.app.db, (tx) => recordOptOutsAtProvider(harness.app, tx, refused, harness.clock.now()));
    await record();
    await record();
    await harness.app.changeListener.catchUp();
    expect((await team.send()).body.errors[0].message).toBe(stopText);
    const list = (await harness.v2('GET', '/v2/opted-out-numbers', team.key)).body.opted_out_numbers;
    expect(list).toMatchObject([{ phone_number: '447700900321', reason: 'provider', keyword: 'STOP' }]);
    expect(await metricOf(harness, 'sms_opt_outs_total')).toContain('keyword_set="provider",action="stop"');
  });
});

describe('/v2/opted-out-numbers', () => {
  it('200 with the own list, and lifting by any spelling; 404 for another service, 403 for a test key', async () => {
    const [team, other] = [await aService2(), await aService2()];
    await team.receive('STOP');
    expect((await harness.v2('GET', '/v2/opted-out-numbers', other.key)).body.opted_out_numbers).toEqual([]);
    expect((await harness.v2('GET', '/v2/opted-out-numbers', team.key)).body.opted_out_numbers).toEqual([
      {
        id: expect.any(String),
        phone_number: '447700900321',
        sender: `44${team.number.slice(1)}`,
        keyword: 'STOP',
        reason: 'keyword',
        created_at: '2026-11-03T12:00:00.000000Z',
      },
    ]);
    const type = { 'content-type': 'application/json' };
    const lift = (key: string, phone_number: unknown, reason?: string) =>
      harness.v2('POST', '/v2/opted-out-numbers/lift', key, { phone_number, reason }, type);
    expect((await lift(other.key, person)).status).toBe(404);
    expect((await lift(team.key, 'x')).status).toBe(400);
    expect((await lift(team.key, 7)).status).toBe(400);
    expect((await lift(await anApiKey(harness, team.service, { key_type: 'test' }), person)).status).toBe(403);
    expect((await lift(team.key, person, 'x'.repeat(1_001))).status).toBe(400);
    expect((await lift(team.key, '+44 7700 900321', 'She phoned.')).body).toEqual({ phone_number: '447700900321' });
    expect((await team.send()).status).toBe(201);
    const { rows } =
      await sql`select action, after from audit_log where noun = 'sms_opt_out' and service_id = ${team.service}`.execute(
        harness.app.db,
      );
    expect(rows).toEqual([{ action: 'delete', after: { lift_reason: 'She phoned.' } }]);
  });
});

describe('the words and replies of a service', () => {
  const usual = { scope: 'service' };

  async function aTeamWithPage() {
    const team = await aService2();
    const { id } = await aPerson(harness);
    await joinService(harness, team.service, id);
    const browser = await signedIn(harness, id);
    return { team, browser, page: `/console/services/${team.service}/settings/text/replies` };
  }

  it('count besides those that everybody has, and are what people read', async () => {
    const { team, browser, page } = await aTeamWithPage();
    const own = { stop_words: 'Enough, genüg', start_words: 'again', help_words: 'who' };
    const replies = { stop_reply: 'You have left the bins list.', help_reply: 'call 01632 960001.' };
    expect((await browser.post(page, { ...own, ...replies, ...usual })).status).toBe(303);
    expect((await browser.get(page)).text).toContain('value="ENOUGH, GENUG"');
    await team.receive('That is enough for today');
    expect((await team.send()).status).toBe(201);
    await team.receive('enough!');
    expect((await team.send()).body.errors[0].message).toContain('they replied ENOUGH on 3 November 2026.');
    await team.receive('who?');
    const [, [help = ''] = []] = await repliesOf(team);
    expect((await repliesOf(team))[0]?.[0]).toBe(replies.stop_reply);
    expect(help).toBe(replies.help_reply);
    await team.receive('Again');
    expect((await team.send()).status).toBe(201);
    await team.receive('STOP');
    expect((await team.send()).status).toBe(400);
    const other = await aService2();
    await other.receive('enough');
    expect((await other.send()).status).toBe(201);
    const entries = harness.app.db.selectFrom('audit_log').select('action').where('noun', '=', 'keyword_settings');
    expect(await entries.where('thing_id', '=', team.service).execute()).toEqual([{ action: 'create' }]);
  });

  it('are refused with every problem at once, and nothing changes', async () => {
    const { team, browser, page } = await aTeamWithPage();
    const wrong = {
      stop_words: 'no more',
      start_words: 'Cancel',
      help_words: 'x'.repeat(21),
      help_reply: 'x'.repeat(301),
    };
    const refused = await browser.post(page, wrong);
    expect([refused.status, Object.keys(refused.problems).sort()]).toEqual([400, ['help_reply', 'scope']]);
    expect((await browser.post(page, { ...wrong, help_reply: '', ...usual })).problems).toEqual({
      stop_words: 'Enter single words of letters and digits, such as ENOUGH.',
      start_words: 'Remove “CANCEL”: the word already means something else.',
      help_words: 'Enter words of at most 20 characters.',
    });
    const twice = { stop_words: 'bins', help_words: 'Bins', start_words: 'a,b,c,d,e,f,g,h,i,j,k', ...usual };
    expect((await browser.post(page, twice)).problems).toEqual({
      start_words: 'Enter up to 10 words.',
      help_words: 'Remove “BINS”: the word already means something else.',
    });
    const stored = harness.app.db.selectFrom('keyword_settings').selectAll().where('service_id', '=', team.service);
    expect(await stored.execute()).toEqual([]);
  });

  it('say whether STOP stops the texts of one number only', async () => {
    const { team, browser, page } = await aTeamWithPage();
    const other = { sms_sender: 'TESTING', is_default: false };
    const { body } = await harness.admin('POST', `/service/${team.service}/sms-sender`, other);
    const fromOther = () => team.send(person, team.key, { sms_sender_id: body.id });
    await browser.post(page, { scope: 'sender' });
    await team.receive('STOP');
    expect([(await team.send()).status, (await fromOther()).status]).toEqual([400, 201]);
    await browser.post(page, usual);
    expect((await fromOther()).status).toBe(400);
  });
});

describe('erasing a person', () => {
  it('deletes the opt-out, which the export has before', async () => {
    const team = await aService2();
    await team.receive('STOP');
    const erased = await harness.admin('POST', '/platform-admin/erase-recipient', {
      ...{ recipient: person, service_id: team.service },
    });
    expect(erased.body.erased).toMatchObject({ opted_out_numbers: 1 });
    expect((await harness.v2('GET', '/v2/opted-out-numbers', team.key)).body.opted_out_numbers).toEqual([]);
  });
});

it('no log line has the number of a person', () => {
  expect(harness.logged.filter((line) => /7700 ?900 ?321/.test(line))).toEqual([]);
});
