import type { ComponentChildren } from 'preact';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { statusLabel } from '../../../notifications/history/activity-export.ts';
import type { FoundMessages, MessageRow } from '../../../notifications/history/search-messages.ts';
import { type StatusGroup, statusesOfGroup } from '../../../notifications/notification.ts';
import { timestamp } from '../../../platform/clock.ts';
import type { Statistics } from '../../../services/service-statistics.ts';
import { Icon } from '../../layout/icon.tsx';
import { channelLabels, channelTabs, providerName, shortRecipient } from '../../message-labels.ts';
import { count, several } from '../../money.ts';
import type { FormState } from '../../page.ts';
import { HintAndError } from '../../parts/field.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Pager } from '../../parts/pager.tsx';
import { MessageStatus, Stamp, Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Segments, Tabs } from '../../parts/tabs.tsx';
import { Time } from '../../parts/time.tsx';
import { type ListQuery, listUrl, origins } from './list-query.ts';

interface ListProps {
  found: FoundMessages;
  list: ListQuery;
  /** The URL of the list. */
  path: string;
  /** The number of messages, if the statistics know it. */
  total: number | undefined;
  /** Whether this person may open a message. */
  mayOpen: boolean;
  now: Date;
  phone: PhoneRules;
}

/** The rows and the pagination. Also sent as a fragment. */
export function MessageList({ found, list, path, total, mayOpen, now, phone }: ListProps) {
  const { messages, newer, older, searchedTo } = found;
  return (
    <>
      {messages.length === 0 ? (
        <Empty
          title={searchedTo ? t('Nothing found so far') : isNarrowed(list) ? t('Nothing found') : t('No messages yet')}
        >
          {emptyNote(list, searchedTo !== undefined)}
        </Empty>
      ) : (
        <Table
          caption={t('Messages, newest first')}
          rows={messages}
          keyOf={({ id }) => id}
          middle
          columns={[
            { head: t('To'), cell: (row) => <Recipient phone={phone} row={row} path={mayOpen ? path : undefined} /> },
            { head: t('Status'), cell: (row) => <StatusCell row={row} /> },
            {
              head: t('Template'),
              cell: ({ template_name, template_version }) => (
                <>
                  {template_name}{' '}
                  <span class="muted">
                    <T>v{{ templateVersion: template_version }}</T>
                  </span>
                </>
              ),
            },
            { head: t('Sent by'), cell: (row) => <SentBy row={row} /> },
            { head: t('Provider'), cell: ({ provider }) => (provider ? providerName(provider) : '–') },
            { head: t('Time'), cell: ({ created_at }) => <Time at={created_at} now={now} brief /> },
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
          <T>
            Searched back to <Time at={timestamp(searchedTo)} now={now} />. Select “Older” to search further back, or
            use “before:” and “after:” to search some days only.
          </T>
        </p>
      )}
    </>
  );
}

function Recipient({ phone, row, path }: { phone: PhoneRules; row: MessageRow; path: string | undefined }) {
  const recipient = shortRecipient(phone, row);
  return (
    <span class="row row--tight">
      <Stamp channel={channelLabels[row.notification_type].stamp} />
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
      {job_name ??
        (api_key_name === null ? (created_by_name ?? '–') : t('Key “{apiKeyName}”', { apiKeyName: api_key_name }))}
      {job_name !== null && job_row_number !== null && (
        <small>{t('row {number}', { number: job_row_number + 2 })}</small>
      )}
      {client_reference !== null && <small>{client_reference}</small>}
    </>
  );
}

function isNarrowed({ channel, status, from, file, find }: ListQuery): boolean {
  return [channel, status, from, file].some((value) => value !== undefined) || find !== '';
}

function emptyNote(list: ListQuery, hasMore: boolean): string {
  if (hasMore) return t('There are more messages to search. Select “Older”.');
  if (isNarrowed(list)) return t('Use fewer search words, or choose another channel or status.');
  return list.before || list.after ? t('No messages on this page.') : t('Send a message to see it here.');
}

function shownText({ found: { messages }, list, total }: Pick<ListProps, 'found' | 'list' | 'total'>): Text {
  if (total === undefined || messages.length === 0) return several(messages.length, 'message');
  const counts = { shown: messages.length, total: Math.max(total, messages.length) };
  const isNewest = list.before === undefined && list.after === undefined;
  return isNewest
    ? t('Newest {shown, number} of {total, number}', counts)
    : t('{shown, number} of {total, number}', counts);
}

type Counts = Record<StatusGroup | 'all', number>;

/** Cancelled messages are in no group and do not count. */
export function countByStatus(statistics: Statistics, { channel }: ListQuery): Counts {
  const counted = channel ? [statistics[channel]] : Object.values(statistics);
  const sum = (name: 'requested' | 'delivered' | 'failed') =>
    counted.reduce((total, counts) => total + counts[name], 0);
  const [all, delivered, failed] = [sum('requested'), sum('delivered'), sum('failed')];
  return { all, delivered, failed, sending: all - delivered - failed };
}

interface ToolbarProps {
  list: ListQuery;
  path: string;
  /** Undefined for a search, which the statistics cannot count. */
  counts: Counts | undefined;
}

/** The counts by status, as links that filter the list. */
export function MessageFilters({ list, path, counts }: ToolbarProps) {
  const tab = (status: StatusGroup | undefined, label: ComponentChildren, amount: number | undefined) => ({
    label: (
      <>
        {label} {amount !== undefined && <span class="num">{count(amount)}</span>}
      </>
    ),
    to: listUrl(path, list, { status }),
    isCurrent: list.status === status,
  });
  return (
    <div class="toolbar">
      <Tabs
        name={t('Status')}
        tabs={[
          tab(undefined, t('All'), counts?.all),
          tab('sending', <Status kind="sending">{t('Sending')}</Status>, counts?.sending),
          tab('delivered', <Status kind="delivered">{t('Delivered')}</Status>, counts?.delivered),
          tab('failed', <Status kind="failed">{t('Failed')}</Status>, counts?.failed),
        ]}
      />
      <Segments name={t('Channel')} tabs={channelTabs(list.channel, (channel) => listUrl(path, list, { channel }))} />
    </div>
  );
}

/** The search form uses POST, so that no recipient appears in a URL. */
export function MessageSearchForm({ list, path, formState }: Omit<ToolbarProps, 'counts'> & { formState: FormState }) {
  const error = formState.problems.get('find');
  const typed = formState.typed.get('find');
  return (
    <search aria-label={t('Messages')}>
      <form class={error ? 'filter field--error' : 'filter'} method="post" action={path} noValidate>
        {list.channel && <input type="hidden" name="channel" value={list.channel} />}
        {list.status && <input type="hidden" name="status" value={list.status} />}
        {list.file && <input type="hidden" name="file" value={list.file} />}
        <div class="find find--wide">
          <label class="sr" for="find">
            {t('Find messages')}
          </label>
          <Icon name="search" />
          <input
            class="input"
            id="find"
            name="find"
            type="search"
            value={typeof typed === 'string' ? typed : list.find}
            placeholder={t('Recipient, reference or file')}
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            aria-invalid={error === undefined ? undefined : 'true'}
            aria-describedby={error === undefined ? 'find-hint' : 'find-hint find-error'}
          />
        </div>
        <div class="row">
          <label class="sr" for="from">
            {t('Sent by')}
          </label>
          <select class="input" id="from" name="from">
            <option value="">{t('Sent by anyone')}</option>
            {Object.entries(origins).map(([value, name]) => (
              <option key={value} value={value} selected={value === list.from}>
                {name}
              </option>
            ))}
          </select>
          <button class="button button--primary" type="submit">
            {t('Find')}
          </button>
          {(list.find !== '' || list.from) && (
            <a class="button" href={listUrl(path, list, { findToken: '', from: undefined })}>
              {t('Show all')}
            </a>
          )}
        </div>
        <HintAndError
          name="find"
          hint={
            <T>
              You can also search for <code>status:failed</code>, <code>template:"Name"</code> or{' '}
              <code>after:yesterday</code>. Searches stay out of the web address.
            </T>
          }
          error={error}
        />
      </form>
    </search>
  );
}
