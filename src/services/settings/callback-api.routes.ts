import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { CallbackSettings } from '../settings.ts';
import {
  BearerToken,
  CallbackUrl,
  callbackTypes,
  createCallback,
  createSigningSecret,
  deleteCallback,
  getCallback,
  removeSigningSecret,
  updateCallback,
} from './callback-api.ts';

const OfCallback = Type.Object({ service_id: Uuid, callback_id: Uuid });
const CallbackTypes = OneOf(callbackTypes);
const OfType = Type.Object({ callback_type: Type.Optional(CallbackTypes) });

const Callback = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    url: Type.String(),
    updated_by_id: Uuid,
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'ServiceCallback' },
);

export function callbackApiRoutes(http: Http, app: Platform & { config: { callbacks: CallbackSettings } }): void {
  http.post(
    '/service/:service_id/callback-api',
    {
      schema: {
        summary: 'Create a callback for a type of event',
        params: OfService,
        body: Type.Object({
          url: CallbackUrl,
          bearer_token: BearerToken,
          updated_by_id: Uuid,
          callback_type: CallbackTypes,
        }),
        response: { 201: Data(Callback) },
      },
    },
    async (request, reply) => {
      const { url, bearer_token, updated_by_id, callback_type } = request.body;
      const fields = { url, bearer_token, updated_by_id, callback_type };
      return reply.code(201).send({ data: await createCallback(app, request.params.service_id, fields) });
    },
  );

  http.get(
    '/service/:service_id/callback-api/:callback_id',
    {
      schema: {
        summary: 'Get a callback, without its token',
        params: OfCallback,
        querystring: OfType,
        response: { 200: Data(Callback) },
      },
    },
    async (request) => {
      const { service_id, callback_id: id } = request.params;
      return { data: await getCallback(app.db, { id, service_id, ...request.query }) };
    },
  );

  http.post(
    '/service/:service_id/callback-api/:callback_id',
    {
      schema: {
        summary: 'Update the URL or the token; a URL with another origin clears the token unless a new one is given',
        params: OfCallback,
        body: Type.Object({
          url: Type.Optional(CallbackUrl),
          bearer_token: Type.Optional(BearerToken),
          updated_by_id: Uuid,
          callback_type: Type.Optional(CallbackTypes),
        }),
        response: { 200: Data(Callback) },
      },
    },
    async (request) => {
      const { service_id, callback_id: id } = request.params;
      const { url, bearer_token, updated_by_id, callback_type } = request.body;
      const which = { id, service_id, callback_type };
      return { data: await updateCallback(app, which, { url, bearer_token, updated_by_id }) };
    },
  );

  http.delete(
    '/service/:service_id/callback-api/:callback_id',
    {
      schema: {
        summary: 'Delete a callback',
        params: OfCallback,
        querystring: OfType,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { service_id, callback_id: id } = request.params;
      await deleteCallback(app, { id, service_id, ...request.query });
      return reply.code(204).send(null);
    },
  );
}

const Secret = Type.Object(
  { signing_secret: Type.String({ description: '`whsec_` followed by the key in base64' }) },
  { title: 'CallbackSigningSecret' },
);

export function callbackSigningRoutes(http: Http, app: Platform): void {
  http.post(
    '/service/:service_id/callback-api/:callback_id/signing-secret',
    {
      schema: {
        summary: 'Create a signing secret for callbacks, shown only once; replaces an earlier one',
        params: OfCallback,
        body: Type.Object({ updated_by_id: Uuid }),
        response: { 201: Data(Secret) },
      },
    },
    async (request, reply) => {
      const { service_id, callback_id: id } = request.params;
      const signing_secret = await createSigningSecret(app, { id, service_id }, request.body.updated_by_id);
      return reply.code(201).send({ data: { signing_secret } });
    },
  );

  http.delete(
    '/service/:service_id/callback-api/:callback_id/signing-secret',
    {
      schema: {
        summary: 'Delete the signing secret; callbacks are then signed only with the bearer token',
        params: OfCallback,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { service_id, callback_id: id } = request.params;
      await removeSigningSecret(app, { id, service_id });
      return reply.code(204).send(null);
    },
  );
}
