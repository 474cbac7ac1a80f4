import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { NoContent, OfService } from '../../protocol/fields.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import { notifyApproversOfRequest, notifyOfNextSteps, notifyRequesterOfRejection } from './go-live-requests.ts';

type Deps = Platform & { accountMessages: AccountMessageSender; config: { urls: Urls } };

/** Emails between a service that requests to go live and the organisation that decides. */
export function goLiveRequestRoutes(http: Http, app: Deps): void {
  http.post(
    '/organisations/notify-users-of-request-to-go-live/:service_id',
    {
      schema: {
        summary: 'Notify the organisation’s approvers of a request to go live',
        params: OfService,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await notifyApproversOfRequest(app, request.params.service_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/organisations/notify-org-member-about-next-steps-of-go-live-request/:service_id',
    {
      schema: {
        summary: 'Notify an organisation member of the next steps of a request to go live',
        params: OfService,
        body: Type.Object({
          to: Type.String({ format: 'email' }),
          service_name: Type.String(),
          body: Type.String(),
        }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await notifyOfNextSteps(app, request.params.service_id, request.body);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/organisations/notify-service-member-of-rejected-go-live-request/:service_id',
    {
      schema: {
        summary: 'Notify the requester that the organisation rejected the request to go live',
        params: OfService,
        body: Type.Object({
          name: Type.String(),
          service_name: Type.String(),
          organisation_name: Type.String(),
          reason: Type.String(),
          organisation_team_member_name: Type.String(),
          organisation_team_member_email: Type.String(),
        }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await notifyRequesterOfRejection(app, request.params.service_id, request.body);
      return reply.code(204).send(null);
    },
  );
}
