import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';
import { recordAuditEntry } from '../../../../auth/audit-entry.ts';
import { timestamp } from '../../../../platform/clock.ts';
import { actAs } from '../../../../platform/db/actor.ts';
import { inTransaction } from '../../../../platform/db/database.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const path = '/console/operator/audit';
let operator: ConsoleVisitor;
let service: string;
let manager: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall' });
  ({ id: manager } = await aPerson(harness, { name: 'Grace Hopper', email_address: 'grace@example.org' }));
  await joinService(harness, service, manager);
  const browser = await signedIn(harness, manager);
  await browser.post(`/console/services/${service}/settings/name`, { name: 'City Hall' });
  harness.clock.advance({ days: 2 });
  await harness.admin('POST', `/service/${service}`, { name: '=Village Hall', created_by: await aUser(harness) });
  operator = await signedIn(harness, (await aPerson(harness, { read_only_operator: true })).id);
});

async function found(form: Record<string, string>) {
  const sent = await operator.post(path, form);
  expect([sent.status, sent.problems]).toEqual([303, {}]);
  return operator.follow(sent);
}

describe('/operator/audit', () => {
  it('lists changes with who made them, the newest first', async () => {
    const page = await operator.get(path);
    expect(page.status).toBe(200);
    expect(page.text).toMatch(/Client notify-admin.*changed.*Grace Hopper.*changed/s);
    expect(page.text).toContain('according to the client');
  });

  it('finds by person, service, thing, kind, action and days', async () => {
    const hers = await found({ person: 'Grace@example.org' });
    expect(hers.text).toContain('Grace Hopper');
    expect(hers.text).not.toContain('Client notify-admin</b> changed');
    const forms: Record<string, string>[] = [
      { service: 'village' },
      { service, thing: service, noun: 'service', action: 'update' },
      { from: '2026-11-17', to: '2026-11-17', noun: 'service' },
    ];
    for (const form of forms) expect((await found(form)).text).toContain('notify-admin');
    expect((await found({ to: '2026-11-15', noun: 'service' })).text).not.toContain('notify-admin</b> changed');
    expect((await found({ action: 'erase' })).text).toContain('No changes found');
  });

  it.each([
    [{ person: 'nobody@example.org' }, { person: 'Nobody has this address. Enter the whole email address.' }],
    [{ service: 'nowhere' }, { service: 'No service has this name. Enter another name, or an id.' }],
    [
      { from: '15/11/2026', to: 'x' },
      { from: 'Enter a day, for example 2026-11-15.', to: 'Enter a day, for example 2026-11-15.' },
    ],
  ])('400 for %j', async (form, problems) => {
    const page = await operator.post(path, form as Record<string, string>);
    expect([page.status, page.problems]).toEqual([400, problems]);
  });

  it('shows one change, before and after', async () => {
    const list = await found({ person: manager, noun: 'service' });
    const [, address = ''] = /href="(\/console\/operator\/audit\/[0-9a-f-]{36})"/.exec(list.text) ?? [];
    const page = await operator.get(address);
    expect(page.h1).toBe('A service was changed');
    expect(page.text).toMatch(/Town Hall.*City Hall/s);
    expect(page.text).toContain('grace@example.org');
    expect((await operator.get(`${path}/4f46df42-f795-4cc4-83bb-65ca312f49cc`)).status).toBe(404);
  });

  it('names things and fields in words', async () => {
    const actor = { type: 'user', user_id: manager, at: timestamp(harness.clock.now()) } as const;
    const changed = { digest: 'x', row_count: 3, summary: {}, is_contact_list: true, created_by_id: manager };
    await actAs(actor, () =>
      inTransaction(harness.app.db, (tx) =>
        recordAuditEntry(tx, { action: 'update', noun: 'upload', thing_id: service, before: changed, after: changed }),
      ),
    );
    const list = await found({ noun: 'upload' });
    expect(list.text).toMatch(/Grace Hopper<\/b> changed an uploaded file/);
    expect(list.text).toContain('created by, file content, contact list, number of rows, result of the check');
    const [, address = ''] = /href="(\/console\/operator\/audit\/[0-9a-f-]{36})"/.exec(list.text) ?? [];
    expect((await operator.get(address)).h1).toBe('An uploaded file was changed');
  });

  it('sends what is shown as CSV, without formulas', async () => {
    const { text, headers } = await operator.get(`${path}/csv?service=${service}&noun=service`);
    expect(headers['content-type']).toContain('text/csv');
    const lines = text.trim().split('\r\n');
    expect(lines[0]).toMatch(/^created_at,actor_type,user_id/);
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('""name"":""=Village Hall""');
    expect(lines[1]).toContain("'=Village Hall");
  });
});
