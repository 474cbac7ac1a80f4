import { type Text, t } from '../../../language/text.ts';
import { listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import type { Service } from '../../../services/services.ts';
import { listTemplates } from '../../../templates/templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { listManagers } from '../services/join.pages.tsx';

interface Step {
  text: Text;
  isDone: boolean;
  /** The page for this step, relative to the service. */
  path: string;
}

/** Returns the steps before a team can request to go live. */
export async function readChecklist(app: ConsoleApp, service: Service): Promise<Step[]> {
  const [managers, templates, replyTos, senders] = await Promise.all([
    listManagers(app, service.id),
    listTemplates(app, service.id),
    listReplyTos(app.db, service.id),
    listSmsSenders(app.db, service.id),
  ]);
  const volumes = [service.volume_email, service.volume_sms, service.volume_letter];
  const sends = (channel: 'email' | 'sms') => templates.some(({ template_type }) => template_type === channel);
  const ownSender = senders.some(({ sms_sender }) => sms_sender !== app.config.sms.defaultSender);
  return [
    {
      text: t('Tell us how many messages you will send'),
      isDone: volumes.some((volume) => (volume ?? 0) > 0),
      path: 'going-live/volumes',
    },
    { text: t('Have two people who manage the service'), isDone: managers.length >= 2, path: 'team' },
    { text: t('Write a template'), isDone: templates.length > 0, path: 'templates' },
    {
      text: t('Confirm that no other service has this name'),
      isDone: service.confirmed_unique,
      path: 'going-live/name',
    },
    ...(sends('email')
      ? [
          {
            text: t('Choose the sender name of emails'),
            isDone: service.confirmed_email_sender_name === true,
            path: 'settings/email/sender-name',
          },
          { text: t('Add a reply-to address'), isDone: replyTos.length > 0, path: 'settings/email/reply-to' },
        ]
      : []),
    ...(sends('sms')
      ? [{ text: t('Choose your own sender of texts'), isDone: ownSender, path: 'settings/text/senders' }]
      : []),
  ];
}
