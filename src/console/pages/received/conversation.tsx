import { listInbox } from '../../../inbound/inbound-texts.ts';
import { getActivity } from '../../../notifications/history/activity.ts';
import { searchMessages } from '../../../notifications/history/search-messages.ts';
import type { Status } from '../../../notifications/notification.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { MessageStatus } from '../../parts/message-status.tsx';
import { Time } from '../../parts/time.tsx';

interface Entry {
  id: string;
  at: string;
  text: string;
  /** Of what the service sent. */
  status?: Status;
}

/** Of each direction. */
const maxEntries = 20;

/** What both sides wrote, oldest first. */
export async function readConversation(app: ConsoleApp, serviceId: string, number: string): Promise<Entry[]> {
  const received = (await listInbox(app, serviceId, number)).slice(0, maxEntries);
  const { messages } = await searchMessages(app, serviceId, { channel: 'sms', recipient: number });
  const sent = await Promise.all(messages.slice(0, maxEntries).map(({ id }) => getActivity(app, serviceId, id)));
  return [
    ...received.map(({ id, created_at, content }): Entry => ({ id, at: created_at, text: content })),
    ...sent.map(
      ({ id, created_at, body, status }): Entry => ({ id, at: created_at, text: body, status: status as Status }),
    ),
  ].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
}

interface ConversationProps {
  entries: Entry[];
  /** The address of messages, for those who may open one. */
  messages: string | undefined;
  now: Date;
}

export function Conversation({ entries, messages, now }: ConversationProps) {
  return (
    <ol class="phone thread" aria-label="Conversation">
      {entries.map(({ id, at, text, status }) => (
        <li key={id} class={status && 'end'}>
          <p class={status ? 'bubble bubble--reply' : 'bubble'}>
            <span class="sr">{status ? 'You: ' : 'They: '}</span>
            {text}
          </p>
          <small>
            {status && (messages ? <a href={`${messages}/${id}`}>Sent</a> : 'Sent')} <Time at={at} now={now} />{' '}
            {status && <MessageStatus status={status} channel="sms" />}
          </small>
        </li>
      ))}
    </ol>
  );
}
