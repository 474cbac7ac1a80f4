import { Type } from 'typebox';
import { Failure } from '../../platform/failure.ts';
import { maxProblems } from '../../platform/http/schema-errors.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { channels } from '../../protocol/channels.ts';
import { Data, Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { shortened } from '../../protocol/schema-problems.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import {
  getProviderDetails,
  listProviderDetails,
  listProviderVersions,
  updateProviderDetails,
} from './provider-details.ts';

const details = {
  id: Uuid,
  identifier: Type.String(),
  display_name: Type.String(),
  notification_type: OneOf(channels),
  priority: Type.Integer(),
  active: Type.Boolean(),
  supports_international: Type.Boolean(),
  version: Type.Integer(),
  created_by_id: Nullable(Uuid),
  created_by_name: Nullable(Type.String()),
  reason: Nullable(Type.String({ description: 'The reason for the last change' })),
  updated_at: Nullable(Datetime),
};
const Details = Type.Object(details, { title: 'Provider' });
const Version = Type.Object({
  ...details,
  created_by: Nullable(Type.Object({ id: Uuid, name: Type.String(), email_address: Type.String() })),
});
const OfProvider = Type.Object({ provider_details_id: Uuid });
const editable = ['priority', 'active', 'reason', 'created_by'];

type Deps = Platform & { config: ActiveProviders };

export function providerDetailsRoutes(http: Http, app: Deps): void {
  http.get(
    '/provider-details',
    {
      schema: {
        summary: 'List providers with their share of the traffic and the text fragments of this month',
        response: {
          200: Type.Object({
            provider_details: Type.Array(Type.Object({ ...details, current_month_billable_sms: Type.Integer() })),
          }),
        },
      },
    },
    async () => ({ provider_details: await listProviderDetails(app) }),
  );

  http.get(
    '/provider-details/:provider_details_id',
    {
      schema: {
        summary: 'Get one provider',
        params: OfProvider,
        response: { 200: Type.Object({ provider_details: Details }) },
      },
    },
    async (request) => ({ provider_details: await getProviderDetails(app, request.params.provider_details_id) }),
  );

  http.get(
    '/provider-details/:provider_details_id/versions',
    {
      schema: {
        summary: 'List all versions of a provider with the reasons for the changes, newest first',
        params: OfProvider,
        response: { 200: Data(Type.Array(Version)) },
      },
    },
    async (request) => ({ data: await listProviderVersions(app, request.params.provider_details_id) }),
  );

  http.post(
    '/provider-details/:provider_details_id',
    {
      schema: {
        summary: 'Change the share of a provider, or deactivate it',
        params: OfProvider,
        body: Type.Object({
          priority: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
          active: Type.Optional(Type.Boolean()),
          reason: Type.Optional(Nullable(Type.String({ maxLength: 1000 }))),
          created_by: Type.Optional(Uuid),
        }),
        response: { 200: Type.Object({ provider_details: Details }) },
      },
      preValidation: async (request) => refuseOtherFields(request.body),
    },
    async (request) => {
      const { created_by, ...change } = request.body;
      const id = request.params.provider_details_id;
      return { provider_details: await updateProviderDetails(app, id, { ...change, created_by_id: created_by }) };
    },
  );
}

function refuseOtherFields(body: unknown): void {
  const others = Object.keys(typeof body === 'object' && body !== null ? body : {}).filter(
    (name) => !editable.includes(name),
  );
  if (others.length === 0) return;
  const texts = Object.fromEntries(
    others.slice(0, maxProblems).map((name) => [shortened(name), ['Not permitted to be updated']]),
  );
  throw new Failure('invalid', 'ValidationError', texts);
}
