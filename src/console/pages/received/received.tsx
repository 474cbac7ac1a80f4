import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { listInbox } from '../../../inbound/inbound-texts.ts';
import { t } from '../../../language/text.ts';
import { getActivity } from '../../../notifications/history/activity.ts';
import { searchMessages } from '../../../notifications/history/search-messages.ts';
import type { Status } from '../../../notifications/notification.ts';
import { rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Empty } from '../../parts/notice.tsx';
import { Pager } from '../../parts/pager.tsx';
import { formatPhoneNumber } from '../../parts/phone-number.ts';
import { MessageStatus } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';

interface InboxProps {
  texts: { id: string; user_number: string; content: string; created_at: string; keyword_action: string | null }[];
  page: number;
  hasNext: boolean;
  path: string;
  now: Date;
  phone: PhoneRules;
  /** Whether people can send texts to the service. */
  hasNumber: boolean;
  /** The URL of the page that starts receiving, for people who can open it. */
  setting: string | undefined;
}

/** One entry for each number. Also sent as a fragment. */
export function Inbox({ texts, page, hasNext, path, now, phone, hasNumber, setting }: InboxProps) {
  if (texts.length === 0) {
    return (
      <Empty
        title={t('No texts received')}
        action={
          !hasNumber &&
          setting && (
            <a class="button button--primary" href={setting}>
              {t('Receive texts')}
            </a>
          )
        }
      >
        {hasNumber ? t('Texts that people send to your service appear here for 7 days.') : cannotReceive(setting)}
      </Empty>
    );
  }
  return (
    <div class="stack">
      <ul class="inbox card card--flush">
        {texts.map(({ id, user_number, content, created_at, keyword_action }) => (
          <li key={id}>
            <a href={`${path}/${id}`}>
              <span />
              <span>
                <b>{formatPhoneNumber(phone, user_number)}</b> {keyword_action === 'review' && <PossibleOptOut />}
              </span>
              <Time at={created_at} now={now} />
              <span class="preview">{content}</span>
            </a>
          </li>
        ))}
      </ul>
      {(page > 1 || hasNext) && (
        <Pager
          shown={t('Page {page}', { page })}
          newer={page > 1 ? `${path}?page=${page - 1}` : undefined}
          older={hasNext ? `${path}?page=${page + 1}` : undefined}
        />
      )}
    </div>
  );
}

function PossibleOptOut() {
  return <span class="badge tone-amber">{t('Possible opt-out')}</span>;
}

function cannotReceive(setting: string | undefined): string {
  return setting
    ? t('Your service does not receive texts yet. Switch it on in the settings.')
    : t('Your service does not receive texts yet. Ask someone with the permission “{manage}” to switch it on.', {
        manage: rightNames.manage,
      });
}

interface Entry {
  id: string;
  at: string;
  text: string;
  /** The status of a text that the service sent. */
  status?: Status;
  /** A received text that contains a word such as STOP and has not been reviewed yet. */
  isUnclear?: boolean;
}

/** The maximum number of texts shown in each direction. */
const maxEntries = 20;

/** Returns the texts of both sides, oldest first. */
export async function readConversation(app: ConsoleApp, serviceId: string, number: string): Promise<Entry[]> {
  const received = (await listInbox(app, serviceId, number)).slice(0, maxEntries);
  const { messages } = await searchMessages(app, serviceId, { channel: 'sms', recipient: number });
  const sent = await Promise.all(messages.slice(0, maxEntries).map(({ id }) => getActivity(app, serviceId, id)));
  return [
    ...received.map(
      ({ id, created_at, content, keyword_action }): Entry => ({
        ...{ id, at: created_at, text: content, isUnclear: keyword_action === 'review' },
      }),
    ),
    ...sent.map(
      ({ id, created_at, body, status }): Entry => ({ id, at: created_at, text: body, status: status as Status }),
    ),
  ].toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
}

interface ConversationProps {
  entries: Entry[];
  /** The URL of messages, for people who may open them. */
  messages: string | undefined;
  /** The URL of received texts, for people who can review them. */
  received: string | undefined;
  now: Date;
}

export function Conversation({ entries, messages, received, now }: ConversationProps) {
  return (
    <ol class="phone thread" aria-label={t('Conversation')}>
      {entries.map(({ id, at, text, status, isUnclear }) => (
        <li key={id} class={status && 'end'}>
          <p class={status ? 'bubble bubble--reply' : 'bubble'}>
            <span class="sr">{status ? t('You:') : t('They:')} </span>
            {text}
          </p>
          <small>
            {status && (messages ? <a href={`${messages}/${id}`}>{t('Sent')}</a> : t('Sent'))}{' '}
            <Time at={at} now={now} /> {status && <MessageStatus status={status} channel="sms" />}
            {isUnclear && <PossibleOptOut />}{' '}
            {isUnclear && received && <a href={`${received}/${id}/opt-out`}>{t('Decide about this text')}</a>}
          </small>
        </li>
      ))}
    </ol>
  );
}
