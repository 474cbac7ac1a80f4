import { Type } from 'typebox';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { selectApiKeyHistory, selectServiceHistory, selectTemplateHistory } from './history.sql.ts';

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
