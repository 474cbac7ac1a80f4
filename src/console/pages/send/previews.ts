import { previewEmail, previewText } from '../../../delivery/previews/preview-message.ts';
import { previewLetterTemplate } from '../../../letters/preview/letter-preview.ts';
import type { SendingService } from '../../../notifications/sending/sending-service.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Visitor } from '../../sessions/visitor.ts';
import type { Preview } from './message-preview.tsx';
import { type Filled, valuesOfMessage } from './send-form.ts';

const purpose = 'console:preview';
/** Node refuses requests whose headers, with the address, have more than 16 kB. */
const maxTokenLength = 10_000;

export interface ToPreview {
  service: SendingService;
  template: ReadyTemplate;
  filled: Filled;
}

/** The values of a preview in an address of its own: encrypted for this person, because addresses reach logs. */
function keepValues({ secrets }: ConsoleApp, { user }: Visitor, values: Record<string, string>): string {
  return secrets.encrypt(purpose, JSON.stringify(values), user.id);
}

export function readValues({ secrets }: ConsoleApp, { user }: Visitor, kept: string): Record<string, string> {
  const plain = kept && secrets.decrypt(purpose, kept, user.id);
  return plain ? JSON.parse(plain.toString()) : {};
}

/** `pages`: how many of a letter are shown. */
export async function previewOf(
  app: ConsoleApp,
  visitor: Visitor,
  { service, template, filled }: ToPreview,
  pages = 1,
): Promise<Preview> {
  const personalisation = valuesOfMessage(template, filled);
  const message = {
    template,
    recipient: filled.to,
    personalisation,
    reply_to_text: senderOf(service, template, filled),
  };
  const path = `/console/services/${service.id}/send/${template.row.id}`;
  const token = keepValues(app, visitor, personalisation);
  switch (template.row.template_type) {
    case 'sms': {
      const { sender, text, parts } = await previewText(app, service.id, message);
      return { channel: 'sms', sender, text, parts };
    }
    case 'email': {
      const { from, reply_to, subject, text } = await previewEmail(app, service.id, message);
      const frame = token.length > maxTokenLength ? undefined : `${path}/email?values=${token}`;
      return { channel: 'email', from: `${from.name} <${from.address}>`, reply_to, subject, text, frame };
    }
    case 'letter': {
      const shown = token.length > maxTokenLength ? 0 : pages;
      const addresses = Array.from({ length: shown }, (_, index) => `${path}/pages/${index + 1}?values=${token}`);
      return { channel: 'letter', pages: addresses };
    }
  }
}

/** Of a text the sender, of an email the reply-to address; the service's own if none is chosen. */
function senderOf(service: SendingService, { row }: ReadyTemplate, { sender_id }: Filled): string | null {
  const known = row.template_type === 'sms' ? service.sms_senders : service.email_reply_tos;
  return known.get(sender_id) ?? row.reply_to_text;
}

/** Draws the letter to count its pages. */
export function drawLetter(app: ConsoleApp, { service, template, filled }: ToPreview) {
  return previewLetterTemplate(app, service.id, template.row.id, valuesOfMessage(template, filled), 'pdf', 1);
}
