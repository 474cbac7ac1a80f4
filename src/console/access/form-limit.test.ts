import { describe, expect, it } from 'vitest';
import { FakeClock } from '../../../test/kit/fakes/fake-clock.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, password, signedIn } from '../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';
import { FormLimit } from './admission.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { console: { formRateLimit: 10 } } });

describe('forms of people who are not signed in', () => {
  it('429 after the limit of their address, with the time to wait; not for others and those who are signed in', async () => {
    const user = await aPerson(harness);
    const send = (address: string, path = '/console/sign-out') => new ConsoleVisitor(harness, address).post(path);
    for (let sent = 0; sent < 10; sent += 1) expect((await send('2001:db8::1')).status).toBe(303);
    harness.clock.advance({ seconds: 20 });
    for (const path of ['sign-in', 'forgot-password', 'start', 'sign-in/code', 'invitation/x', 'services/add']) {
      const page = await send('2001:db8::2', `/console/${path}`);
      expect([page.status, page.h1, page.headers['retry-after']]).toEqual([429, 'Too many attempts', '40']);
      expect(page.text).toContain('Try again in 40 seconds.');
    }
    expect((await send('2001:db8:0:1::1')).status).toBe(303);
    const member = await signedIn(harness, user.id);
    for (let sent = 0; sent < 11; sent += 1) {
      expect((await member.post('/console/account/name', { name: 'Ada' })).status).toBe(303);
    }
    harness.clock.advance({ seconds: 40 });
    const visitor = new ConsoleVisitor(harness, '2001:db8::1');
    expect((await visitor.post('/console/sign-in', { email_address: user.email_address, password })).status).toBe(303);
  });

  it('are counted for ten thousand addresses at most', () => {
    const limit = new FormLimit({ clock: new FakeClock() }, 1);
    for (let address = 0; address <= 10_000; address += 1) limit.count(String(address));
    expect(() => limit.count('10000')).toThrow('Too many');
    expect(() => limit.count('0')).not.toThrow();
  });
});
