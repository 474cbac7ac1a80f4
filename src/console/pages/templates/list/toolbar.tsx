import { Segments } from '../../../parts/tabs.tsx';
import { addressOf, type ListPlace } from './list-place.ts';

const tabs = [
  { label: 'All', channel: undefined },
  { label: 'Email', channel: 'email' },
  { label: 'Text', channel: 'sms' },
  { label: 'Letter', channel: 'letter' },
] as const;

export function ListToolbar({ place }: { place: ListPlace }) {
  return (
    <div class="toolbar">
      <Segments
        name="Channel"
        tabs={tabs.map(({ label, channel }) => ({
          label,
          to: addressOf(place, { channel }),
          isCurrent: channel === place.channel,
        }))}
      />
      <search aria-label="Templates">
        <form class="row" method="post" action={addressOf(place, { kept: '' })}>
          <label class="sr" for="find">
            Name, id or words
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={place.find}
            placeholder="Name, id or words"
            autocomplete="off"
          />
          <button class="button button--small" type="submit" name="do" value="find">
            Find
          </button>
          {place.find !== '' && <a href={addressOf(place, { kept: '' })}>Show all</a>}
        </form>
      </search>
    </div>
  );
}

interface ChosenProps {
  folders: readonly { id: string; path: string }[];
  canMoveUp: boolean;
}

/** What can be done with the ticked rows. */
export function ChosenBar({ folders, canMoveUp }: ChosenProps) {
  return (
    <div class="card-head small">
      <b>Chosen rows</b>
      <div class="row">
        {(folders.length > 0 || canMoveUp) && (
          <>
            <label class="sr" for="move_to">
              Move to
            </label>
            <select class="input input--small input--short" id="move_to" name="move_to">
              <option value="">Top level</option>
              {folders.map(({ id, path }) => (
                <option key={id} value={id}>
                  {path}
                </option>
              ))}
            </select>
            <button class="button button--small" type="submit" name="do" value="move">
              Move
            </button>
          </>
        )}
        <button class="button button--small" type="submit" name="do" value="copy">
          Copy…
        </button>
        <button class="button button--small button--danger" type="submit" name="do" value="archive">
          Archive…
        </button>
      </div>
    </div>
  );
}
