import type { ComponentChildren } from 'preact';
import { getAllowance } from '../../../billing/allowance.ts';
import { getEmailBranding } from '../../../branding/email-branding.ts';
import { getLetterBranding } from '../../../branding/letter-branding.ts';
import { remainingToday } from '../../../notifications/limits/daily-limits.ts';
import { findOrganisationOfService } from '../../../organisations/organisations.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { findNumberOfService } from '../../../services/inbound-numbers/inbound-numbers.ts';
import { listLetterContacts, listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import type { Service } from '../../../services/services.ts';
import { defaultRetentionDays, listRetentions } from '../../../services/settings/data-retention.ts';
import { suppressRecipients } from '../../../services/suppression/suppression-list.ts';
import type { OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { channelWords } from '../../message-words.ts';
import { dialectNames } from './general.pages.tsx';
import { limitSettings, textSettings } from './operator.pages.tsx';
import { operator } from './service-setting.ts';

interface Group {
  of: 'general' | 'email' | 'text' | 'letter' | 'operator';
  title: string;
  stamp?: 'email' | 'text' | 'letter';
  isOn?: boolean;
  /** Without a path, it cannot be changed here; without `who`, the team changes it. */
  rows: { label: string; value: ComponentChildren; path?: string; who?: OfService }[];
}

const yesNo = (isYes: boolean) => (isYes ? 'Yes' : 'No');
const number = (value: number) => value.toLocaleString('en-GB');

export async function readSettings(app: ConsoleApp, service: Service): Promise<Group[]> {
  const { permissions } = service;
  const limit = await limitsOf(app, service);
  const days = await retentionOf(app, service.id);
  const now = app.clock.now();
  const year = app.country.calendar.financialYear(now);
  const { free_sms_fragment_limit } = await getAllowance(app.country, app.db, service.id, year, now);
  return [
    {
      of: 'general',
      title: 'General',
      rows: [
        { label: 'Service name', value: service.name, path: 'name' },
        {
          label: 'Team signs in with',
          value: permissions.includes('email_auth')
            ? 'Text code, email link or security key'
            : 'Text code or security key',
          path: 'sign-in',
        },
        {
          label: 'Messages are kept for',
          value: (
            <AndMore
              first={spanOf(Object.values(days))}
              more={service.restricted ? 'You can change this once your service is live.' : ''}
            />
          ),
          ...(service.restricted ? {} : { path: 'retention' }),
        },
        { label: 'API compatibility', value: dialectNames[service.api_dialect], path: 'api-dialect' },
      ],
    },
    await emailSettings(app, service, limit.email),
    await textGroup(app, service, limit.sms),
    await letterSettings(app, service, limit.letter),
    operatorSettings(service, days, free_sms_fragment_limit, await findOrganisationOfService(app.db, service.id)),
  ];
}

async function emailSettings(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const [first, ...others] = await listReplyTos(app.db, service.id);
  const brand = service.email_branding === null ? undefined : await getEmailBranding(app.db, service.email_branding);
  const address = `${service.email_sender_local_part}@${app.config.email.domain}`;
  return {
    of: 'email',
    title: 'Email',
    stamp: 'email',
    isOn: service.permissions.includes('email'),
    rows: [
      { label: 'Send emails', value: yesNo(service.permissions.includes('email')), path: 'email/channel' },
      {
        label: 'Sender name',
        value: <AndMore first={service.custom_email_sender_name ?? service.name} more={address} />,
        path: 'email/sender-name',
      },
      {
        label: 'Reply-to addresses',
        value: <AndMore first={first?.email_address ?? 'None'} more={othersText(others.length)} />,
        path: 'email/reply-to',
      },
      { label: 'Brand', value: brand?.name ?? 'None', path: 'email/branding' },
      { label: 'Contact for files', value: service.contact_link ?? 'None', path: 'email/files-contact' },
      {
        label: 'Suppression list',
        value: service.permissions.includes(suppressRecipients) ? 'On' : 'Off',
        path: 'email/suppression-list',
      },
      { label: 'Daily limit', value: limit, path: 'operator/email-limit', who: operator },
    ],
  };
}

async function textGroup(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const [first, ...others] = await listSmsSenders(app.db, service.id);
  const inbound = await findNumberOfService(app.db, service.id);
  const receives = service.permissions.includes('inbound_sms');
  return {
    of: 'text',
    title: 'Text',
    stamp: 'text',
    isOn: service.permissions.includes('sms'),
    rows: [
      { label: 'Send texts', value: yesNo(service.permissions.includes('sms')), path: 'text/channel' },
      {
        label: 'Senders',
        value: <AndMore first={first?.sms_sender ?? 'None'} more={othersText(others.length)} />,
        path: 'text/senders',
      },
      { label: 'Start texts with the service name', value: yesNo(service.prefix_sms), path: 'text/prefix' },
      {
        label: 'Receive texts',
        value: receives && inbound ? `At ${inbound.number}` : yesNo(receives),
        path: 'text/receive',
      },
      { label: 'Send abroad', value: yesNo(service.permissions.includes('international_sms')), path: 'text/abroad' },
      { label: 'Daily limit', value: limit, path: 'operator/text-limit', who: operator },
    ],
  };
}

async function letterSettings(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const contacts = await listLetterContacts(app.db, service.id);
  const used = contacts.find(({ is_default }) => is_default);
  const brand = service.letter_branding === null ? undefined : await getLetterBranding(app.db, service.letter_branding);
  return {
    of: 'letter',
    title: 'Letters',
    stamp: 'letter',
    isOn: service.permissions.includes('letter'),
    rows: [
      { label: 'Send letters', value: yesNo(service.permissions.includes('letter')), path: 'letter/channel' },
      {
        label: 'Sender addresses',
        value: (
          <AndMore
            first={used?.contact_block.split('\n')[0] ?? 'No default'}
            more={othersText(contacts.length - (used ? 1 : 0))}
          />
        ),
        path: 'letter/contacts',
      },
      { label: 'Logo', value: brand?.name ?? 'None', path: 'letter/branding' },
      {
        label: 'Send abroad',
        value: yesNo(service.permissions.includes('international_letters')),
        path: 'letter/abroad',
      },
      { label: 'Daily limit', value: limit, path: 'operator/letter-limit', who: operator },
    ],
  };
}

function operatorSettings(
  service: Service,
  days: Record<Channel, number>,
  freeTexts: number,
  organisation: { name: string } | undefined,
): Group {
  const rows = [
    { label: 'Live', value: yesNo(!service.restricted), path: 'operator/mode' },
    {
      label: 'Channels',
      value:
        channels
          .filter((channel) => service.permissions.includes(channel))
          .map((channel) => channelWords[channel].names)
          .join(', ') || 'None: suspended',
      path: 'operator/channels',
    },
    { label: 'Organisation', value: organisation?.name ?? 'None', path: 'operator/organisation' },
    { label: 'Counted as live', value: yesNo(service.count_as_live), path: 'operator/counted' },
    {
      label: 'Texts to landlines',
      value: yesNo(service.permissions.includes('sms_to_uk_landlines')),
      path: 'operator/landlines',
    },
    ...limitSettings.map(({ path, field, title }) => ({ label: title, value: number(service[field]), path })),
    { label: 'Free texts this financial year', value: number(freeTexts), path: 'operator/free-texts' },
    ...channels.map((channel) => ({
      label: `${channelWords[channel].names} are kept for`,
      value: `${number(days[channel])} days`,
      path: `operator/retention-${channel}`,
    })),
    ...textSettings.map(({ path, field, title }) => ({ label: title, value: service[field] ?? 'None', path })),
  ];
  return { of: 'operator', title: 'For operators', rows: rows.map((row) => ({ ...row, who: operator })) };
}

function AndMore({ first, more }: { first: string; more: string }) {
  return (
    <>
      {first} {more !== '' && <span class="muted">{more}</span>}
    </>
  );
}

function othersText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? 'and 1 other' : `and ${count} others`;
}

/** "50 (47 left today)", by channel. */
async function limitsOf(app: ConsoleApp, service: Service): Promise<Record<Channel, ComponentChildren>> {
  const daily_limits = {
    email: service.email_message_limit,
    sms: service.sms_message_limit,
    letter: service.letter_message_limit,
    international_sms: service.international_sms_message_limit,
  };
  const texts = await Promise.all(
    channels.map(async (channel) => {
      const left = await remainingToday(app, { id: service.id, daily_limits }, channel);
      const abroad =
        left.international === null ? '' : `, ${number(Math.min(left.messages, left.international))} of them abroad`;
      const more = `(${number(left.messages)} left today${abroad})`;
      return [channel, <AndMore key={channel} first={number(daily_limits[channel])} more={more} />] as const;
    }),
  );
  return Object.fromEntries(texts) as Record<Channel, ComponentChildren>;
}

async function retentionOf(app: ConsoleApp, serviceId: string): Promise<Record<Channel, number>> {
  const rules = await listRetentions(app.db, serviceId);
  const daysOf = (channel: Channel) =>
    rules.find(({ notification_type }) => notification_type === channel)?.days_of_retention ?? defaultRetentionDays;
  return { email: daysOf('email'), sms: daysOf('sms'), letter: daysOf('letter') };
}

function spanOf(days: number[]): string {
  const [shortest, longest] = [Math.min(...days), Math.max(...days)];
  return shortest === longest ? `${longest} days` : `${shortest} to ${longest} days, by channel`;
}
