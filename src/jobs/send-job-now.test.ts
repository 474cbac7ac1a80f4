import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../test/kit/world/console-visitor.ts';

const night = '2026-11-16T22:00:00Z';
const opening = '2026-11-17T08:00:00.000000Z';
const harness = useHarness({ now: night });
const { admin } = harness;
/** Besides one that does not wait, so that the file becomes messages at once. */
const rows = 600;

let service: string;
let sendFile: () => Promise<string>;
let sender: ConsoleVisitor;
let reader: ConsoleVisitor;
beforeAll(async () => {
  service = await aService(harness);
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const window = { name: 'Daytime', days, from_time: '08:00', until_time: '21:00' };
  const { body } = await admin('POST', `/service/${service}/send-window`, window);
  const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
  expect((await admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  sendFile = async () => {
    const list = Array.from({ length: rows }, (_, index) => [`07700${900_000 + index}`, '']);
    const awake = ['07700900999', 'America/New_York'];
    const file = { name: 'Reminders', template_id, rows: [['phone number', 'time zone'], awake, ...list] };
    const sent = await harness.v2('POST', '/v2/notifications/bulk', key, file);
    expect(sent.status).toBe(201);
    return sent.body.data.id;
  };
  const join = async (permissions: string[]) => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, permissions);
    return signedIn(harness, id);
  };
  sender = await join(['send_messages', 'view_activity']);
  reader = await join(['view_activity']);
});

const jobOf = async (id: string) => (await admin('GET', `/service/${service}/job/${id}`)).body.data;
const sendNow = (id: string, of = service) => admin('POST', `/service/${of}/job/${id}/send-now`);
const waitingOf = async (id: string) =>
  (await harness.app.pool.query('select from held_messages where job_id = $1', [id])).rows.length;

describe('a file that waits for its sending time', () => {
  it('says until when, and is sent now, once, with an entry in the audit log', async () => {
    const id = await sendFile();
    const other = await sendFile();
    await harness.runTasks();
    expect(await jobOf(id)).toMatchObject({
      held_until: opening,
      statistics: [{ status: 'created', count: rows + 1 }],
    });
    const { status, body } = await admin('GET', `/service/${service}/job`);
    expect([status, body.data[0]]).toMatchObject([200, { held_until: opening }]);
    expect((await sendNow(id)).status).toBe(204);
    await harness.runTasks();
    await harness.deliver();
    const sent = await jobOf(id);
    expect(sent).not.toHaveProperty('held_until');
    expect(sent.statistics.map(({ status: of }: { status: string }) => of)).not.toContain('created');
    expect([await waitingOf(id), await waitingOf(other)]).toEqual([0, rows]);
    const again = await sendNow(id);
    expect([again.status, again.body.message]).toEqual([400, 'No message of this file waits for its sending time']);
    const { rows: entries } = await harness.app.pool.query(
      `select after from audit_log where noun = 'job' and thing_id = $1 and action = 'update' and after ? 'ignores_sending_times'`,
      [id],
    );
    expect(entries.map(({ after }) => after.ignores_sending_times)).toEqual([true]);
  });

  it('sends its rows at once that are not messages yet', async () => {
    const id = await sendFile();
    const sentNow = { ignores_sending_times: true };
    await harness.app.db.updateTable('jobs').set(sentNow).where('id', '=', id).execute();
    await harness.runTasks();
    expect([await waitingOf(id), (await jobOf(id)).rows_done]).toEqual([0, rows + 1]);
  });

  it('of another service is not found', async () => {
    const id = await sendFile();
    await harness.runTasks();
    expect((await sendNow(id, await aService(harness))).status).toBe(404);
    expect(await waitingOf(id)).toBe(rows);
  });

  it('is sent on its page by those who may send', async () => {
    const id = await sendFile();
    await harness.runTasks();
    const page = `/console/services/${service}/files/${id}`;
    const shown = await sender.get(page);
    expect(shown.text).toContain('Messages of this file wait for their sending times.');
    expect(shown.text).toMatch(/may go out <time [^>]*>17 Nov, 08:00<\/time>/);
    expect(shown.text).toContain(`action="${page}/send-now"`);
    expect((await reader.get(page)).text).not.toContain('send-now');
    expect((await reader.post(`${page}/send-now`, {})).status).toBe(403);
    const sent = await sender.follow(await sender.post(`${page}/send-now`, {}));
    expect(sent.text).toContain('The messages go out now.');
    await harness.runTasks();
    expect(await waitingOf(id)).toBe(0);
    const again = await sender.post(`${page}/send-now`, {});
    expect([again.status, again.problems]).toEqual([
      400,
      { '': 'No message of this file waits for its sending time.' },
    ]);
  });

  it('is cancelled on its page', async () => {
    const id = await sendFile();
    await harness.runTasks();
    const page = `/console/services/${service}/files/${id}`;
    expect((await sender.get(page)).text).toContain(`action="${page}/cancel"`);
    expect((await sender.post(`${page}/cancel`, {})).status).toBe(303);
    await harness.runTasks();
    expect([await waitingOf(id), (await jobOf(id)).job_status]).toEqual([0, 'cancelled']);
  });
});
