import { Type } from 'typebox';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import {
  Data,
  Datetime,
  Day,
  ImportedId,
  NoContent,
  Nullable,
  OfService,
  QueryBoolean,
  Uuid,
} from '../protocol/fields.ts';
import type { PublicApiSettings } from '../protocol/settings.ts';
import type { AccountMessageSender } from '../users/account-messages/account-messages.ts';
import { createService } from './service-create.ts';
import { pickSettable, ServiceRecord, SettableFields, settable } from './service-fields.ts';
import { archiveService, updateService } from './service-update.ts';
import { selectApiKeyHistory, selectServiceHistory, selectTemplateHistory } from './services.sql.ts';
import { type Allowances, findServicesByName, getServiceForQuery, listServices } from './services.ts';
import type { TextSenderSettings } from './settings.ts';

const ListQuery = Type.Object({
  only_active: Type.Optional(QueryBoolean),
  detailed: Type.Optional(QueryBoolean),
  user_id: Type.Optional(Uuid),
  include_from_test_key: Type.Optional(QueryBoolean),
  start_date: Type.Optional(Day),
  end_date: Type.Optional(Day),
});

const FoundByName = Type.Object({
  id: Uuid,
  name: Type.String(),
  active: Type.Boolean(),
  restricted: Type.Boolean(),
  organisation_name: Nullable(Type.String()),
});

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  allowances: Allowances;
  config: { api: PublicApiSettings; sms: TextSenderSettings };
};

export function serviceRoutes(http: Http, app: Deps): void {
  const Settable = SettableFields(app.country);
  const Service = ServiceRecord(app.country);

  http.get(
    '/service',
    {
      schema: {
        summary: 'List services, oldest first; with `detailed`, including statistics of a date range',
        querystring: ListQuery,
        response: { 200: Data(Type.Array(Service)) },
      },
    },
    async (request, reply) => {
      const data = await listServices(app, request.query);
      // The response has thousands of records, exactly as selected: JSON.stringify takes a quarter of the time of the schema serialiser.
      return reply.type('application/json; charset=utf-8').serializer(JSON.stringify).send({ data });
    },
  );

  http.get(
    '/service/find-services-by-name',
    {
      schema: {
        summary: 'Search services by part of the name, ignoring case',
        querystring: Type.Object({ service_name: Type.Optional(Type.String({ description: 'Required' })) }),
        response: { 200: Data(Type.Array(FoundByName)) },
      },
    },
    async (request) => ({ data: await findServicesByName(app.db, request.query.service_name) }),
  );

  http.get(
    '/service/:service_id',
    {
      schema: {
        summary: 'Get a service, archived or not',
        params: OfService,
        querystring: Type.Object({
          detailed: Type.Optional(QueryBoolean),
          today_only: Type.Optional(QueryBoolean),
        }),
        response: { 200: Data(Service) },
      },
    },
    async (request) => ({ data: await getServiceForQuery(app, request.params.service_id, request.query) }),
  );

  http.post(
    '/service',
    {
      schema: {
        summary: 'Create a service, with its creator as the first member',
        body: Type.Object({
          ...Settable.properties,
          name: settable.name,
          user_id: Uuid,
          id: Type.Optional(ImportedId),
        }),
        response: { 201: Data(Service) },
      },
    },
    async (request, reply) => {
      const { name, user_id, id } = request.body;
      const service = await createService(app, { ...pickSettable(app.country, request.body), name, user_id, id });
      return reply.code(201).send({ data: service });
    },
  );

  http.post(
    '/service/:service_id',
    {
      schema: {
        summary: 'Update a service; omitted fields keep their values',
        params: OfService,
        body: Type.Object({
          ...Settable.properties,
          sending_domain_id: Type.Optional(
            Type.Unsafe<string | null>({
              ...Nullable(Uuid),
              description:
                'The domain that its emails come from; null: that of its organisation or of the installation',
            }),
          ),
        }),
        response: { 200: Data(Service) },
      },
    },
    async ({ params, body }) => {
      const { sending_domain_id } = body;
      const fields = { ...pickSettable(app.country, body), sending_domain_id };
      return { data: await updateService(app, params.service_id, fields) };
    },
  );

  http.post(
    '/service/:service_id/archive',
    {
      schema: {
        summary: 'Archive a service with its templates and keys; cannot be undone',
        params: OfService,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveService(app, request.params.service_id);
      return reply.code(204).send(null);
    },
  );
}

const version = {
  id: Uuid,
  name: Type.String(),
  version: Type.Integer(),
  created_at: Datetime,
  updated_at: Nullable(Datetime),
  created_by_id: Uuid,
};

const History = Type.Object({
  service_history: Type.Array(
    Type.Object({
      ...version,
      active: Type.Boolean(),
      restricted: Type.Boolean(),
      email_message_limit: Type.Integer(),
      sms_message_limit: Type.Integer(),
      letter_message_limit: Type.Integer(),
      custom_email_sender_name: Nullable(Type.String()),
      email_sender_local_part: Type.String(),
    }),
  ),
  api_key_history: Type.Array(
    Type.Object({
      ...version,
      service_id: Uuid,
      expiry_date: Nullable(Datetime),
      revoked_at: Nullable(Datetime),
    }),
  ),
  template_history: Type.Array(Type.Object(version)),
});

export function serviceHistoryRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/history',
    {
      schema: {
        summary: 'List the versions of a service, its API keys and its templates, oldest first',
        params: OfService,
        response: { 200: Data(History) },
      },
    },
    async (request) => {
      const { service_id } = request.params;
      await refuseUnlessExists(app.db, 'services', service_id);
      const [service_history, api_key_history, template_history] = await Promise.all([
        selectServiceHistory(app.db, service_id),
        selectApiKeyHistory(app.db, service_id),
        selectTemplateHistory(app.db, service_id),
      ]);
      return { data: { service_history, api_key_history, template_history } };
    },
  );
}
