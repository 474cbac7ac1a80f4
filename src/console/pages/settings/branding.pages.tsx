import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import { listEmailPool, listLetterPool } from '../../../branding/brand-pools.ts';
import { getEmailBranding } from '../../../branding/email-branding.ts';
import { getLetterBranding } from '../../../branding/letter-branding.ts';
import { t } from '../../../language/text.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { updateService } from '../../../services/service-update.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { BrandMark, LetterMark, sendLetterLogo } from '../operator/brands/brand-parts.tsx';
import { brandTypeNames } from '../operator/brands/email-brands.pages.tsx';
import { addServiceSetting, team } from './service-setting.ts';

const none = 'none';

const kinds = {
  email: { path: 'email/branding', title: t('Brand of emails'), nothing: t('No brand') },
  letter: { path: 'letter/branding', title: t('Logo of letters'), nothing: t('No logo') },
} as const;

/** A team chooses among the brands of its organisation; others are given by the operator. */
export function brandingPages(pages: Pages, app: ConsoleApp): void {
  for (const [kind, { path, title, nothing }] of Object.entries(kinds) as [
    'email' | 'letter',
    (typeof kinds)['email' | 'letter'],
  ][]) {
    addServiceSetting(pages, {
      path,
      who: team,
      title,
      lead: t('These are the brands of your organisation. The people who run this Pennypost can add others.'),
      fields: async (service, formState) => (
        <Choices
          formState={formState}
          name="value"
          legend={title}
          kind="one"
          choices={[{ value: none, label: nothing }, ...(await brandsOf(kind, service))]}
          chosen={[(kind === 'email' ? service.email_branding : service.letter_branding) ?? none]}
        />
      ),
      form: Type.Object({ value: Type.String() }),
      needs: { value: t('Choose a brand.') },
      async save(service, { value }) {
        const brands = await brandsOf(kind, service);
        if (value !== none && !brands.some((brand) => brand.value === value)) {
          throw invalidField('value', t('Choose a brand from the list.'));
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

  pages.add('/services/:service_id/settings/letter/branding/:letter_brand_id/logo', {
    who: team,
    async show({ service, param, reply }) {
      const id = param('letter_brand_id');
      if (!(await brandsOf('letter', service)).some(({ value }) => value === id)) throw notFound();
      return sendLetterLogo(app, reply, id);
    },
  });

  /** Those of the organisation; the present one stays possible. */
  async function brandsOf(kind: 'email' | 'letter', service: Service) {
    return kind === 'email' ? emailBrands(service) : letterBrands(service);
  }

  async function emailBrands({ organisation, email_branding: present }: Service) {
    const pool = organisation === null ? [] : await listEmailPool(app.db, organisation);
    const isKnown = present === null || pool.some(({ id }) => id === present);
    return (isKnown ? pool : [await getEmailBranding(app.db, present), ...pool]).map((brand) => ({
      value: brand.id,
      label: <Marked mark={<BrandMark {...brand} />} name={brand.name} />,
      hint: brandTypeNames[brand.brand_type],
    }));
  }

  async function letterBrands({ id, organisation, letter_branding: present }: Service) {
    const pool = organisation === null ? [] : await listLetterPool(app.db, organisation);
    const isKnown = present === null || pool.some((brand) => brand.id === present);
    const logo = (brand: string) => pageUrl(`/services/${id}/settings/letter/branding/${brand}/logo`);
    return (isKnown ? pool : [await getLetterBranding(app.db, present), ...pool]).map((brand) => ({
      value: brand.id,
      label: <Marked mark={<LetterMark from={logo(brand.id)} />} name={brand.name} />,
    }));
  }
}

function Marked({ mark, name }: { mark: ComponentChildren; name: string }) {
  return (
    <span class="row">
      {mark}
      <bdi>{name}</bdi>
    </span>
  );
}
