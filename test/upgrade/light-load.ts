import { setTimeout as sleep } from 'node:timers/promises';
import { keyOf, type ServiceData } from '../kit/world/service-with-data.ts';
import type { RunningRelease } from './running-release.ts';

/** Text messages of one service, some dozens a second, to each of the releases in turn. */
export class LightLoad {
  /** Number of responses by status or error. */
  readonly responses: Record<string, number> = {};
  private readonly sending: Promise<void>;
  private stopped = false;
  private releases: RunningRelease[];

  constructor(serviceData: ServiceData, ...releases: RunningRelease[]) {
    this.releases = releases;
    this.sending = this.keepSending(serviceData);
  }

  /** From now on, as a load balancer does when a process is about to stop. */
  sendOnlyTo(...releases: RunningRelease[]): void {
    this.releases = releases;
  }

  async stop(): Promise<void> {
    this.stopped = true;
    await this.sending;
  }

  private async keepSending(serviceData: ServiceData): Promise<void> {
    const message = {
      phone_number: '07700900123',
      template_id: serviceData.ids.template_id,
      personalisation: { name: 'Ada' },
    };
    for (let turn = 0; !this.stopped; turn += 1) {
      const outcome = await this.send(serviceData, message, this.releases[turn % this.releases.length]).catch(String);
      this.responses[outcome] = (this.responses[outcome] ?? 0) + 1;
      await sleep(20);
    }
  }

  private async send(serviceData: ServiceData, message: object, release: RunningRelease | undefined): Promise<string> {
    if (!release) return 'no release to send to';
    const response = await release.ask('POST', '/v2/notifications/sms', keyOf(serviceData), message);
    if (response.status === 201) serviceData.accepted.sms.push(response.body.id);
    return String(response.status);
  }
}
