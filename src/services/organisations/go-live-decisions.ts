import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import { updateService } from '../service-update.ts';
import { updateServices } from '../services.sql.ts';
import { getService, getServiceForUpdate } from '../services.ts';
import { selectGoLiveRequest } from './go-live-requests.sql.ts';
import { noRequest, sendRejection } from './go-live-requests.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
};

/** Live or not. Going live raises the limits, answers a request and tells the team. */
export async function setLive(app: Deps, serviceId: string, isLive: boolean): Promise<void> {
  const { restricted, active } = await getService(app.db, serviceId);
  if (!active) throw invalid('The service is archived.');
  if (restricted !== isLive) return;
  const wentLive = { go_live_at: timestamp(app.clock.now()), has_active_go_live_request: false };
  await updateService(app, serviceId, { restricted: !isLive, ...(isLive ? wentLive : { go_live_at: null }) });
}

/** The service stays in trial mode; the person who asked gets the reason by email. */
export async function refuseGoLive(
  app: Deps,
  serviceId: string,
  { reason, refused_by }: { reason: string; refused_by: { name: string; email_address: string; of: string } },
): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const service = await getServiceForUpdate(tx, serviceId);
    if (!service.has_active_go_live_request || !service.restricted) throw noRequest();
    await updateServices(tx, [serviceId], { has_active_go_live_request: false }, timestamp(app.clock.now()));
    const request = await selectGoLiveRequest(tx, serviceId);
    if (!request?.requester) return;
    await sendRejection(app, tx, request.requester.email_address, {
      name: request.requester.name,
      service_name: service.name,
      organisation_name: refused_by.of,
      reason,
      organisation_team_member_name: refused_by.name,
      organisation_team_member_email: refused_by.email_address,
    });
  });
}
