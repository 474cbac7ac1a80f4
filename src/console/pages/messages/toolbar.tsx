import type { ComponentChildren } from 'preact';
import type { StatusGroup } from '../../../notifications/status-groups.ts';
import type { Statistics } from '../../../services/service-statistics.ts';
import { Icon } from '../../layout/icon.tsx';
import type { FormState } from '../../page.ts';
import { HintAndError } from '../../parts/field.tsx';
import { Status } from '../../parts/status.tsx';
import { Segments, Tabs } from '../../parts/tabs.tsx';
import { type ListQuery, listUrl, origins } from './list-query.ts';

const channelTabs = [
  { label: 'All', channel: undefined },
  { label: 'Email', channel: 'email' },
  { label: 'Text', channel: 'sms' },
  { label: 'Letter', channel: 'letter' },
] as const;

export type Counts = Record<StatusGroup | 'all', number>;

/** Cancelled messages are in no group, and do not count. */
export function countsOf(statistics: Statistics, { channel }: ListQuery): Counts {
  const counted = channel ? [statistics[channel]] : Object.values(statistics);
  const sum = (name: 'requested' | 'delivered' | 'failed') => counted.reduce((total, one) => total + one[name], 0);
  const [all, delivered, failed] = [sum('requested'), sum('delivered'), sum('failed')];
  return { all, delivered, failed, sending: all - delivered - failed };
}

interface ToolbarProps {
  list: ListQuery;
  path: string;
  /** Undefined where the statistics cannot know them: a search. */
  counts: Counts | undefined;
}

/** The counts are filters. */
export function MessageFilters({ list, path, counts }: ToolbarProps) {
  const tab = (status: StatusGroup | undefined, label: ComponentChildren, count: number | undefined) => ({
    label: (
      <>
        {label} {count !== undefined && <span class="num">{count.toLocaleString('en-GB')}</span>}
      </>
    ),
    to: listUrl(path, list, { status }),
    isCurrent: list.status === status,
  });
  return (
    <div class="toolbar">
      <Tabs
        name="Status"
        tabs={[
          tab(undefined, 'All', counts?.all),
          tab('sending', <Status kind="sending">Sending</Status>, counts?.sending),
          tab('delivered', <Status kind="delivered">Delivered</Status>, counts?.delivered),
          tab('failed', <Status kind="failed">Failed</Status>, counts?.failed),
        ]}
      />
      <Segments
        name="Channel"
        tabs={channelTabs.map(({ label, channel }) => ({
          label,
          to: listUrl(path, list, { channel }),
          isCurrent: channel === list.channel,
        }))}
      />
    </div>
  );
}

/** A search is posted, so that no recipient is part of an address. */
export function MessageSearchForm({ list, path, formState }: Omit<ToolbarProps, 'counts'> & { formState: FormState }) {
  const error = formState.problems.get('find');
  const typed = formState.typed.get('find');
  return (
    <search aria-label="Messages">
      <form class={error ? 'filter field--error' : 'filter'} method="post" action={path} noValidate>
        {list.channel && <input type="hidden" name="channel" value={list.channel} />}
        {list.status && <input type="hidden" name="status" value={list.status} />}
        <div class="find find--wide">
          <label class="sr" for="find">
            Find messages
          </label>
          <Icon name="search" />
          <input
            class="input"
            id="find"
            name="find"
            type="search"
            value={typeof typed === 'string' ? typed : list.find}
            placeholder="Recipient, reference or file"
            autocomplete="off"
            spellcheck={false}
            maxLength={200}
            aria-invalid={error === undefined ? undefined : 'true'}
            aria-describedby={error === undefined ? 'find-hint' : 'find-hint find-error'}
          />
        </div>
        <div class="row">
          <label class="sr" for="from">
            Sent by
          </label>
          <select class="input" id="from" name="from">
            <option value="">From anything</option>
            {Object.entries(origins).map(([value, name]) => (
              <option key={value} value={value} selected={value === list.from}>
                From {name}
              </option>
            ))}
          </select>
          <button class="button button--primary" type="submit">
            Find
          </button>
          {(list.find !== '' || list.from) && (
            <a class="button" href={listUrl(path, list, { kept: '', from: undefined })}>
              Show all
            </a>
          )}
        </div>
        <HintAndError
          name="find"
          hint={
            <>
              Also <code>to:</code> <code>status:failed</code> <code>template:"Your name"</code> <code>ref:</code>{' '}
              <code>before:</code> <code>after:yesterday</code>. What you look for never shows in the address bar.
            </>
          }
          error={error}
        />
      </form>
    </search>
  );
}
