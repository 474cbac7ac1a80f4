import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, password, signedIn } from '../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';
import { endOtherSessions, endSession, keepSession, listSessions } from './sessions.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const statusOf = async (visitor: ConsoleVisitor) => (await visitor.get('/console/services')).status;

/** The same browser, whose next request reaches another process. */
async function elsewhere(visitor: ConsoleVisitor): Promise<ConsoleVisitor> {
  const other = new ConsoleVisitor(await harness.anotherProcess());
  for (const [name, value] of visitor.cookies) other.cookies.set(name, value);
  return other;
}

describe('a session ends on the next click, in every process', () => {
  it.each([
    ['the account is archived', (id: string) => harness.admin('POST', `/user/${id}/archive`)],
    [
      'the password changes',
      (id: string) => harness.admin('POST', `/user/${id}/update-password`, { _password: 'another password' }),
    ],
    [
      'the platform administration ends',
      (id: string) => harness.admin('POST', `/user/${id}`, { platform_admin: false }),
    ],
    [
      'ten codes in a row are wrong',
      async (id: string) => {
        const send = (path: string, body: object) => harness.admin('POST', `/user/${id}/${path}`, body);
        await send('sms-code', {});
        for (let tried = 0; tried < 10; tried += 1) {
          expect(await listSessions(harness.app, id)).toHaveLength(1);
          // Neither the right password nor any number of wrong ones changes what codes do.
          await send('verify/password', { password: 'a guess' });
          await send('verify/password', { password });
          await send('verify/code', { code: '11111', code_type: 'sms' });
        }
      },
    ],
    [
      'the device is revoked',
      async (id: string) => {
        const [session] = await listSessions(harness.app, id);
        await endSession(harness.app, id, session?.id ?? '');
      },
    ],
  ])('when %s', async (_reason, end) => {
    const { id } = await aPerson(harness, { platform_admin: true });
    const visitor = await signedIn(harness, id);
    const other = await elsewhere(visitor);
    expect([await statusOf(visitor), await statusOf(other)]).toEqual([200, 200]);
    harness.clock.advance({ seconds: 1 });
    await end(id);
    expect([await statusOf(visitor), await statusOf(other)]).toEqual([303, 303]);
    expect(await listSessions(harness.app, id)).toEqual([]);
  });

  it('keeps the browser that changed the password', async () => {
    const { id } = await aPerson(harness);
    const [visitor, other] = [await signedIn(harness, id), await signedIn(harness, id)];
    const [, first] = await listSessions(harness.app, id);
    harness.clock.advance({ seconds: 1 });
    const { body } = await harness.admin('POST', `/user/${id}/update-password`, { _password: 'another password' });
    await keepSession(harness.app, first?.id ?? '', body.data);
    expect([await statusOf(visitor), await statusOf(other)]).toEqual([200, 303]);
  });

  it('keeps one of several', async () => {
    const { id } = await aPerson(harness);
    const [visitor, other] = [await signedIn(harness, id), await signedIn(harness, id)];
    const [last] = await listSessions(harness.app, id);
    await endOtherSessions(harness.app, id, last?.id ?? '');
    expect([await statusOf(visitor), await statusOf(other)]).toEqual([303, 200]);
  });
});

describe('a session ends by itself', () => {
  it('after 20 hours, however much it is used', async () => {
    const visitor = await signedIn(harness, (await aPerson(harness)).id);
    for (let hours = 1; hours < 20; hours += 1) {
      harness.clock.advance({ hours: 1 });
      expect(await statusOf(visitor)).toBe(200);
    }
    harness.clock.advance({ hours: 1 });
    expect(await statusOf(visitor)).toBe(303);
    await harness.addTask('delete-old-sessions');
    await harness.runTasks();
    const rows = await harness.app.db.selectFrom('sessions').select('created_at').execute();
    expect(rows.every(({ created_at }) => created_at > '2026-11-15T12:00:30')).toBe(true);
  });

  it.each(['platform_admin', 'read_only_operator'])(
    'after 30 minutes without a page, for those with %s; polling is no page',
    async (role) => {
      const visitor = await signedIn(harness, (await aPerson(harness, { [role]: true })).id);
      harness.clock.advance({ minutes: 29 });
      expect(await statusOf(visitor)).toBe(200);
      harness.clock.advance({ minutes: 29 });
      expect((await visitor.get('/console/services', { 'x-live-part': 'true' })).status).toBe(200);
      harness.clock.advance({ minutes: 1 });
      expect(await statusOf(visitor)).toBe(303);
    },
  );
});

describe('a session of an operator in the demo', () => {
  it.each([
    ['ends without use, too, if others reach this server', false, 303],
    ['does not, if only this machine reaches it', true, 200],
  ])('%s', async (_, isOnlyHere, status) => {
    const demo = await harness.anotherProcess({ demo: { enabled: true, isOnlyHere } });
    const visitor = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id, demo);
    harness.clock.advance({ minutes: 31 });
    expect(await statusOf(visitor)).toBe(status);
  });
});

describe('the cookie', () => {
  it('is no password: only its hash is stored', async () => {
    const visitor = await signedIn(harness, (await aPerson(harness)).id);
    const stored = await harness.app.db.selectFrom('sessions').select('token_hash').execute();
    const token = visitor.cookies.get('pennypost_session') ?? '';
    expect(stored.map(({ token_hash }) => token_hash)).not.toContain(token);
    visitor.cookies.set('pennypost_session', stored.at(-1)?.token_hash ?? '');
    expect(await statusOf(visitor)).toBe(303);
  });
});
