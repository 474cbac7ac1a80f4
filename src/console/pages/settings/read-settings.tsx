import type { ComponentChildren } from 'preact';
import { getAllowance } from '../../../billing/allowance.ts';
import { getEmailBranding } from '../../../branding/email-branding.ts';
import { getLetterBranding } from '../../../branding/letter-branding.ts';
import { getKeywordSettings } from '../../../inbound/opt-outs/keyword-settings.ts';
import { listOptOuts } from '../../../inbound/opt-outs/opt-outs.ts';
import { sendOverSmtp } from '../../../inlet/settings.ts';
import { joined, type Text, t } from '../../../language/text.ts';
import { getGuard } from '../../../notifications/guard/guard.ts';
import { remainingToday } from '../../../notifications/limits/daily-limits.ts';
import { getSendingTimes } from '../../../notifications/windows/send-windows.ts';
import { findOrganisationOfService } from '../../../organisations/organisations.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { getChosenDomains } from '../../../sending-domains/sending-domains.ts';
import { findNumberOfService } from '../../../services/inbound-numbers/inbound-numbers.ts';
import { listLetterContacts, listReplyTos, listSmsSenders } from '../../../services/senders/senders.ts';
import type { Service } from '../../../services/services.ts';
import { defaultRetentionDays, listRetentions } from '../../../services/settings/data-retention.ts';
import { suppressRecipients } from '../../../services/suppression/suppression-list.ts';
import { templateLanguages } from '../../../templates/languages/languages.ts';
import { keepCharacters } from '../../../templates/languages/text-alphabet.ts';
import type { OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { channelLabels, countedToday, leftToday } from '../../message-labels.ts';
import { count } from '../../money.ts';
import { annualLimitPath, describeAnnualLimits, describeTextUnit, textUnitPath } from './annual-limits.pages.tsx';
import { dialectNames } from './general.pages.tsx';
import { limitSettings, textSettings } from './operator.pages.tsx';
import { describeSendingTimes } from './sending-times.pages.tsx';
import { operator } from './service-setting.ts';

interface Group {
  of: 'general' | 'email' | 'text' | 'letter' | 'operator';
  title: Text;
  stamp?: 'email' | 'text' | 'letter';
  isOn?: boolean;
  /** Without a path, it cannot be changed here; without `who`, the team changes it. */
  rows: { label: Text; value: ComponentChildren; path?: string; who?: OfService }[];
}

const yesNo = (isYes: boolean) => (isYes ? t('Yes') : t('No'));

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
      title: t('General'),
      rows: [
        { label: t('Service name'), value: service.name, path: 'name' },
        {
          label: t('Team signs in with'),
          value: permissions.includes('email_auth')
            ? t('Text code, email link or security key')
            : t('Text code or security key'),
          path: 'sign-in',
        },
        {
          label: t('Messages are kept for'),
          value: (
            <AndMore
              first={spanOf(Object.values(days))}
              more={service.restricted ? t('You can change this once your service is live.') : ''}
            />
          ),
          ...(service.restricted ? {} : { path: 'retention' }),
        },
        {
          label: t('Templates in several languages'),
          value: yesNo(permissions.includes(templateLanguages)),
          path: 'template-languages',
        },
        {
          label: t('Sending times'),
          value: describeSendingTimes(await getSendingTimes(app, service.id)),
          path: 'sending-times',
        },
        { label: t('API compatibility'), value: dialectNames[service.api_dialect], path: 'api-dialect' },
      ],
    },
    await emailSettings(app, service, limit.email),
    await textGroup(app, service, limit.sms),
    await letterSettings(app, service, limit.letter),
    operatorSettings(app, service, days, free_sms_fragment_limit, await findOrganisationOfService(app.db, service.id)),
  ];
}

const guardLabels = { ok: t('No problems'), warned: t('Warned'), paused: t('Sending to many is paused') };

