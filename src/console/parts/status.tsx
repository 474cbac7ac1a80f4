import type { ComponentChildren } from 'preact';
import { t } from '../../language/text.ts';
import type { Status as MessageState } from '../../notifications/notification.ts';
import type { Channel } from '../../protocol/channels.ts';

/** The outcome of a message: always shown as icon, word and colour. The style sheet draws the icon, because lists have many. */
type StatusKind = 'accepted' | 'sending' | 'delivered' | 'failed' | 'cancelled';

export function Status({ kind, children }: { kind: StatusKind; children: ComponentChildren }) {
  return <span class={`status status--${kind}`}>{children}</span>;
}

/** The channel of a message. Coloured only if large: in lists, colour is reserved for the status. */
export function Stamp({ channel, large }: { channel: 'email' | 'text' | 'letter'; large?: boolean }) {
  return (
    <span class={`stamp stamp--${channel}${large ? ' stamp--large' : ''}`}>
      <span class="sr">{channelNames[channel]}</span>
    </span>
  );
}

const channelNames = { email: t('Email'), text: t('Text'), letter: t('Letter') };

type Shown = [kind: Parameters<typeof Status>[0]['kind'], word: string];

const shown: Record<MessageState, Shown> = {
  created: ['accepted', t('Accepted')],
  sending: ['sending', t('Sending')],
  pending: ['sending', t('Pending')],
  sent: ['delivered', t('Sent')],
  delivered: ['delivered', t('Delivered')],
  failed: ['failed', t('Failed')],
  'technical-failure': ['failed', t('Technical failure')],
  'temporary-failure': ['failed', t('Temporary failure')],
  'permanent-failure': ['failed', t('Permanent failure')],
  cancelled: ['cancelled', t('Cancelled')],
  'pending-virus-check': ['accepted', t('Checking for viruses')],
  'validation-failed': ['failed', t('Cannot be printed')],
  'virus-scan-failed': ['failed', t('Contains a virus')],
  'returned-letter': ['failed', t('Returned')],
};

const shownOfLetters: Partial<Record<MessageState, Shown>> = {
  created: ['accepted', t('Waiting to print')],
  sending: ['sending', t('Printing')],
  delivered: ['delivered', t('Posted')],
  'technical-failure': ['failed', t('Not printed')],
};

/** The outcome of a message, in the terms of its channel. */
export function MessageStatus({ status, channel }: { status: MessageState; channel: Channel }) {
  const [kind, word] = (channel === 'letter' ? shownOfLetters[status] : undefined) ?? shown[status];
  return <Status kind={kind}>{word}</Status>;
}
