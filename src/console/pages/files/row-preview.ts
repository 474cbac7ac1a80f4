import { previewEmail, previewText } from '../../../delivery/previews/preview-message.ts';
import type { StoredRow } from '../../../jobs/uploads/stored-rows.ts';
import type { UploadRow } from '../../../jobs/uploads/uploads.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import { getReplyTo, getSmsSender } from '../../../services/senders/senders.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Preview } from '../send/message-preview.tsx';

type ReadyMessage = NonNullable<StoredRow['message']>;

/** The message of one row. Emails and letters have addresses of their own, without anything personal in them. */
export async function previewOfRow(
  app: ConsoleApp,
  template: ReadyTemplate,
  upload: UploadRow,
  row: number,
  message: ReadyMessage,
): Promise<Preview> {
  const path = `/console/services/${upload.service_id}/files/${upload.id}/rows/${row}`;
  switch (template.row.template_type) {
    case 'sms': {
      const shown = { ...(await composed(app, template, upload, message)) };
      const { sender, text, parts } = await previewText(app, upload.service_id, shown);
      return { channel: 'sms', sender, text, parts };
    }
    case 'email': {
      const shown = await composed(app, template, upload, message);
      const { from, reply_to, subject, text } = await previewEmail(app, upload.service_id, shown);
      const sender = `${from.name} <${from.address}>`;
      return { channel: 'email', from: sender, reply_to, subject, text, frame: `${path}/email` };
    }
    case 'letter':
      return { channel: 'letter', pages: [`${path}/pages/1`] };
  }
}

async function composed(app: ConsoleApp, template: ReadyTemplate, upload: UploadRow, message: ReadyMessage) {
  const { recipient, personalisation } = message;
  return { template, recipient, personalisation, reply_to_text: await senderOf(app, template, upload) };
}

async function senderOf({ db }: ConsoleApp, { row }: ReadyTemplate, upload: UploadRow): Promise<string | null> {
  if (upload.sender_id === null) return row.reply_to_text;
  if (row.template_type === 'sms') return (await getSmsSender(db, upload.service_id, upload.sender_id)).sms_sender;
  return (await getReplyTo(db, upload.service_id, upload.sender_id)).email_address;
}

export async function emailOfRow(app: ConsoleApp, template: ReadyTemplate, upload: UploadRow, message: ReadyMessage) {
  return previewEmail(app, upload.service_id, await composed(app, template, upload, message));
}

export function letterOfRow(
  app: ConsoleApp,
  { row }: ReadyTemplate,
  { personalisation }: ReadyMessage,
  format: 'pdf' | 'png',
  page: number,
) {
  const values = Object.fromEntries(Object.entries(personalisation).map(([name, value]) => [name, String(value)]));
  return previewLetterTemplate(app, row.service, row.id, values, format, page);
}
