import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { listReplyTos } from '../../../services/senders/senders.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Notice } from '../../parts/notice.tsx';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

const channelPages = [
  { path: 'email/channel', channel: 'email', title: t('Send emails') },
  { path: 'text/channel', channel: 'sms', title: t('Send texts') },
  { path: 'letter/channel', channel: 'letter', title: t('Send letters') },
] as const;

const abroad = [
  { path: 'text/abroad', permission: 'international_sms', title: t('Send texts abroad') },
  { path: 'letter/abroad', permission: 'international_letters', title: t('Send letters abroad') },
] as const;

/** Settings that are permissions of the service: on or off. */
export function channelSettingPages(pages: Pages, app: ConsoleApp): void {
  for (const { path, channel, title } of channelPages) {
    addServiceSetting(pages, {
      path,
      who: team,
      title,
      fields: async (service, formState) => (
        <>
          {channel === 'email' && (await missingForEmail(service)) !== undefined && (
            <Notice>
              <T>
                Emails need a <a href={pageUrl(`${settingsOf(service)}/email/sender-name`)}>sender name</a> and a{' '}
                <a href={pageUrl(`${settingsOf(service)}/email/reply-to`)}>reply-to address</a>.
              </T>
            </Notice>
          )}
          <YesNo
            formState={formState}
            legend={title}
            isYes={service.permissions.includes(channel)}
            hints={{ no: t('We will refuse requests to send this way. Your templates stay.') }}
          />
        </>
      ),
      ...yesOrNo,
      async save(service, { value }, { visitor }) {
        const isOn = value === 'yes';
        if (isOn && !service.permissions.includes(channel) && !visitor.user.platform_admin) {
          const missing = channel === 'email' ? await missingForEmail(service) : undefined;
          if (missing !== undefined) throw invalidField('value', missing);
        }
        await updateService(app, service.id, { permissions: withPermission(service, channel, isOn) });
        return undefined;
      },
    });
  }

  for (const { path, permission, title } of abroad) {
    addServiceSetting(pages, {
      path,
      who: team,
      title,
      lead: t('Messages to other countries cost more. See the prices in “Usage”.'),
      fields: ({ permissions }, formState) => (
        <YesNo formState={formState} legend={title} isYes={permissions.includes(permission)} />
      ),
      ...yesOrNo,
      async save(service, { value }) {
        await updateService(app, service.id, { permissions: withPermission(service, permission, value === 'yes') });
        return undefined;
      },
    });
  }

  /** Recipients of emails must see who wrote, and be able to reply. Undefined if they can. */
  async function missingForEmail(service: Service): Promise<string | undefined> {
    const hasName = service.confirmed_email_sender_name === true;
    const hasReplyTo = (await listReplyTos(app.db, service.id)).length > 0;
    if (!hasName && !hasReplyTo) return t('Choose a sender name and add a reply-to address first.');
    if (!hasName) return t('Choose a sender name first.');
    return hasReplyTo ? undefined : t('Add a reply-to address first.');
  }
}
