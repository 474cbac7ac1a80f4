import type { Platform } from '../platform/platform.ts';
import { Remembered } from '../platform/remembered.ts';
import { selectSendingService } from './sending-services.sql.ts';

export type SendingService = NonNullable<Awaited<ReturnType<typeof selectSendingService>>>;
export type SendingServices = Remembered<SendingService>;

export function sendingServices(app: Pick<Platform, 'db' | 'notices'>): SendingServices {
  return new Remembered(app.notices, {
    channel: 'service_changed',
    most: 10_000,
    // A change of branding is not announced as a change of the services that use it.
    forgetAfter_ms: 60_000,
    load: (serviceId) => selectSendingService(app.db, serviceId),
  });
}
