import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
let template: string;
let operator: ConsoleVisitor;
let manager: ConsoleVisitor;
beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall' });
  template = await aTemplate(harness, service, { content: 'Hello' });
  operator = await signedIn(harness, (await aPerson(harness, { name: 'Grace', platform_admin: true })).id);
  const { id } = await aPerson(harness, { name: 'Ada' });
  await joinService(harness, service, id);
  manager = await signedIn(harness, id);
});

const page = () => `/console/services/${service}/settings/operator/annual-limit`;
const save = (form: Record<string, string>, as = operator) => as.post(page(), form);

async function send(times: number): Promise<void> {
  const key = await anApiKey(harness, service);
  for (let time = 0; time < times; time += 1) {
    const body = { phone_number: '07700900123', template_id: template };
    expect((await harness.v2('POST', '/v2/notifications/sms', key, body)).status).toBe(201);
  }
}

describe('limits of a year', () => {
  it('are set by operators, seen by the team, and shown with what is left', async () => {
    const usage = () => manager.get(`/console/services/${service}/usage`);
    expect((await usage()).text).not.toContain('Left until');
    const saved = await save({ email: '', sms: '1,000', letter: '' });
    expect([saved.status, saved.problems]).toEqual([303, {}]);
    expect((await operator.follow(saved)).text).toContain('Texts: 1,000');
    await send(2);
    const { text } = await usage();
    expect(text).toContain('Left until 1 April');
    expect(text).toMatch(/<b>Texts<\/b>: 998 of 1,000 left/);
    expect((await save({ sms: '1' }, manager)).status).toBe(403);
  });

  it('can be lowered below what was sent, which the notice says', async () => {
    const saved = await operator.follow(await save({ sms: '1' }));
    expect(saved.text).toContain('The service has already sent 2 texts, so it cannot send more until 1 April.');
    const removed = await operator.follow(await save({ sms: '' }));
    expect(removed.text).toContain('Setting saved.');
  });

  it.each(['-1', 'many', '2147483648'])('400 for %s', async (sms) => {
    const refused = await save({ sms });
    expect([refused.status, refused.problems]).toEqual([400, { sms: 'Enter a whole number from 0.' }]);
  });

  it('the check of a file says what it needs and what is left', async () => {
    await save({ sms: '3' });
    const content = 'phone number\n07700900001\n07700900002\n';
    const path = `/console/services/${service}/files/new/${template}`;
    const sent = await manager.postFile(path, {}, { field: 'file', name: 'people.csv', content });
    await harness.runTasks();
    expect((await manager.get(sent.location ?? '')).text).toContain('This needs 2 messages; 1 is left until 1 April.');
    await manager.post(`${sent.location}/send`, { on_error: 'skip' });
    await harness.runTasks();
    const stored = await harness.app.db
      .selectFrom('notifications')
      .select('id')
      .where('service_id', '=', service)
      .execute();
    expect(stored).toHaveLength(2);
  });
});
