import { Segments } from '../../parts/tabs.tsx';
import { type ListQuery, listUrl, withoutMessageView } from './list-query.ts';

const channelTabs = [
  { label: 'All', channel: undefined },
  { label: 'Email', channel: 'email' },
  { label: 'Text', channel: 'sms' },
  { label: 'Letter', channel: 'letter' },
] as const;

/** Which messages the list shows. A search is posted, so that no recipient is part of an address. */
export function SandboxToolbar({ current }: { current: ListQuery }) {
  const list = { ...withoutMessageView(current), before: undefined };
  return (
    <div class="toolbar">
      <Segments
        name="Channel"
        tabs={channelTabs.map(({ label, channel }) => ({
          label,
          to: listUrl('', { ...list, channel }),
          isCurrent: channel === list.channel,
        }))}
      />
      <search aria-label="Sandbox">
        <form class="row" method="post" action="/console/sandbox">
          {list.channel && <input type="hidden" name="channel" value={list.channel} />}
          <label class="sr" for="find">
            Recipient, subject or text
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={list.find}
            placeholder="Find…"
            autocomplete="off"
          />
          <button class="button button--small" type="submit">
            Find
          </button>
          {list.find !== '' && <a href={listUrl('', { ...list, kept: '' })}>Show all</a>}
        </form>
      </search>
    </div>
  );
}
