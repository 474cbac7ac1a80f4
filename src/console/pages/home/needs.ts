import { type Channel, channels } from '../../../protocol/channels.ts';
import { channelWords } from '../../message-words.ts';
import { count } from '../../money.ts';
import type { Figures } from './figures.ts';

interface Need {
  tone: 'failed' | 'sending';
  what: string;
  more: string;
  /** The page that helps, below the service. */
  to?: { path: string; label: string };
}

/** A channel with a larger share of failures is marked, and needs somebody if that is more than usual. */
export const tooManyFailures = 0.03;
const fewMessages = 20;
/** A channel needs somebody once this share of its daily limit is used. */
const nearlyUsed = 0.8;

/** What somebody should look at, most urgent first. */
export function listNeeds(figures: Figures, service: { restricted: boolean }): Need[] {
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

function failures({ week, usual }: Figures, channel: Channel): Need[] {
  const [now, before] = [shareFailed(week[channel]), shareFailed(usual[channel])];
  if (week[channel].requested < fewMessages || now <= tooManyFailures || now <= before * 1.5) return [];
  const more = usual[channel].requested === 0 ? `${count(week[channel].failed)} of them` : `usually ${percent(before)}`;
  const to = {
    path: `/messages?channel=${channel}&status=failed`,
    label: `See failed ${channelWords[channel].plural}`,
  };
  return [{ tone: 'failed', what: `${percent(now)} of ${channelWords[channel].plural} failed this week`, more, to }];
}

function callbacks({ refusedCallbacks: waiting }: Figures): Need[] {
  if (waiting === 0) return [];
  const what =
    waiting === 1
      ? '1 callback is waiting'
      : waiting >= 1_000
        ? 'Over 1,000 callbacks are waiting'
        : `${count(waiting)} callbacks are waiting`;
  const to = { path: '/integration/callbacks', label: 'See callbacks' };
  return [{ tone: 'sending', what, more: 'Your system did not accept them. We will try again.', to }];
}

function trial({ left }: Figures): Need[] {
  const [emails, texts] = [count(left.email.remaining), count(left.sms.remaining)];
  return [
    {
      tone: 'sending',
      what: 'Trial mode',
      more: `You can send ${emails} emails and ${texts} texts today, only to your team and guest list.`,
      to: { path: '/going-live', label: 'Go live' },
    },
  ];
}

function limit({ left }: Figures, channel: Channel): Need[] {
  const { limit: all, remaining } = left[channel];
  if (all === 0 || remaining > all * (1 - nearlyUsed)) return [];
  const what =
    remaining === 0
      ? `No ${channelWords[channel].plural} left today`
      : `${count(remaining)} ${channelWords[channel].plural} left today`;
  const to = { path: '/settings', label: 'Settings' };
  return [{ tone: remaining === 0 ? 'failed' : 'sending', what, more: `The daily limit is ${count(all)}.`, to }];
}
