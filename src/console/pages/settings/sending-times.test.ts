import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let service: string;
let manager: ConsoleVisitor;
let sender: ConsoleVisitor;
beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall' });
  const join = async (permissions?: string[]) => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, permissions);
    return signedIn(harness, id);
  };
  manager = await join();
  sender = await join(['send_messages']);
});

const page = () => `/console/services/${service}/settings/sending-times`;
const weekdaysOnly = {
  name: 'Daytime',
  'days[]': ['mon', 'tue', 'wed', 'thu', 'fri'],
  from_time: '08:00',
  until_time: '21:00',
  closed_days: '2026-12-25\n2026-12-26',
};
const read = async () => (await harness.admin('GET', `/service/${service}/send-window`)).body.data;

describe('sending times of a service', () => {
  it('are added, chosen for a channel and shown in the settings', async () => {
    expect((await manager.get(page())).text).toContain('No sending times yet');
    const added = await manager.follow(await manager.post(`${page()}/add`, weekdaysOnly));
    expect(added.text).toContain('08:00 to 21:00, Monday, Tuesday, Wednesday, Thursday and Friday');
    expect(added.text).toContain('go out over the first 10 minutes of their sending time');
    const { windows } = await read();
    expect(windows).toMatchObject([{ name: 'Daytime', closed_days: ['2026-12-25', '2026-12-26'] }]);
    const chosen = { sms_window_id: windows[0].id, email_window_id: '', time_zone: 'Europe/Paris' };
    expect((await manager.post(page(), chosen)).status).toBe(303);
    expect(await read()).toMatchObject({ ...chosen, email_window_id: null });
    expect((await manager.get(`/console/services/${service}/settings`)).text).toContain('Texts: Daytime');
  });

  it('say everything that is wrong at once, and change nothing', async () => {
    const before = await read();
    const empty = await manager.post(`${page()}/add`, { name: '', from_time: '', until_time: '', closed_days: '' });
    expect([empty.status, empty.problems]).toEqual([
      400,
      {
        name: 'Enter a name.',
        days: 'Choose at least one day.',
        from_time: 'Enter a time such as 08:00.',
        until_time: 'Enter a time such as 21:00.',
      },
    ]);
    const wrong = { ...weekdaysOnly, from_time: '8', until_time: '25:00', closed_days: 'Christmas' };
    expect((await manager.post(`${page()}/add`, { ...wrong, name: 'Wrong' })).problems).toEqual({
      from_time: 'Enter a time such as 08:00.',
      until_time: 'Enter a time such as 21:00.',
      closed_days: 'Christmas is not a date such as 2026-12-25.',
    });
    expect((await manager.post(`${page()}/add`, weekdaysOnly)).problems).toEqual({
      name: 'A sending time with this name already exists.',
    });
    const zone = { sms_window_id: '', email_window_id: '', time_zone: 'Europe/Londn' };
    expect((await manager.post(page(), zone)).problems).toEqual({ time_zone: 'Europe/Londn is not a time zone.' });
    expect(await read()).toEqual(before);
  });

  it('are changed, and deleted once nothing uses them', async () => {
    const { id } = (await read()).windows[0];
    const changed = { ...weekdaysOnly, name: 'Office hours', closed_days: '' };
    expect((await manager.post(`${page()}/${id}`, changed)).status).toBe(303);
    expect((await read()).windows).toMatchObject([{ name: 'Office hours', closed_days: [] }]);
    const used = await manager.post(`${page()}/${id}/delete`, {});
    expect([used.status, used.problems]).toEqual([400, { '': 'The service or a template uses this sending time' }]);
    await manager.post(page(), { sms_window_id: '', email_window_id: '' });
    expect((await manager.post(`${page()}/${id}/delete`, {})).status).toBe(303);
    expect((await read()).windows).toEqual([]);
    expect((await manager.get(`${page()}/${id}`)).status).toBe(404);
  });

  it('can be others for a template', async () => {
    await manager.post(`${page()}/add`, { ...weekdaysOnly, name: 'Mornings' });
    const [{ id: window }] = (await read()).windows;
    const template = await aTemplate(harness, service, { content: 'Hello' });
    const ofTemplate = `/console/services/${service}/templates/${template}`;
    expect((await manager.get(ofTemplate)).text).toContain('Same as the service');
    expect((await manager.post(`${ofTemplate}/sending-times`, {})).problems).toEqual({
      window: 'Choose when messages go out.',
    });
    const saved = await manager.follow(await manager.post(`${ofTemplate}/sending-times`, { window }));
    expect(saved.text).toContain('Mornings');
    const chosen = await harness.admin('GET', `/service/${service}/template/${template}/sending-times`);
    expect(chosen.body.data).toEqual({ window });
    expect((await sender.post(`${ofTemplate}/sending-times`, { window: 'none' })).status).toBe(403);
    const letter = await aTemplate(harness, service, { template_type: 'letter', subject: 'Hi', content: 'Hello' });
    const ofLetter = `/console/services/${service}/templates/${letter}/sending-times`;
    expect((await manager.get(ofLetter)).status).toBe(404);
    expect((await manager.post(ofLetter, { window })).status).toBe(404);
  });

  it('are for people who manage the service', async () => {
    expect((await sender.get(page())).status).toBe(403);
    expect((await sender.post(`${page()}/add`, weekdaysOnly)).status).toBe(403);
  });
});
