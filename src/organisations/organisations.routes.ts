import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Datetime, Name, NoContent, Nullable, OfService, Uuid } from '../protocol/fields.ts';
import { agreementFields } from './agreement-fields.ts';
import { OrganisationTypes } from './organisation-types.ts';
import { selectOrganisations } from './organisations.sql.ts';
import {
  archiveOrganisation,
  createOrganisation,
  findOrganisationOfService,
  findOrganisationsByName,
  getOrganisation,
  getOrganisationByDomain,
} from './organisations.ts';

const OfOrganisation = Type.Object({ organisation_id: Uuid });

const short = {
  id: Uuid,
  name: Type.String(),
  active: Type.Boolean(),
  organisation_type: Nullable(Type.String()),
  domains: Type.Array(Type.String()),
  count_of_live_services: Type.Integer(),
};

const organisation = {
  ...short,
  crown: Nullable(Type.Boolean()),
  email_branding_id: Nullable(Uuid),
  letter_branding_id: Nullable(Uuid),
  agreement_signed: Nullable(Type.Boolean()),
  agreement_signed_at: Nullable(Datetime),
  agreement_signed_by_id: Nullable(Uuid),
  agreement_signed_on_behalf_of_name: Nullable(Type.String()),
  agreement_signed_on_behalf_of_email_address: Nullable(Type.String()),
  agreement_signed_version: Nullable(Type.Number()),
  request_to_go_live_notes: Nullable(Type.String()),
  notes: Nullable(Type.String()),
  purchase_order_number: Nullable(Type.String()),
  billing_contact_names: Nullable(Type.String()),
  billing_contact_email_addresses: Nullable(Type.String()),
  billing_reference: Nullable(Type.String()),
  email_annual_limit: Nullable(Type.Integer()),
  sms_annual_limit: Nullable(Type.Integer()),
  letter_annual_limit: Nullable(Type.Integer()),
  can_approve_own_go_live_requests: Type.Boolean(),
  permissions: Type.Array(Type.String()),
};

const agreementFieldNames = Object.keys(agreementFields);

export function organisationRoutes(http: Http, app: Platform): void {
  const OfCountry = OrganisationTypes(app.country);
  const ofCountry = { organisation_type: Nullable(OfCountry) };
  const OrganisationInList = Type.Object({ ...short, ...ofCountry });
  const Organisation = Type.Object({ ...organisation, ...ofCountry }, { title: 'Organisation' });

  http.get(
    '/organisations',
    {
      schema: {
        summary: 'List organisations, active ones first, then by name',
        response: { 200: Type.Array(OrganisationInList) },
      },
    },
    () => selectOrganisations(app.db),
  );

  http.get(
    '/organisations/search',
    {
      schema: {
        summary: 'Search organisations by part of the name, ignoring case',
        querystring: Type.Object({ name: Type.Optional(Type.String({ description: 'Required' })) }),
        response: { 200: Data(Type.Array(OrganisationInList)) },
      },
    },
    async (request) => ({ data: await findOrganisationsByName(app.db, request.query.name) }),
  );

  http.get(
    '/organisations/by-domain',
    {
      schema: {
        summary: 'Get the organisation that owns a domain or one of its parent domains',
        querystring: Type.Object({ domain: Type.Optional(Type.String({ description: 'Required; without @' })) }),
        response: { 200: Organisation },
      },
    },
    (request) => getOrganisationByDomain(app.db, request.query.domain),
  );

  http.post(
    '/organisations',
    {
      schema: {
        summary: 'Create an organisation',
        body: Type.Object({
          name: Name,
          crown: Type.Boolean(),
          organisation_type: OfCountry,
          ...Type.Partial(Type.Object(agreementFields)).properties,
        }),
        response: { 201: Organisation },
      },
    },
    async (request, reply) => {
      const { name, crown, organisation_type } = request.body;
      const agreement = Object.fromEntries(
        Object.entries(request.body).filter(([field]) => agreementFieldNames.includes(field)),
      );
      return reply.code(201).send(await createOrganisation(app, { ...agreement, name, crown, organisation_type }));
    },
  );

  http.get(
    '/organisations/:organisation_id',
    { schema: { summary: 'Get an organisation', params: OfOrganisation, response: { 200: Organisation } } },
    (request) => getOrganisation(app.db, request.params.organisation_id),
  );

  http.post(
    '/organisations/:organisation_id/archive',
    {
      schema: {
        summary: 'Archive an organisation without active services, members or invitations',
        params: OfOrganisation,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveOrganisation(app, request.params.organisation_id);
      return reply.code(204).send(null);
    },
  );

  http.get(
    '/service/:service_id/organisation',
    {
      schema: {
        summary: 'Get the organisation of a service, or an empty object',
        params: OfService,
        response: { 200: Type.Partial(Organisation) },
      },
    },
    async (request) => (await findOrganisationOfService(app.db, request.params.service_id)) ?? {},
  );
}
