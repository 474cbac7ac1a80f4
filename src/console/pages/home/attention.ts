import { t } from '../../../language/text.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { leftToday } from '../../message-labels.ts';
import { count } from '../../money.ts';
import type { Figures } from './figures.ts';

interface AttentionItem {
  tone: 'failed' | 'sending';
  what: string;
  more: string;
  /** The page that helps, relative to the service. */
  to?: { path: string; label: string };
}

/** Channels with a larger share of failures are marked. They need attention if the share is also higher than usual. */
export const tooManyFailures = 0.03;
const fewMessages = 20;
/** A channel needs attention once this share of its daily limit is used. */
const nearlyUsed = 0.8;

/** Lists what needs attention, most urgent first. */
export function listAttentionItems(figures: Figures, service: { restricted: boolean }): AttentionItem[] {
  return [
    ...channels.flatMap((channel) => failures(figures, channel)),
    ...callbacks(figures),
    ...(service.restricted ? trial(figures) : channels.flatMap((channel) => limit(figures, channel))),
  ];
}

export function shareFailed({ requested, failed }: { requested: number; failed: number }): number {
  return requested === 0 ? 0 : failed / requested;
}

export function percent(share: number): string {
  const text = (share * 100).toFixed(1);
  return share > 0 && text === '0.0' ? 'under 0.1%' : `${text}%`;
}

function failures({ week, usual }: Figures, channel: Channel): AttentionItem[] {
  const [now, before] = [shareFailed(week[channel]), shareFailed(usual[channel])];
  if (week[channel].requested < fewMessages || now <= tooManyFailures || now <= before * 1.5) return [];
  const more =
    usual[channel].requested === 0
      ? t('{count, number} of them', { count: week[channel].failed })
      : t('usually {share}', { share: percent(before) });
  const to = {
    path: `/messages?channel=${channel}&status=failed`,
    label: t('{channel, select, email {See failed emails} sms {See failed texts} other {See failed letters}}', {
      channel,
    }),
  };
  return [
    {
      tone: 'failed',
      what: t(
        '{channel, select, email {{share} of emails failed this week} sms {{share} of texts failed this week} other {{share} of letters failed this week}}',
        { channel, share: percent(now) },
      ),
      more,
      to,
    },
  ];
}

function callbacks({ refusedCallbacks: waiting }: Figures): AttentionItem[] {
  if (waiting === 0) return [];
  const what =
    waiting >= 1_000
      ? t('Over 1,000 callbacks are waiting')
      : t('{count, plural, one {# callback is waiting} other {# callbacks are waiting}}', { count: waiting });
  const to = { path: '/integration/callbacks', label: t('See callbacks') };
  return [{ tone: 'sending', what, more: t('Your system did not accept them. We will try again.'), to }];
}

function trial({ left }: Figures): AttentionItem[] {
  return [
    {
      tone: 'sending',
      what: t('Trial mode'),
      more: t(
        '{counted, select, parts {You can send {emails, plural, one {# email} other {# emails}} and {texts, plural, one {# part of texts} other {# parts of texts}} today, only to your team and guest list.} other {You can send {emails, plural, one {# email} other {# emails}} and {texts, plural, one {# text} other {# texts}} today, only to your team and guest list.}}',
        { counted: left.sms.counted, emails: left.email.remaining, texts: left.sms.remaining },
      ),
      to: { path: '/going-live', label: t('Go live') },
    },
  ];
}

function limit({ left }: Figures, channel: Channel): AttentionItem[] {
  const { limit: all, remaining, counted } = left[channel];
  if (all === 0 || remaining > all * (1 - nearlyUsed)) return [];
  const what = leftToday(counted, remaining);
  const to = { path: '/settings', label: t('Settings') };
  return [
    {
      tone: remaining === 0 ? 'failed' : 'sending',
      what,
      more: t('The daily limit is {all}.', { all: count(all) }),
      to,
    },
  ];
}
