import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings, Urls } from '../../platform/settings.ts';
import { Uuid } from '../../protocol/fields.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { eraseRecipient } from './erase-recipient.ts';
import { exportRecipient, findRecipient, heldKinds, maxRecipientLength } from './find-recipient.ts';

const Count = Type.Integer({ minimum: 0 });

const Recipient = Type.Object({
  recipient: Type.String({
    minLength: 1,
    maxLength: maxRecipientLength,
    description:
      'An email address, a phone number, or of letters at least two lines of the address, such as the name and the postcode',
  }),
  service_id: Type.Optional(Type.String({ ...Uuid, description: 'Without it, of all services' })),
});

const Erasure = Type.Object({
  erased: Type.Object({
    notifications: Count,
    plan_messages: Type.Integer({ minimum: 0, description: 'Messages with a channel plan' }),
    inbound_texts: Count,
    callbacks: Count,
    sandbox_messages: Count,
    unsubscribe_requests: Count,
    suppressed_recipients: Type.Integer({
      minimum: 0,
      description: 'Entries of suppression lists: the services can send to the address again',
    }),
    opted_out_numbers: Type.Integer({
      minimum: 0,
      description: 'Numbers that replied STOP: the services can send to them again',
    }),
    complaints: Count,
    file_rows: Type.Integer({ minimum: 0, description: 'Of sent files and of contact lists' }),
    documents: Type.Integer({ minimum: 0, description: 'Files whose recipient has to confirm the address' }),
    guest_list: Count,
    letter_files: Type.Integer({ minimum: 0, description: 'PDFs of letters' }),
  }),
  left: Type.Object(
    { notifications: Count, plan_messages: Count, callbacks: Count, unsubscribe_requests: Count, file_rows: Count },
    { description: 'Still in delivery, not sent yet, or not processed by the service yet: repeat the request later' },
  ),
});

const Counts = Type.Object(
  Object.fromEntries(heldKinds.map((kind) => [kind, Count])) as Record<(typeof heldKinds)[number], typeof Count>,
);

const Held = Type.Object({
  total: Counts,
  services: Type.Array(Type.Object({ service_id: Uuid, service_name: Type.String(), counts: Counts })),
});

/** Other fields depend on the kind. */
const Exported = Type.Object({ kind: Type.String(), service_id: Uuid }, { additionalProperties: true });

export function eraseRecipientRoutes(
  http: Http,
  app: Platform & { config: { storage: StorageSettings; urls: Urls }; compiledTemplates: CompiledTemplates },
): void {
  http.post(
    '/platform-admin/find-recipient',
    {
      schema: {
        summary: 'Count what is held about a recipient, by service',
        body: Recipient,
        response: { 200: Held },
      },
    },
    async ({ body }) => findRecipient(app, body.recipient, body.service_id),
  );

  http.post(
    '/platform-admin/export-recipient',
    {
      schema: {
        summary: 'Export everything that is held about a recipient',
        body: Recipient,
        response: { 200: Type.Array(Exported) },
      },
    },
    async ({ body }, reply) => {
      const parts = await exportRecipient(app, body.recipient, body.service_id);
      return reply.type('application/json; charset=utf-8').send(Readable.from(parts, { objectMode: false }) as never);
    },
  );

  http.post(
    '/platform-admin/erase-recipient',
    {
      schema: {
        summary: 'Erase all data about messages to and from a recipient',
        body: Recipient,
        response: { 200: Erasure },
      },
    },
    async ({ body }) => eraseRecipient(app, body.recipient, body.service_id),
  );
}
