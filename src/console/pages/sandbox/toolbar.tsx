import { Segments } from '../../parts/tabs.tsx';
import { addressOf, listPlace, type Place } from './place.ts';

const channelTabs = [
  { label: 'All', channel: undefined },
  { label: 'Email', channel: 'email' },
  { label: 'Text', channel: 'sms' },
  { label: 'Letter', channel: 'letter' },
] as const;

/** Which messages the list shows. A search is posted, so that no recipient is part of an address. */
export function SandboxToolbar({ place }: { place: Place }) {
  const list = { ...listPlace(place), before: undefined };
  return (
    <div class="toolbar">
      <Segments
        name="Channel"
        tabs={channelTabs.map(({ label, channel }) => ({
          label,
          to: addressOf('', { ...list, channel }),
          isCurrent: channel === place.channel,
        }))}
      />
      <search aria-label="Sandbox">
        <form class="row" method="post" action="/console/sandbox">
          {place.channel && <input type="hidden" name="channel" value={place.channel} />}
          <label class="sr" for="find">
            Recipient, subject or text
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={place.find}
            placeholder="Find…"
            autocomplete="off"
          />
          <button class="button button--small" type="submit">
            Find
          </button>
          {place.find !== '' && <a href={addressOf('', { ...list, kept: '' })}>Show all</a>}
        </form>
      </search>
    </div>
  );
}
