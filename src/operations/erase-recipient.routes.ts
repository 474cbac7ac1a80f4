import { Type } from 'typebox';
import type { Config } from '../config.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { eraseRecipient } from './erase-recipient.ts';

const Count = Type.Integer({ minimum: 0 });

const Erasure = Type.Object({
  erased: Type.Object({
    notifications: Count,
    inbound_texts: Count,
    callbacks: Count,
    sandbox_messages: Count,
    unsubscribe_requests: Count,
    complaints: Count,
    file_rows: Type.Integer({ minimum: 0, description: 'Of sent files and of contact lists' }),
  }),
  left: Type.Object(
    { notifications: Count, callbacks: Count, unsubscribe_requests: Count, file_rows: Count },
    { description: 'Still in delivery, not sent yet, or not processed by the service yet: repeat the request later' },
  ),
});

export function eraseRecipientRoutes(http: Http, app: Platform & { config: Config }): void {
  http.post(
    '/platform-admin/erase-recipient',
    {
      schema: {
        summary: 'Erase all data about messages to and from an email address or phone number',
        body: Type.Object({ recipient: Type.String({ minLength: 1, maxLength: 320 }) }),
        response: { 200: Erasure },
      },
    },
    async ({ body }) => eraseRecipient(app, body.recipient),
  );
}
