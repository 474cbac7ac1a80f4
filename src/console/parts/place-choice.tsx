import { type Text, t } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';
import type { FormState } from '../page.ts';
import { Choices, Select } from './field.tsx';

interface Place {
  value: string;
  /** Its path, such as "Appointments / Reminders". */
  label: string;
}

/** Above this number, places are searched for: a list of every folder would grow without limit, and nobody would read it to the end. */
export const maxPlaces = 20;

interface PlaceChoiceProps {
  formState: FormState;
  name: string;
  label: Text;
  places: readonly Place[];
  /** Selected before the form is submitted. */
  chosen: string;
  /** The search text; empty without a search. */
  find: string;
  /** The value of `do` that the search button sends; the search text is in `find`. */
  does?: string;
}

/** A choice between many places: a list if there are few, otherwise a search with its first results. */
export function PlaceChoice({ formState, name, label, places, chosen, find, does = 'find' }: PlaceChoiceProps) {
  if (places.length <= maxPlaces) {
    return <Select formState={formState} name={name} label={label} choices={places} value={chosen} />;
  }
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const found = places.filter((place) => words.every((word) => place.label.toLowerCase().includes(word)));
  const shown = found.slice(0, maxPlaces);
  const first = shown.some(({ value }) => value === chosen) ? chosen : (shown[0]?.value ?? '');
  return (
    <div class="stack stack--tight">
      <div class="filter">
        <div class="find find--wide">
          <label class="sr" for="find">
            {t('Find a folder')}
          </label>
          <Icon name="search" />
          <input
            class="input"
            id="find"
            name="find"
            type="search"
            value={find}
            placeholder={t('Find a folder')}
            maxLength={200}
            autocomplete="off"
          />
        </div>
        <button class="button" type="submit" name="do" value={does}>
          {t('Find')}
        </button>
      </div>
      <p class="small muted" role="status">
        {shown.length < found.length
          ? t('The first {shown} of {count, plural, one {# folder} other {# folders}}. Search for the others.', {
              shown: shown.length,
              count: found.length,
            })
          : t('{count, plural, one {# folder found.} other {# folders found.}}', { count: found.length })}
      </p>
      {shown.length > 0 && (
        <Choices formState={formState} name={name} legend={label} kind="one" choices={shown} chosen={[first]} />
      )}
    </div>
  );
}
