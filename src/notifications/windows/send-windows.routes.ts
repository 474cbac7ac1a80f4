import { Type } from 'typebox';
import { weekdays } from '../../countries/timing/send-windows.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, Day, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { cancelHeld, sendHeldNow } from './held-messages.ts';
import {
  changeWindow,
  createWindow,
  getSendingTimes,
  getTemplateWindow,
  removeWindow,
  setSendingTimes,
  setTemplateWindow,
} from './send-windows.ts';

const OfWindow = Type.Object({ service_id: Uuid, send_window_id: Uuid });
const OfMessage = Type.Object({ service_id: Uuid, notification_id: Uuid });
const OfTemplate = Type.Object({ service_id: Uuid, template_id: Uuid });

const fields = {
  name: Type.String(),
  days: Type.Array(OneOf(weekdays)),
  from_time: Type.String({ description: 'HH:MM in the time zone of the recipient, inclusive' }),
  until_time: Type.String({ description: 'HH:MM, exclusive. On the next day if it is not after from_time.' }),
};

const WindowRecord = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    ...fields,
    closed_days: Type.Array(Day),
    created_by_id: Nullable(Uuid),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'SendWindow' },
);
const WindowBody = Type.Object({
  ...fields,
  name: Type.String({ format: 'name' }),
  closed_days: Type.Optional(Type.Array(Type.String())),
});

const Chosen = Type.Object({
  sms_window_id: Nullable(Uuid),
  email_window_id: Nullable(Uuid),
  time_zone: Nullable(
    Type.String({ description: 'For recipients whose time zone is not known. Null: that of the installation.' }),
  ),
});

const OfTemplateWindow = Type.Object({
  window: Type.Union([OneOf(['inherit', 'none']), Uuid], {
    description: 'inherit: the window of the service; none: at any time; otherwise the id of a window',
  }),
});

export function sendWindowRoutes(http: Http, app: Platform & { compiledTemplates: CompiledTemplates }): void {
  http.get(
    '/service/:service_id/send-window',
    {
      schema: {
        summary: 'List the sending times of a service, and those chosen for texts and emails',
        params: OfService,
        response: { 200: Data(Type.Object({ windows: Type.Array(WindowRecord), ...Chosen.properties })) },
      },
    },
    async ({ params }) => ({ data: await getSendingTimes(app, params.service_id) }),
  );

  http.post(
    '/service/:service_id/send-window',
    {
      schema: {
        summary: 'Create a sending time',
        params: OfService,
        body: Type.Object({
          ...WindowBody.properties,
          created_by: Type.Optional(Nullable(Uuid)),
        }),
        response: { 201: Data(WindowRecord) },
      },
    },
    async ({ params, body: { created_by, closed_days, ...body } }, reply) => {
      const fields = { ...body, closed_days: closed_days ?? [] };
      const window = await createWindow(app, params.service_id, fields, created_by ?? null);
      return reply.code(201).send({ data: window });
    },
  );

  http.post(
    '/service/:service_id/send-window/:send_window_id',
    {
      schema: {
        summary: 'Change a sending time; waiting messages and files get their new time',
        params: OfWindow,
        body: WindowBody,
        response: { 200: Data(WindowRecord) },
      },
    },
    async ({ params, body }) => {
      const changes = { ...body, closed_days: body.closed_days ?? [] };
      return { data: await changeWindow(app, params.service_id, params.send_window_id, changes) };
    },
  );

  http.delete(
    '/service/:service_id/send-window/:send_window_id',
    {
      schema: {
        summary: 'Delete a sending time that neither the service nor a template uses',
        params: OfWindow,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await removeWindow(app, params.service_id, params.send_window_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/sending-times',
    {
      schema: {
        summary: 'Choose the sending times of texts and emails',
        params: OfService,
        body: Chosen,
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      await setSendingTimes(app, params.service_id, body);
      return reply.code(204).send(null);
    },
  );

  http.get(
    '/service/:service_id/template/:template_id/sending-times',
    {
      schema: {
        summary: 'Get the sending time of a template',
        params: OfTemplate,
        response: { 200: Data(OfTemplateWindow) },
      },
    },
    async ({ params }) => ({ data: { window: await getTemplateWindow(app, params.service_id, params.template_id) } }),
  );

  http.post(
    '/service/:service_id/template/:template_id/sending-times',
    {
      schema: {
        summary: 'Choose the sending time of a template',
        params: OfTemplate,
        body: OfTemplateWindow,
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      await setTemplateWindow(app, params.service_id, params.template_id, body.window);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/notifications/:notification_id/send-now',
    {
      schema: {
        summary: 'Send a waiting message now',
        params: OfMessage,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await sendHeldNow(app, params.service_id, params.notification_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/notifications/:notification_id/cancel-waiting',
    {
      schema: {
        summary: 'Cancel a waiting message',
        params: OfMessage,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await cancelHeld(app, params.service_id, params.notification_id);
      return reply.code(204).send(null);
    },
  );
}
