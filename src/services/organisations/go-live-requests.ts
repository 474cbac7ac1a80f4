import { timestamp } from '../../platform/clock.ts';
import { inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { pageUrl } from '../../users/sign-in/link-tokens.ts';
import { updateService } from '../service-update.ts';
import { updateServices } from '../services.sql.ts';
import { getService, getServiceForUpdate } from '../services.ts';
import { selectApprovers, selectGoLiveRequest } from './go-live-requests.sql.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { urls: Urls };
};

/** Notifies all approvers of the organisation, and sends the requester their names. */
export async function notifyApproversOfRequest(app: Deps, serviceId: string): Promise<void> {
  const { service_name, requester, organisation } = await getRequest(app, serviceId);
  if (!organisation) return;
  const { goLiveRequest, goLiveReceipt } = accountTemplates;
  await inTransaction(app.db, async (tx) => {
    const approvers = await selectApprovers(tx, organisation.id);
    for (const { name, email_address } of approvers) {
      await app.accountMessages.send(tx, {
        template_id: goLiveRequest,
        to: email_address,
        personalisation: {
          name,
          service_name,
          requester_name: requester.name,
          requester_email_address: requester.email_address,
          make_service_live_link: pageUrl(app.config.urls.admin, `/services/${serviceId}/make-service-live`),
          support_page_link: pageUrl(app.config.urls.admin, '/support'),
          organisation_name: organisation.name,
        },
        reply_to: requester.email_address,
      });
    }
    if (approvers.length === 0) return;
    await app.accountMessages.send(tx, {
      template_id: goLiveReceipt,
      to: requester.email_address,
      personalisation: {
        service_name,
        name: requester.name,
        organisation_name: organisation.name,
        organisation_team_member_names: approvers.map(({ name }) => name),
      },
    });
  });
}

export async function notifyOfNextSteps(
  app: Deps,
  serviceId: string,
  { to, service_name, body }: { to: string; service_name: string; body: string },
): Promise<void> {
  await getOpenRequest(app, serviceId);
  const message = { template_id: accountTemplates.goLiveNextSteps, to, personalisation: { service_name, body } };
  await inTransaction(app.db, (tx) => app.accountMessages.send(tx, message));
}

interface Rejection {
  name: string;
  service_name: string;
  organisation_name: string;
  reason: string;
  organisation_team_member_name: string;
  organisation_team_member_email: string;
}

export async function notifyRequesterOfRejection(app: Deps, serviceId: string, rejection: Rejection): Promise<void> {
  const { requester } = await getOpenRequest(app, serviceId);
  await inTransaction(app.db, (tx) => sendRejection(app, tx, requester.email_address, rejection));
}

async function sendRejection(app: Deps, tx: Tx, to: string, rejection: Rejection): Promise<void> {
  const { reason, name, service_name, organisation_name } = rejection;
  const { organisation_team_member_name, organisation_team_member_email } = rejection;
  await app.accountMessages.send(tx, {
    template_id: accountTemplates.goLiveRejected,
    to,
    personalisation: {
      ...{ name, service_name, organisation_name, organisation_team_member_name, organisation_team_member_email },
      reason: asInsetText(reason),
    },
  });
}

function asInsetText(text: string): string {
  return text
    .split('\n')
    .map((line) => `^ ${line}`)
    .join('\n');
}

async function getRequest(app: Deps, serviceId: string) {
  const request = await selectGoLiveRequest(app.db, serviceId);
  if (!request) throw notFound();
  const { requester } = request;
  if (!requester) throw noRequest();
  return { ...request, requester };
}

async function getOpenRequest(app: Deps, serviceId: string) {
  const request = await getRequest(app, serviceId);
  if (!request.open) throw noRequest();
  return request;
}

function noRequest() {
  return invalid('The service has no open request to go live');
}

/** Makes the service live, or puts it back into trial mode. Going live raises the limits, closes an open request and notifies the team. */
export async function setLive(app: Deps, serviceId: string, isLive: boolean): Promise<void> {
  const { restricted, active } = await getService(app.db, serviceId);
  if (!active) throw invalid('The service is archived.');
  if (restricted !== isLive) return;
  const wentLive = { go_live_at: timestamp(app.clock.now()), has_active_go_live_request: false };
  await updateService(app, serviceId, { restricted: !isLive, ...(isLive ? wentLive : { go_live_at: null }) });
}

/** Keeps the service in trial mode and emails the reason to the person who asked. */
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
