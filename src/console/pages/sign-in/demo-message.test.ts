import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, password } from '../../../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ config: { demo: { enabled: true } } });
const code = /\d{5} is your sign-in code/;

/** Returns the page that asks for the code, after the right password. */
async function secondStep(
  headers: Record<string, string>,
  address?: string,
  process: Pick<typeof harness, 'request'> = harness,
): Promise<string> {
  const { email_address } = await aPerson(harness);
  const visitor = new ConsoleVisitor(process, address);
  const sent = { 'sec-fetch-site': 'same-origin', ...headers };
  expect((await visitor.post('/console/sign-in', { email_address, password }, sent)).location).toBe(
    '/console/sign-in/code',
  );
  await harness.deliver();
  const page = await visitor.get('/console/sign-in/code', headers);
  expect(page.h1).toBe('Check your phone');
  return page.text;
}

describe('the page of the second step in the demo', () => {
  it.each<Record<string, string>>([{}, { host: 'localhost:6011' }, { host: '127.0.0.1:6011' }, { host: '[::1]:6011' }])(
    'shows the code to a browser on this machine: %j',
    async (headers) => {
      expect(await secondStep(headers)).toMatch(code);
      expect(await secondStep(headers, '::1')).toMatch(code);
    },
  );

  it.each<Record<string, string>>([
    { 'x-forwarded-for': '203.0.113.9' },
    { 'x-forwarded-for': '127.0.0.1' },
    { forwarded: 'for=203.0.113.9' },
    { host: 'notify.example.org' },
    { host: 'localhost.example.org' },
  ])('does not show it through a proxy on this machine: %j', async (headers) => {
    expect(await secondStep(headers)).not.toMatch(code);
  });

  it('does not show it to another machine', async () => {
    expect(await secondStep({}, '203.0.113.9')).not.toMatch(code);
  });

  it('does not show it where BASE_URL or HOST is not of this machine only', async () => {
    const exposed = await harness.anotherProcess({ demo: { enabled: true, isOnlyHere: false } });
    expect(await secondStep({}, undefined, exposed)).not.toMatch(code);
  });
});
