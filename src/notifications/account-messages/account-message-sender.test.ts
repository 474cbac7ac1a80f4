import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { accountMessages } from '../../../test/kit/world/account-messages.ts';
import { inTransaction } from '../../platform/db/database.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const signInCode = '36fb0730-6259-4da1-8a80-c8de22ad4246';
const signInLink = '299726d2-dba6-42b8-8209-30e1d66ea164';

function send(message: { template_id: string; to: string; reply_to?: string }) {
  const { app } = harness;
  return inTransaction(app.db, (tx) =>
    app.accountMessages.send(tx, { personalisation: { verify_code: '12345' }, ...message }),
  );
}

describe('messages to users', () => {
  it('are stored as notifications of the platform service in the priority lane', async () => {
    const { id } = await send({ template_id: signInCode, to: ' 07700 900461\u200b' });
    const { db } = harness.app;
    const row = await db.selectFrom('notifications').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      service_id: 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553',
      template_version: 1,
      notification_type: 'sms',
      key_type: 'normal',
      api_key_id: null,
      status: 'created',
      recipient: '07700 900461',
      normalised_recipient: '447700900461',
      personalisation: {},
      reply_to_text: 'PENNYPOST',
      created_at: '2026-11-15T12:00:00.000000Z',
    });
    const queued = await db
      .selectFrom('delivery_queue')
      .selectAll()
      .where('notification_id', '=', id)
      .executeTakeFirstOrThrow();
    expect(queued).toMatchObject({ lane: 0, notification_type: 'sms', due_at: '2026-11-15T12:00:00.000000Z' });
  });

  it('keep the case of an email address and the given reply-to address', async () => {
    const { id } = await send({ template_id: signInLink, to: 'Ada@Example.org', reply_to: 'team@example.org' });
    const row = await harness.app.db
      .selectFrom('notifications')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({
      notification_type: 'email',
      recipient: 'Ada@Example.org',
      normalised_recipient: 'ada@example.org',
      reply_to_text: 'team@example.org',
    });
  });

  it('contain names that look like no link, and change nothing else', async () => {
    const name = 'Pay at https://evil.example/pay or me@evil.example, [here](167772161)';
    const url = 'https://good.example/join';
    const valuesFor = async (template_id: string, to: string) => {
      const personalisation = { user_name: 'Dr. Ada', service_name: name, url };
      await inTransaction(harness.app.db, (tx) =>
        harness.app.accountMessages.send(tx, { template_id, to, personalisation }),
      );
      return (await accountMessages(harness)).at(-1)?.personalisation;
    };
    const inEmail = await valuesFor(signInLink, 'ada@example.org');
    expect(inEmail).toMatchObject({ user_name: 'Dr. Ada', url });
    expect(inEmail?.service_name?.replaceAll('\u200b', '')).toBe(name);
    expect(inEmail?.service_name).not.toMatch(/\w[.@]\w|:\/|\/\/|\]\(/);
    const inText = await valuesFor(signInCode, '07700 900461');
    expect(inText?.service_name).toBe('Pay at https: / / evil. example/ pay or me@ evil. example, [here] (167772161)');
  });

  it('may be international', async () => {
    const { id } = await send({ template_id: signInCode, to: '+1 202 555 0104' });
    const row = await harness.app.db
      .selectFrom('notifications')
      .select(['international', 'rate_multiplier'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    expect(row).toEqual({ international: true, rate_multiplier: 1 });
  });

  it.each([
    ['0770090', 'Mobile number is too short'],
    ['077009004610000', 'Mobile number is too long'],
    ['07700 90046x', 'Mobile numbers can only include: 0 1 2 3 4 5 6 7 8 9 ( ) + -'],
    ['+850 192 123 4567', 'Country code not found - double check the mobile number you entered'],
    ['020 7946 0000', 'This does not look like a UK mobile number – double check the mobile number you entered'],
    ['0900 123 4567', 'Number is not valid – double check the phone number you entered'],
  ])('400 for the number %s', async (to, text) => {
    await expect(send({ template_id: signInCode, to })).rejects.toMatchObject({ kind: 'invalid', detail: text });
  });

  it('400 for an invalid address', async () => {
    await expect(send({ template_id: signInLink, to: 'ada@example' })).rejects.toMatchObject({
      kind: 'invalid',
      detail: 'Not a valid email address',
    });
  });

  it('roll back with their transaction', async () => {
    const { app } = harness;
    let id = '';
    await inTransaction(app.db, async (tx) => {
      ({ id } = await app.accountMessages.send(tx, {
        template_id: signInCode,
        to: '07700900461',
        personalisation: {},
      }));
      throw new Error('undone');
    }).catch(() => undefined);
    const stored = await app.db.selectFrom('notifications').select('id').where('id', '=', id).execute();
    expect(stored).toEqual([]);
  });
});
