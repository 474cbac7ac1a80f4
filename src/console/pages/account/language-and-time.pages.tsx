import { Type } from 'typebox';
import { listZones } from '../../../countries/loading/known-values.ts';
import { asIs, inLanguage, t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { updateUser } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { languageOf } from '../../language-of.ts';
import type { Pages } from '../../page.ts';
import { Select } from '../../parts/field.tsx';
import { viewerIn } from '../../viewer.ts';
import { changePage } from './change-page.tsx';

export function languageAndTimePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/account/language-and-time', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Language and time'),
    show({ visitor: { user } }, formState) {
      const { zoneName } = viewerIn(app.country);
      const { offered } = app.languages;
      return changePage(
        t('Language and time'),
        t('Save'),
        <>
          {offered.length > 1 && (
            <Select
              formState={formState}
              name="language"
              label={t('Language')}
              value={user.language ?? ''}
              choices={[
                { value: '', label: t('Same as this browser') },
                ...offered.map(({ tag, ownName }) => ({ value: tag, label: ownName, lang: tag })),
              ]}
            />
          )}
          <Select
            formState={formState}
            name="time_zone"
            label={t('Time zone')}
            hint={t('For times that you see and choose here. Usage, limits, letters and files always use {zoneName}.', {
              zoneName,
            })}
            value={user.time_zone ?? ''}
            choices={[
              { value: '', label: t('Same as this Pennypost: {zoneName}', { zoneName }) },
              ...zoneChoices(user.time_zone),
            ]}
          />
        </>,
      );
    },
    form: Type.Object({
      language: Type.Optional(Type.String({ format: 'language-tag' })),
      time_zone: Type.Optional(Type.String({ format: 'time-zone' })),
    }),
    async act({ http, visitor }, { language, time_zone = null }) {
      const { languages } = app;
      if (language !== undefined && !languages.offered.some(({ tag }) => tag === language)) {
        throw invalidField('language', t('Choose a language from the list.'));
      }
      const isOffered = languages.offered.length > 1;
      const user = await updateUser(app, visitor.user.id, {
        time_zone,
        ...(isOffered ? { language: language ?? null } : {}),
      });
      if (!isOffered) return { to: '/account', notice: t('Time zone saved.') };
      // The next page is in the new language, so the notice must be too.
      const saved = inLanguage(languageOf(app, http, user), () => String(t('Language and time zone saved.')));
      return { to: '/account', notice: asIs(saved) };
    },
  });
}

/** Includes the chosen zone, which may be an alias of one in the list. */
function zoneChoices(chosen: string | undefined) {
  const zones = new Set([...listZones(), ...(chosen === undefined ? [] : [chosen])]);
  return [...zones]
    .map((zone) => ({ value: zone, label: cityFirst(zone) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** Returns "Buenos Aires (America)", so that typing the first letters of a city finds it. */
function cityFirst(zone: string): string {
  const [city = '', ...regions] = zone.replaceAll('_', ' ').split('/').reverse();
  return regions.length === 0 ? city : `${city} (${regions.join(', ')})`;
}
