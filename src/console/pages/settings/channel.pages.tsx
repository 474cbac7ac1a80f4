import { invalidField } from '../../../platform/failure.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { listReplyTos } from '../../../services/senders/senders.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { addServiceSetting, team, withPermission } from './service-setting.ts';

const channelPages = [
  { path: 'email/channel', channel: 'email', title: 'Send emails' },
  { path: 'text/channel', channel: 'sms', title: 'Send texts' },
  { path: 'letter/channel', channel: 'letter', title: 'Send letters' },
] as const;

const abroad = [
  { path: 'text/abroad', permission: 'international_sms', title: 'Send texts abroad' },
  { path: 'letter/abroad', permission: 'international_letters', title: 'Send letters abroad' },
] as const;

/** Settings that are permissions of the service: on or off. */
export function channelSettingPages(pages: Pages, app: ConsoleApp): void {
  for (const { path, channel, title } of channelPages) {
    addServiceSetting(pages, {
      path,
      who: team,
      title,
      fields: ({ permissions }, formState) => (
        <YesNo
          formState={formState}
          legend={title}
          isYes={permissions.includes(channel)}
          hints={{ no: 'Requests for this channel are refused. Its templates stay.' }}
        />
      ),
      ...yesOrNo,
      async save(service, { value }, { visitor }) {
        const isOn = value === 'yes';
        if (isOn && !service.permissions.includes(channel) && !visitor.user.platform_admin) {
          await refuseUnlessPrepared(service, channel);
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
      lead: 'They cost more; the page “Usage” says how much.',
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

  /** Recipients of emails must see who wrote, and be able to answer. */
  async function refuseUnlessPrepared(service: Service, channel: Channel): Promise<void> {
    if (channel !== 'email') return;
    const hasName = service.confirmed_email_sender_name === true;
    const hasReplyTo = (await listReplyTos(app.db, service.id)).length > 0;
    if (!hasName && !hasReplyTo) throw invalidField('value', 'Choose a sender name and add a reply-to address first.');
    if (!hasName) throw invalidField('value', 'Choose a sender name first.');
    if (!hasReplyTo) throw invalidField('value', 'Add a reply-to address first.');
  }
}
