import type { Channel } from '../../../../protocol/channels.ts';
import { listLetterContacts, listReplyTos, listSmsSenders } from '../../../../services/senders/senders.ts';
import type { CurrentTemplateRow } from '../../../../templates/template-row.ts';
import type { ConsoleApp } from '../../../console-app.ts';

export const senderNouns: Record<Channel, string> = {
  sms: 'Sender',
  email: 'Reply-to address',
  letter: 'Sender block',
};

interface SenderChoice {
  value: string;
  label: string;
  isChosen: boolean;
}

/** What a template can be sent from. The first is what the service uses by default; letters have no sender block then. */
export async function senderChoices(
  app: ConsoleApp,
  serviceId: string,
  { template_type, reply_to }: Pick<CurrentTemplateRow, 'template_type' | 'reply_to'>,
): Promise<SenderChoice[]> {
  const senders = await listed(app, serviceId, template_type);
  const standard = senders.find(({ is_default }) => is_default);
  const inherited =
    template_type === 'letter' ? 'None' : `The service’s own${standard ? ` (now ${standard.label})` : ''}`;
  return [
    { value: 'default', label: inherited, isChosen: !senders.some(({ id }) => id === reply_to) },
    ...senders.map(({ id, label }) => ({ value: id, label, isChosen: id === reply_to })),
  ];
}

async function listed(app: ConsoleApp, serviceId: string, channel: Channel) {
  switch (channel) {
    case 'sms':
      return (await listSmsSenders(app.db, serviceId)).map(({ sms_sender: label, ...sender }) => ({
        ...sender,
        label,
      }));
    case 'email':
      return (await listReplyTos(app.db, serviceId)).map(({ email_address: label, ...sender }) => ({
        ...sender,
        label,
      }));
    case 'letter':
      return (await listLetterContacts(app.db, serviceId)).map(({ contact_block, ...sender }) => ({
        ...sender,
        label: contact_block.split('\n').join(', '),
      }));
  }
}