async function emailSettings(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const [first, ...others] = await listReplyTos(app.db, service.id);
  const brand = service.email_branding === null ? undefined : await getEmailBranding(app.db, service.email_branding);
  const fromDomain = await app.senderDomains.nameFor(service.id, await getChosenDomains(app.db, service.id));
  const address = `${service.email_sender_local_part}@${fromDomain}`;
  const guard = await getGuard(app, service.id);
  return {
    of: 'email',
    title: t('Email'),
    stamp: 'email',
    isOn: service.permissions.includes('email'),
    rows: [
      { label: t('Send emails'), value: yesNo(service.permissions.includes('email')), path: 'email/channel' },
      {
        label: t('Sender name'),
        value: <AndMore first={service.custom_email_sender_name ?? service.name} more={address} />,
        path: 'email/sender-name',
      },
      { label: t('Sending domain'), value: fromDomain, path: 'email/domain' },
      {
        label: t('Reply-to addresses'),
        value: <AndMore first={first?.email_address ?? t('None')} more={othersText(others.length)} />,
        path: 'email/reply-to',
      },
      { label: t('Brand'), value: brand?.name ?? t('None', { context: 'no brand' }), path: 'email/branding' },
      { label: t('Contact for files'), value: service.contact_link ?? t('None'), path: 'email/files-contact' },
      {
        label: t('Suppression list'),
        value: service.permissions.includes(suppressRecipients) ? t('On') : t('Off'),
        path: 'email/suppression-list',
      },
      {
        label: t('Software that sends over SMTP'),
        value: service.permissions.includes(sendOverSmtp) ? t('On') : t('Off'),
        path: 'email/smtp',
      },
      { label: t('Bounces and complaints'), value: guardLabels[guard.state], path: 'email/guard' },
      { label: t('Daily limit'), value: limit, path: 'operator/email-limit', who: operator },
    ],
  };
}

async function textGroup(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const [first, ...others] = await listSmsSenders(app.db, service.id);
  const inbound = await findNumberOfService(app.db, service.id);
  const receives = service.permissions.includes('inbound_sms');
  const optOuts = await listOptOuts(app.db, service.id, { size: 1 });
  const { words, stop_reply, help_reply, language } = await getKeywordSettings(app.db, service.id);
  const hasOwnReplies =
    Object.values(words).flat().length > 0 || [stop_reply, help_reply, language].some((own) => own !== null);
  return {
    of: 'text',
    title: t('Text'),
    stamp: 'text',
    isOn: service.permissions.includes('sms'),
    rows: [
      { label: t('Send texts'), value: yesNo(service.permissions.includes('sms')), path: 'text/channel' },
      {
        label: t('Senders'),
        value: <AndMore first={first?.sms_sender ?? t('None')} more={othersText(others.length)} />,
        path: 'text/senders',
      },
      { label: t('Start texts with the service name'), value: yesNo(service.prefix_sms), path: 'text/prefix' },
      {
        label: t('Keep all characters'),
        value: yesNo(service.permissions.includes(keepCharacters)),
        path: 'text/characters',
      },
      {
        label: t('Receive texts'),
        value: receives && inbound ? t('At {number}', { number: inbound.number }) : yesNo(receives),
        path: 'text/receive',
      },
      {
        label: t('STOP, START and HELP'),
        value: hasOwnReplies ? t('Your own words or replies') : t('Default words and replies'),
        path: 'text/replies',
      },
      {
        label: t('Opt-outs from texts'),
        value: optOuts.entries.length > 0 ? t('Some numbers') : t('None'),
        path: 'text/opt-outs',
      },
      { label: t('Send abroad'), value: yesNo(service.permissions.includes('international_sms')), path: 'text/abroad' },
      { label: t('Daily limit'), value: limit, path: 'operator/text-limit', who: operator },
    ],
  };
}

async function letterSettings(app: ConsoleApp, service: Service, limit: ComponentChildren): Promise<Group> {
  const contacts = await listLetterContacts(app.db, service.id);
  const used = contacts.find(({ is_default }) => is_default);
  const brand = service.letter_branding === null ? undefined : await getLetterBranding(app.db, service.letter_branding);
  return {
    of: 'letter',
    title: t('Letters'),
    stamp: 'letter',
    isOn: service.permissions.includes('letter'),
    rows: [
      { label: t('Send letters'), value: yesNo(service.permissions.includes('letter')), path: 'letter/channel' },
      {
        label: t('Sender addresses'),
        value: (
          <AndMore
            first={used?.contact_block.split('\n')[0] ?? t('No default')}
            more={othersText(contacts.length - (used ? 1 : 0))}
          />
        ),
        path: 'letter/contacts',
      },
      { label: t('Logo'), value: brand?.name ?? t('None'), path: 'letter/branding' },
      {
        label: t('Send abroad'),
        value: yesNo(service.permissions.includes('international_letters')),
        path: 'letter/abroad',
      },
      { label: t('Daily limit'), value: limit, path: 'operator/letter-limit', who: operator },
    ],
  };
}

