import { describe, expect, it } from 'vitest';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../../../test/kit/harness.ts';
import { accountMessages } from '../../../../test/kit/world/account-messages.ts';
import { aPerson, password, signedIn } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { au } from '../../../countries/au.ts';
import { ca } from '../../../countries/ca.ts';
import { gb } from '../../../countries/gb.ts';
import { later } from '../../../platform/clock.ts';

const now = '2026-11-15T12:00:00Z';
const hour_ms = 3_600_000;
const lastValue = async (harness: Harness, name: string) =>
  (await accountMessages(harness)).at(-1)?.personalisation[name] ?? '';
const pathOf = (url: string) => url.replace(/^https?:\/\/[^/]+/, '');

describe.each([
  { profile: gb, hours: 20, days: 90, mobile_number: '07700 900460' },
  { profile: au, hours: 8, days: 30, mobile_number: '0491 570 156' },
  { profile: { ...gb, signIn: { ...gb.signIn, sessionHours: 2 } }, hours: 2, days: 90, mobile_number: '07700 900460' },
])('signing in under the rules of $profile.code, $hours hours', ({ profile, hours, days, mobile_number }) => {
  const harness = useHarness({ now, country: profile });

  it('ends a session after the hours of the country', async () => {
    harness.clock.set(now);
    const { id } = await aPerson(harness, { mobile_number });
    const visitor = await signedIn(harness, id);
    harness.clock.set(later(new Date(now), hours * hour_ms - 1_000).toISOString());
    expect((await visitor.get('/console/services')).status).toBe(200);
    harness.clock.set(later(new Date(now), hours * hour_ms).toISOString());
    expect((await visitor.get('/console/services')).location).toMatch(/^\/console\/sign-in/);
  });

  it('asks people to prove their address again after the days of the country', async () => {
    harness.clock.set(now);
    const stepsOf = async (provenDaysAgo: number) => {
      const proven = later(new Date(now), -provenDaysAgo * 24 * hour_ms).toISOString();
      const { email_address } = await aPerson(harness, { mobile_number, email_access_validated_at: proven });
      const visitor = new ConsoleVisitor(harness);
      expect((await visitor.post('/console/sign-in', { email_address, password })).location).toBe(
        '/console/sign-in/code',
      );
      const code = await lastValue(harness, 'verify_code');
      return (await visitor.post('/console/sign-in/code', { code })).location;
    };
    expect(await stepsOf(days - 1)).toBe('/console');
    expect(await stepsOf(days)).toBe('/console/sign-in/inbox');
  });
});

describe('an account without a mobile number', () => {
  const canada = useHarness({ now, country: ca });
  const britain = useHarness({ now });

  async function invite(harness: Harness, email_address: string): Promise<string> {
    const inviter = await aPerson(harness, { mobile_number: null, auth_type: 'email_auth' });
    const service = await aService(harness, { created_by_id: inviter.id });
    const { status } = await harness.admin('POST', `/service/${service}/invite`, {
      ...{ email_address, from_user: inviter.id, permissions: 'view_activity', auth_type: 'sms_auth' },
    });
    expect(status).toBe(201);
    return pathOf(await lastValue(harness, 'url'));
  }
  const findUser = async (harness: Harness, email: string) =>
    (await harness.admin('POST', '/user/email', { email })).body.data;
  const account = { name: 'Ada Lovelace', password: 'three long words' };

  it('is made where the country does not ask for one, and signs in with email links', async () => {
    const email = 'ada@example.org';
    const path = await invite(canada, email);
    const visitor = new ConsoleVisitor(canada);
    expect((await visitor.get(path)).text).toContain('Mobile number (optional)');
    expect((await visitor.post(path, account)).location).toMatch(/^\/console\/services\//);
    expect(await findUser(canada, email)).toMatchObject({
      ...{ state: 'active', auth_type: 'email_auth', mobile_number: null },
    });
    const again = new ConsoleVisitor(canada);
    const page = await again.post('/console/sign-in', { email_address: email, password: account.password });
    expect(page.location).toBe('/console/sign-in/inbox');
    const link = pathOf(await lastValue(canada, 'url'));
    expect((await again.post(link)).location).toBe('/console');
    expect((await again.get('/console/account')).status).toBe(200);
  });

  it('has the number that was typed, and proves it', async () => {
    const email = 'grace@example.org';
    const path = await invite(canada, email);
    const visitor = new ConsoleVisitor(canada);
    const page = await visitor.post(path, { ...account, mobile_number: '416 555 0123' });
    expect([page.problems, page.location]).toEqual([{}, '/console/sign-in/code']);
    expect((await findUser(canada, email)).auth_type).toBe('sms_auth');
  });

  it('is made by the API with email sign-in, unless it says otherwise', async () => {
    const create = (harness: Harness, email_address: string, change = {}) =>
      harness.admin('POST', '/user', { name: 'Ada', email_address, password: 'three long words', ...change });
    const made = await create(canada, 'api@example.org');
    expect([made.status, made.body.data?.auth_type]).toEqual([201, 'email_auth']);
    expect((await create(canada, 'sms@example.org', { auth_type: 'sms_auth' })).status).toBe(400);
    expect((await create(britain, 'api@example.org')).status).toBe(400);
  });

  it('is refused where the country asks for one', async () => {
    const path = await invite(britain, 'ada@example.org');
    const visitor = new ConsoleVisitor(britain);
    expect((await visitor.get(path)).text).not.toContain('optional');
    expect((await visitor.post(path, account)).problems).toEqual({ mobile_number: 'Enter your mobile number.' });
  });
});
