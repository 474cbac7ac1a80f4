import { Segments } from '../../../parts/tabs.tsx';
import { type ListQuery, listUrl } from './list-query.ts';

const tabs = [
  { label: 'All', channel: undefined },
  { label: 'Email', channel: 'email' },
  { label: 'Text', channel: 'sms' },
  { label: 'Letter', channel: 'letter' },
] as const;

export function ListToolbar({ list }: { list: ListQuery }) {
  return (
    <div class="toolbar">
      <Segments
        name="Channel"
        tabs={tabs.map(({ label, channel }) => ({
          label,
          to: listUrl(list, { channel }),
          isCurrent: channel === list.channel,
        }))}
      />
      <search aria-label="Templates">
        <form class="row" method="post" action={listUrl(list, { kept: '' })}>
          <label class="sr" for="find">
            Name, id or words
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={list.find}
            placeholder="Name, id or words"
            autocomplete="off"
          />
          <button class="button button--small" type="submit" name="do" value="find">
            Find
          </button>
          {list.find !== '' && <a href={listUrl(list, { kept: '' })}>Show all</a>}
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
