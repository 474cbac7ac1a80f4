import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { timestamp } from '../../../platform/clock.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

async function aReader() {
  const service = await aService(harness, { name: `Library ${newId(harness.clock.now()).slice(-6)}` });
  const { id } = await aPerson(harness);
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions: [{ permission: 'view_activity' }] });
  return { service, browser: await signedIn(harness, id), here: `/console/services/${service}/unsubscribe-requests` };
}

async function unsubscribe(service: string, email_address: string): Promise<void> {
  const now = harness.clock.now();
  const template_id = await aTemplate(harness, service, { template_type: 'email', name: 'Newsletter' });
  const ids = { id: newId(now), notification_id: newId(now) };
  await harness.app.db
    .insertInto('unsubscribe_requests')
    .values({
      ...ids,
      service_id: service,
      template_id,
      template_version: 1,
      email_address,
      processed: false,
      created_at: timestamp(now),
    })
    .execute();
}

describe('unsubscribe requests', () => {
  it('become a report when they are downloaded, and are ticked when done', async () => {
    const { service, browser, here } = await aReader();
    expect((await browser.get(here)).text).toContain('Nobody has unsubscribed');
    await unsubscribe(service, 'ada@example.org');
    await unsubscribe(service, '=bob@example.org');
    expect((await browser.get(here)).text).toContain('Not downloaded');
    const download = await browser.post(`${here}/download`);
    expect(download.headers['content-disposition']).toMatch(
      /^attachment; filename="Library \w+ unsubscribe requests 2026-11-15\.csv"$/,
    );
    expect(download.text).toContain('ada@example.org,Newsletter');
    expect(download.text).toContain("'=bob@example.org");
    const page = await browser.get(here);
    expect(page.text).toMatch(/15 Nov.*?2.*?Downloaded/s);
    const report = /href="([^"]+unsubscribe-requests\/[^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await browser.get(`${report}/csv`)).text).toBe(download.text);
    await browser.post(report, { 'done[]': ['yes'] });
    expect((await browser.get(here)).text).toContain('Completed');
    expect((await browser.get(report)).text).toMatch(/value="yes" checked/);
    expect((await browser.follow(await browser.post(`${here}/download`))).text).toContain(
      'already downloaded these requests',
    );
    const other = await aReader();
    expect((await other.browser.get(report.replace(service, other.service))).status).toBe(404);
  });

  it('are downloaded in parts, each address once', async () => {
    const { service, browser, here } = await aReader();
    await unsubscribe(service, 'first@example.org');
    await sql`insert into unsubscribe_requests (id, service_id, notification_id, template_id, template_version, email_address,
        processed, created_at)
      select gen_random_uuid(), service_id, gen_random_uuid(), template_id, 1, concat('person.', number, '@example.org'), false, created_at
      from unsubscribe_requests cross join generate_series(1, 4100) as number where service_id = ${service}`.execute(
      harness.app.db,
    );
    const lines = (await browser.post(`${here}/download`)).text.trim().split('\r\n');
    expect(lines).toHaveLength(1 + 4_101);
    expect(new Set(lines.map((line) => line.split(',')[0])).size).toBe(lines.length);
    const report = /href="([^"]+unsubscribe-requests\/[^"]+)"/.exec((await browser.get(here)).text)?.[1] ?? '';
    expect((await browser.get(report)).text).toContain('4,101 addresses');
  });

  it('are batched by the team only', async () => {
    const { service, here } = await aReader();
    await unsubscribe(service, 'ada@example.org');
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    expect((await admin.get(here)).status).toBe(200);
    expect((await admin.post(`${here}/download`)).status).toBe(403);
  });
});
