import { Type } from 'typebox';
import { listZones } from '../../../countries/loading/known-values.ts';
import { updateUser } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Select } from '../../parts/field.tsx';
import { viewerIn } from '../../viewer.ts';
import { changePage } from './change-page.tsx';

export function languageAndTimePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/account/language-and-time', {
    who: 'signed-in',
    below: 'Your account',
    name: 'Language and time',
    show({ visitor: { user } }, formState) {
      const { zoneName } = viewerIn(app.country);
      return changePage(
        'Language and time',
        'Save',
        <Select
          formState={formState}
          name="time_zone"
          label="Time zone"
          hint={`For times that you read and choose here. Usage, limits and letters stay in ${zoneName}, and so do files.`}
          value={user.time_zone ?? ''}
          choices={[{ value: '', label: `Same as this Pennypost: ${zoneName}` }, ...zoneChoices(user.time_zone)]}
        />,
      );
    },
    form: Type.Object({ time_zone: Type.Optional(Type.String({ format: 'time-zone' })) }),
    async act({ visitor }, { time_zone = null }) {
      await updateUser(app, visitor.user.id, { time_zone });
      return { to: '/account', notice: 'Time zone saved.' };
    },
  });
}

/** With the one that is chosen, which may be another name of one in the list. */
function zoneChoices(chosen: string | undefined) {
  const zones = new Set([...listZones(), ...(chosen === undefined ? [] : [chosen])]);
  return [...zones]
    .map((zone) => ({ value: zone, label: cityFirst(zone) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** "Buenos Aires (America)": typing the first letters of a city finds it. */
function cityFirst(zone: string): string {
  const [city = '', ...regions] = zone.replaceAll('_', ' ').split('/').reverse();
  return regions.length === 0 ? city : `${city} (${regions.join(', ')})`;
}