function operatorSettings(
  app: ConsoleApp,
  service: Service,
  days: Record<Channel, number>,
  freeTexts: number,
  organisation: { name: string } | undefined,
): Group {
  const used = channels
    .filter((channel) => service.permissions.includes(channel))
    .map((channel) => channelLabels[channel].names);
  const rows = [
    { label: t('Live'), value: yesNo(!service.restricted), path: 'operator/mode' },
    {
      label: t('Channels'),
      value: used.length > 0 ? joined(used, ', ') : t('None: suspended'),
      path: 'operator/channels',
    },
    {
      label: t('Organisation'),
      value: organisation?.name ?? t('None', { context: 'no organisation' }),
      path: 'operator/organisation',
    },
    { label: t('Counted as live'), value: yesNo(service.count_as_live), path: 'operator/counted' },
    {
      label: t('Texts to landlines'),
      value: yesNo(service.permissions.includes('sms_to_uk_landlines')),
      path: 'operator/landlines',
    },
    { label: t('Annual limits'), value: describeAnnualLimits(service), path: annualLimitPath },
    { label: t('What limits on texts count'), value: describeTextUnit(app, service), path: textUnitPath },
    ...limitSettings.map(({ path, field, title }) => ({ label: title, value: count(service[field]), path })),
    { label: t('Free texts this financial year'), value: count(freeTexts), path: 'operator/free-texts' },
    ...channels.map((channel) => ({
      label: t('{channel, select, email {Emails are kept for} sms {Texts are kept for} other {Letters are kept for}}', {
        channel,
      }),
      value: daysText(days[channel]),
      path: `operator/retention-${channel}`,
    })),
    ...textSettings.map(({ path, field, title }) => ({ label: title, value: service[field] ?? t('None'), path })),
  ];
  return { of: 'operator', title: t('For operators'), rows: rows.map((row) => ({ ...row, who: operator })) };
}

function AndMore({ first, more }: { first: string; more: string }) {
  return (
    <>
      {first} {more !== '' && <span class="muted">{more}</span>}
    </>
  );
}

function othersText(others: number): string {
  return others === 0 ? '' : t('{others, plural, one {and # other} other {and # others}}', { others });
}

/** "50 (47 emails left today)", by channel. */
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
      const counted = countedToday(app, { text_unit: service }, channel);
      // The limit abroad counts texts, whatever the limit of texts counts.
      const abroad = left.international === null ? undefined : Math.min(left.messages, left.international);
      const today =
        abroad === undefined
          ? leftToday(counted, left.messages)
          : t(
              '{counted, select, parts {{left, plural, =0 {No parts of texts left today} one {# part of texts left today, for at most {texts, plural, one {# text} other {# texts}} abroad} other {# parts of texts left today, for at most {texts, plural, one {# text} other {# texts}} abroad}}} other {{left, plural, =0 {No texts left today} one {# text left today, {texts, number} of them abroad} other {# texts left today, {texts, number} of them abroad}}}}',
              { counted, left: left.messages, texts: abroad },
            );
      const more = t('({today})', { today });
      return [channel, <AndMore key={channel} first={count(daily_limits[channel])} more={more} />] as const;
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

function spanOf(days: number[]): Text {
  const [shortest, longest] = [Math.min(...days), Math.max(...days)];
  if (shortest === longest) return daysText(longest);
  return t('{shortest} to {longest, plural, one {# day} other {# days}}, by channel', { shortest, longest });
}

function daysText(days: number): Text {
  return t('{days, plural, one {# day} other {# days}}', { days });
}
