import { Type } from 'typebox';
import { agreementFields } from '../../organisations/agreement-fields.ts';
import { OrganisationTypes } from '../../organisations/organisation-types.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { maxInteger, Name, NoContent, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import type { AccountMessageSender } from '../../users/account-messages/account-messages.ts';
import type { Allowances } from '../services.ts';
import {
  joinOrganisation,
  listServicesOfOrganisation,
  updateOrganisationAndServices,
} from './organisation-services.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  allowances: Allowances;
  config: { urls: Urls };
};

const OfOrganisation = Type.Object({ organisation_id: Uuid });
const Text = Nullable(Type.String());
const Limit = Type.Integer({ minimum: 0, maximum: maxInteger });
const ShortText = Nullable(Type.String({ maxLength: 255 }));

const settable = {
  name: Name,
  crown: Nullable(Type.Boolean()),
  organisation_type: Nullable(Type.String()),
  email_branding_id: Nullable(Uuid),
  letter_branding_id: Nullable(Uuid),
  ...agreementFields,
  request_to_go_live_notes: Text,
  notes: Text,
  purchase_order_number: ShortText,
  billing_contact_names: Text,
  billing_contact_email_addresses: Text,
  billing_reference: ShortText,
  email_annual_limit: Nullable(Limit),
  sms_annual_limit: Nullable(Limit),
  letter_annual_limit: Nullable(Limit),
  can_approve_own_go_live_requests: Type.Boolean(),
  permissions: Type.Array(OneOf(['can_ask_to_join_a_service'])),
  domains: Type.Array(Type.String({ minLength: 1, maxLength: 255 })),
};

/** The /organisations routes that also change services; the others are in src/organisations. */
export function organisationServiceRoutes(http: Http, app: Deps): void {
  const ofCountry = { organisation_type: Nullable(OrganisationTypes(app.country)) };
  const OrganisationChange = Type.Partial(Type.Object({ ...settable, ...ofCountry }));

  http.post(
    '/organisations/:organisation_id',
    {
      schema: {
        summary: 'Update an organisation; its services get a new type, and a new default brand if they have none',
        params: OfOrganisation,
        body: OrganisationChange,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const change = Object.fromEntries(
        Object.entries(request.body).filter(([field]) => Object.hasOwn(settable, field)),
      );
      await updateOrganisationAndServices(app, request.params.organisation_id, change);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/organisations/:organisation_id/service',
    {
      schema: {
        summary: 'Add a service to an organisation',
        params: OfOrganisation,
        body: Type.Object({ service_id: Uuid }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await joinOrganisation(app, request.params.organisation_id, request.body.service_id);
      return reply.code(204).send(null);
    },
  );

  http.get(
    '/organisations/:organisation_id/services',
    {
      schema: {
        summary: 'List the services of an organisation, active ones first, then by name',
        params: OfOrganisation,
        response: {
          200: Type.Array(
            Type.Object({ id: Uuid, name: Type.String(), active: Type.Boolean(), restricted: Type.Boolean() }),
          ),
        },
      },
    },
    (request) => listServicesOfOrganisation(app.db, request.params.organisation_id),
  );
}
