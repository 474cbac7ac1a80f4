import type { Platform } from '../../../platform/platform.ts';
import { listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { SenderChoice } from './fill-in.tsx';

/** The senders of the template's channel; the usual one is the template's own, or the service's. Letters have none. */
export async function listSenderChoices({ db }: Platform, { row }: ReadyTemplate): Promise<SenderChoice[]> {
  const choices = await listOf(db, row.template_type, row.service);
  const isUsual = ({ id, is_default }: SenderChoice) => (row.reply_to === null ? is_default : id === row.reply_to);
  return choices.map((choice) => ({ ...choice, is_default: isUsual(choice) }));
}

async function listOf(
  db: ConsoleApp['db'],
  channel: ReadyTemplate['row']['template_type'],
  serviceId: string,
): Promise<SenderChoice[]> {
  switch (channel) {
    case 'sms':
      return (await listSmsSenders(db, serviceId)).map(({ id, sms_sender, is_default, inbound_number_id }) => ({
        id,
        text: sms_sender,
        is_default,
        receives_replies: inbound_number_id !== null,
      }));
    case 'email':
      return (await listReplyTos(db, serviceId)).map(({ id, email_address, is_default }) => ({
        id,
        text: email_address,
        is_default,
        receives_replies: false,
      }));
    case 'letter':
      return [];
  }
}
