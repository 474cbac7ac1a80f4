import { Type } from 'typebox';
import { listEmailPool, listLetterPool } from '../../../branding/brand-pools.ts';
import { invalidField } from '../../../platform/failure.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { addSettingPage, team } from './setting-page.tsx';

const none = 'none';

const kinds = {
  email: { path: 'email/branding', title: 'Brand of emails', nothing: 'No brand' },
  letter: { path: 'letter/branding', title: 'Logo of letters', nothing: 'No logo' },
} as const;

const brandTypes = { org: 'logo', both: 'logo beside that of the platform', org_banner: 'banner in colour' };

/** A team chooses among the brands of its organisation; others are given by the operator. */
export function brandingPages(pages: Pages, app: ConsoleApp): void {
  for (const [kind, { path, title, nothing }] of Object.entries(kinds) as [
    'email' | 'letter',
    (typeof kinds)['email' | 'letter'],
  ][]) {
    addSettingPage(pages, {
      path,
      who: team,
      title,
      lead: 'The brands of your organisation. The people who run this Pennypost can add others.',
      fields: async (service, draft) => (
        <Choices
          draft={draft}
          name="value"
          legend={title}
          kind="one"
          choices={[{ value: none, label: nothing }, ...(await brandsOf(kind, service))]}
          chosen={[(kind === 'email' ? service.email_branding : service.letter_branding) ?? none]}
        />
      ),
      form: Type.Object({ value: Type.String() }),
      needs: { value: 'Choose one.' },
      async save(service, { value }) {
        const brands = await brandsOf(kind, service);
        if (value !== none && !brands.some((brand) => brand.value === value)) {
          throw invalidField('value', 'Choose one of the list.');
        }
        const chosen = value === none ? null : value;
        await updateService(
          app,
          service.id,
          kind === 'email' ? { email_branding: chosen } : { letter_branding: chosen },
        );
        return undefined;
      },
    });
  }

  /** Those of the organisation; the present one stays possible. */
  async function brandsOf(kind: 'email' | 'letter', { organisation, ...service }: Service) {
    const present = kind === 'email' ? service.email_branding : service.letter_branding;
    const pool =
      organisation === null
        ? []
        : kind === 'email'
          ? (await listEmailPool(app, organisation)).map(({ id, name, brand_type, colour }) => ({
              value: id,
              label: name,
              hint: [brandTypes[brand_type], colour].filter(Boolean).join(', '),
            }))
          : (await listLetterPool(app, organisation)).map(({ id, name }) => ({
              value: id,
              label: name,
              hint: undefined,
            }));
    const isKnown = present === null || pool.some(({ value }) => value === present);
    return isKnown ? pool : [{ value: present, label: 'The present one', hint: undefined }, ...pool];
  }
}
