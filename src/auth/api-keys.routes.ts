import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Datetime, Name, Nullable, OfService, OneOf, Uuid } from '../protocol/fields.ts';
import { keyTypes } from '../protocol/key-types.ts';
import { createApiKey, getApiKey, listApiKeys, revokeApiKey } from './api-keys.ts';
import { refuseUnlessKeysAreImported } from './imported.ts';
import type { AuthSettings } from './settings.ts';

const KeyTypes = OneOf(keyTypes);
const OfKey = Type.Object({ service_id: Uuid, api_key_id: Uuid });

const ApiKeys = Type.Object({
  apiKeys: Type.Array(
    Type.Object({
      id: Uuid,
      name: Type.String(),
      key_type: KeyTypes,
      created_by: Uuid,
      created_at: Datetime,
      updated_at: Nullable(Datetime),
      expiry_date: Nullable(Datetime),
      expires_at: Nullable(Datetime),
      allowed_networks: Nullable(Type.Array(Type.String())),
      last_used_at: Nullable(Datetime),
      version: Type.Integer(),
      manage_templates: Type.Optional(Type.Boolean({ description: 'Only keys that may manage templates have it' })),
      manage_reports: Type.Optional(Type.Boolean({ description: 'Only keys that may request reports have it' })),
      send_over_smtp: Type.Optional(Type.Boolean({ description: 'Only keys that may send over SMTP have it' })),
      imported: Type.Optional(
        Type.Boolean({ description: 'Only keys have it whose secret another server knows: replace them' }),
      ),
    }),
  ),
});

export function apiKeyRoutes(http: Http, app: Platform & { config: { auth: AuthSettings } }): void {
  http.post(
    '/service/:service_id/api-key',
    {
      schema: {
        summary: 'Create an API key; the secret is returned only here',
        params: OfService,
        body: Type.Object({
          name: Name,
          created_by: Uuid,
          key_type: KeyTypes,
          expires_at: Type.Optional(Nullable(Type.String({ format: 'datetime' }))),
          allowed_networks: Type.Optional(
            Nullable(
              Type.Array(Type.String({ maxLength: 60 }), {
                maxItems: 100,
                description: 'Addresses or networks that may use the key, such as 192.0.2.0/24 and 2001:db8::/32',
              }),
            ),
          ),
          manage_templates: Type.Optional(
            Type.Boolean({ description: 'Whether the key may create and change templates through /v2/template' }),
          ),
          manage_reports: Type.Optional(
            Type.Boolean({ description: 'Whether the key may request reports through /v2/reports' }),
          ),
          send_over_smtp: Type.Optional(
            Type.Boolean({ description: 'Whether the key is also a password for emails over SMTP' }),
          ),
          secret: Type.Optional({
            ...Uuid,
            description:
              'The secret that the key had on another server, a UUID of version 4, while IMPORT_KEYS is on; no key may have it',
          }),
        }),
        response: { 201: Data(Uuid) },
      },
      preValidation: async (request) => readLiveAsNormal(request.body),
    },
    async (request, reply) => {
      if (request.body.secret !== undefined) refuseUnlessKeysAreImported(app.config);
      return reply.code(201).send({ data: await createApiKey(app, request.params.service_id, request.body) });
    },
  );

  http.get(
    '/service/:service_id/api-keys',
    {
      schema: {
        summary: 'List API keys that are live or were revoked in the last 7 days',
        params: OfService,
        response: { 200: ApiKeys },
      },
    },
    async (request) => ({ apiKeys: (await listApiKeys(app, request.params.service_id)).map(apiKeyRecord) }),
  );

  http.get(
    '/service/:service_id/api-keys/:api_key_id',
    { schema: { summary: 'Get a live API key', params: OfKey, response: { 200: ApiKeys } } },
    async ({ params }) => ({ apiKeys: [apiKeyRecord(await getApiKey(app.db, params.service_id, params.api_key_id))] }),
  );

  http.post(
    '/service/:service_id/api-key/revoke/:api_key_id',
    {
      schema: {
        summary: 'Revoke an API key immediately',
        params: OfKey,
        body: Type.Object({ created_by: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: { 202: Type.Null() },
      },
    },
    async (request, reply) => {
      await revokeApiKey(app, request.params.service_id, request.params.api_key_id, request.body.created_by);
      return reply.code(202).send(null);
    },
  );
}

/** Adds fields that the protocol does not have only when they are true. */
function apiKeyRecord(record: Awaited<ReturnType<typeof getApiKey>>) {
  const { manage_templates, manage_reports, send_over_smtp, imported, ...key } = record;
  return {
    ...key,
    ...(manage_templates && { manage_templates }),
    ...(manage_reports && { manage_reports }),
    ...(send_over_smtp && { send_over_smtp }),
    ...(imported && { imported }),
  };
}

/** Accepts `live`, the name of normal keys in the user interface and in error messages. */
function readLiveAsNormal(body: unknown): void {
  const request = body as { key_type?: unknown } | undefined;
  if (request?.key_type === 'live' || request?.key_type === 'LIVE') request.key_type = 'normal';
}
