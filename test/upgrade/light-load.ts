import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { keyOf, type ServiceData } from '../kit/world/service-with-data.ts';
import type { RunningRelease } from './running-release.ts';

/** Sends text messages of one service, some dozens a second, to each of the releases in turn. */
export function startLoad(serviceData: ServiceData, releases: RunningRelease[]) {
  const { ids, accepted } = serviceData;
  const message = { phone_number: '07700900123', template_id: ids.template_id, personalisation: { name: 'Ada' } };
  let isStopped = false;
  /** `responses` counts them by status or error. `releases` can be changed, as by a load balancer when a process is about to stop. */
  const load = { releases, responses: {} as Record<string, number>, stop };
  const sending = keepSending();
  onTestFinished(stop);
  return load;

  async function keepSending(): Promise<void> {
    for (let turn = 0; !isStopped; turn += 1) {
      const outcome = await send(load.releases[turn % load.releases.length] as RunningRelease).catch(String);
      load.responses[outcome] = (load.responses[outcome] ?? 0) + 1;
      await sleep(20);
    }
  }

  async function send(release: RunningRelease): Promise<string> {
    const { status, body } = await release.ask('POST', '/v2/notifications/sms', keyOf(serviceData), message);
    if (status === 201) accepted.sms.push(body.id);
    return String(status);
  }

  async function stop(): Promise<void> {
    isStopped = true;
    await sending;
  }
}
