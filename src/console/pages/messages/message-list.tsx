import { statusLabel } from '../../../notifications/history/activity-export.ts';
import type { FoundMessages, MessageRow } from '../../../notifications/history/search-messages.ts';
import { statusesOfGroup } from '../../../notifications/status-groups.ts';
import { timestamp } from '../../../platform/clock.ts';
import { MessageStatus } from '../../parts/message-status.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Stamp } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type ListQuery, listUrl } from './list-query.ts';
import { providerName } from './provider-name.ts';
import { shortRecipient } from './recipient.ts';

export const stampOf = { email: 'email', sms: 'text', letter: 'letter' } as const;

interface ListProps {
  found: FoundMessages;
  list: ListQuery;
  /** The address of the list. */
  path: string;
  /** How many there are, where the statistics know. */
  total: number | undefined;
  /** Whether this person may open a message. */
  mayOpen: boolean;
  now: Date;
}

/** The rows and the links to the next ones; also a fragment. */
export function MessageList({ found, list, path, total, mayOpen, now }: ListProps) {
  const { messages, newer, older, searchedTo } = found;
  return (
    <>
      {messages.length === 0 ? (
        <div class="empty">
          <h2>{searchedTo ? 'Nothing found so far' : isNarrowed(list) ? 'Nothing found' : 'No messages yet'}</h2>
          <p>{emptyNote(list, searchedTo !== undefined)}</p>
        </div>
      ) : (
        <Table
          caption="Messages, newest first"
          rows={messages}
          keyOf={({ id }) => id}
          middle
          columns={[
            { head: 'To', cell: (row) => <Recipient row={row} path={mayOpen ? path : undefined} /> },
            { head: 'Status', cell: (row) => <StatusCell row={row} /> },
            {
              head: 'Template',
              cell: ({ template_name, template_version }) => (
                <>
                  {template_name} <span class="muted">v{template_version}</span>
                </>
              ),
            },
            { head: 'Sent by', cell: (row) => <SentBy row={row} /> },
            { head: 'Provider', cell: ({ provider }) => (provider ? providerName(provider) : '–') },
            { head: 'Time', cell: ({ created_at }) => <Time at={created_at} now={now} brief /> },
          ]}
        />
      )}
      <Pager
        shown={shownText({ found, list, total })}
        newer={newer && listUrl(path, list, { after: newer })}
        older={older && listUrl(path, list, { before: older })}
      />
      {searchedTo && (
        <p class="small muted">
          Searched back to <Time at={timestamp(searchedTo)} now={now} />. “Older” searches on from there; “before:” and
          “after:” narrow a search to some days.
        </p>
      )}
    </>
  );
}

function Recipient({ row, path }: { row: MessageRow; path: string | undefined }) {
  const recipient = shortRecipient(row);
  return (
    <span class="row row--tight">
      <Stamp channel={stampOf[row.notification_type]} small />
      {path ? <a href={`${path}/${row.shown_id}`}>{recipient}</a> : <span>{recipient}</span>}
    </span>
  );
}

function StatusCell({ row: { status, notification_type } }: { row: MessageRow }) {
  const hasReason = statusesOfGroup.failed.includes(status);
  return (
    <>
      <MessageStatus status={status} channel={notification_type} />
      {hasReason && <small>{statusLabel(notification_type, status)}</small>}
    </>
  );
}

function SentBy({ row }: { row: MessageRow }) {
  const { job_name, job_row_number, api_key_name, created_by_name, client_reference } = row;
  return (
    <>
      {job_name ?? (api_key_name === null ? (created_by_name ?? '–') : `Key “${api_key_name}”`)}
      {job_name !== null && job_row_number !== null && <small>row {job_row_number + 1}</small>}
      {client_reference !== null && <small>{client_reference}</small>}
    </>
  );
}

function isNarrowed({ channel, status, from, find }: ListQuery): boolean {
  return channel !== undefined || status !== undefined || from !== undefined || find !== '';
}

function emptyNote(list: ListQuery, hasMore: boolean): string {
  if (hasMore) return 'There are more messages to search: choose “Older”.';
  if (isNarrowed(list)) return 'Look for less, or choose another channel or status.';
  return list.before || list.after ? 'There are no messages here.' : 'Send one, and it appears here.';
}

function shownText({ found: { messages }, list, total }: Pick<ListProps, 'found' | 'list' | 'total'>): string {
  const count = messages.length.toLocaleString('en-GB');
  if (total === undefined || messages.length === 0) return messages.length === 1 ? '1 message' : `${count} messages`;
  const isNewest = list.before === undefined && list.after === undefined;
  return `${isNewest ? 'Newest ' : ''}${count} of ${Math.max(total, messages.length).toLocaleString('en-GB')}`;
}
