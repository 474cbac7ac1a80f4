import { expect } from 'vitest';
import type { ServiceData } from '../kit/world/service-with-data.ts';
import type { RunningRelease } from './running-release.ts';
import type { UpgradedWorld } from './upgraded-world.ts';

/** Every message was handed over once, with one callback, and nothing failed. */
export async function expectDeliveredOnce(world: UpgradedWorld, services: ServiceData[]): Promise<void> {
  const accepted = services
    .flatMap((serviceData) => [...serviceData.accepted.sms, ...serviceData.accepted.email])
    .sort();
  const rows = await world.query<{ reference: string; times_sent: number }>(
    'select reference, times_sent from sandbox_messages where reference = any ($1::uuid[]) order by reference',
    [accepted],
  );
  expect(rows).toEqual(accepted.map((reference) => ({ reference, times_sent: 1 })));
  expect(world.sink.calls.map(({ body }) => JSON.parse(body).id).sort()).toEqual(accepted);
  const letters = services.flatMap((serviceData) => serviceData.accepted.letter);
  const printed = await world.query(
    `select 1 from printed_letters p left join uploaded_letters u using (notification_id)
     where coalesce(u.file_id, p.notification_id) = any ($1::uuid[])`,
    [letters],
  );
  expect(printed).toHaveLength(letters.length);
  expect(await world.query('select task_identifier, last_error from graphile_worker.jobs')).toEqual([]);
}

/** The release's reports match the accepted messages. One letter of each service was returned. */
export async function expectFigures(
  release: RunningRelease,
  world: UpgradedWorld,
  services: ServiceData[],
): Promise<void> {
  for (const { ids, accepted } of services) {
    const [sms, email, letter] = [accepted.sms.length, accepted.email.length, accepted.letter.length];
    const statistics = await release.admin('GET', `/service/${ids.service_id}/statistics`);
    expect(statistics.body.data).toEqual({
      sms: { requested: sms, delivered: sms, failed: 0 },
      email: { requested: email, delivered: email, failed: 0 },
      letter: { requested: letter, delivered: letter - 1, failed: 0 },
    });
    const usage = await release.admin('GET', `/service/${ids.service_id}/billing/monthly-usage?year=2024`);
    expect(sentByChannel(usage.body)).toEqual({ sms, letter });
  }
  const today = release.now().toISOString().slice(0, 10);
  const platform = await release.admin('GET', `/platform-stats?start_date=${today}&end_date=${today}`);
  const counted = await world.query<{ notification_type: string; total: number }>(
    'select notification_type, count(*)::integer as total from notifications group by 1',
  );
  for (const { notification_type, total } of counted) expect(platform.body[notification_type].total).toBe(total);
}

function sentByChannel(rows: { notification_type: string; notifications_sent: number }[]): Record<string, number> {
  const sent: Record<string, number> = {};
  for (const row of rows) sent[row.notification_type] = (sent[row.notification_type] ?? 0) + row.notifications_sent;
  return sent;
}
