import { Type } from 'typebox';
import { addToPool, listEmailPool, listLetterPool, removeFromPool } from '../../../../branding/brand-pools.ts';
import { listEmailBrandsInUse } from '../../../../branding/email-branding.ts';
import { listLetterBrandsInUse } from '../../../../branding/letter-branding.ts';
import { asIs, type Text, t } from '../../../../language/text.ts';
import { getOrganisation } from '../../../../organisations/organisations.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { isUuid } from '../../../../platform/id.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { updateOrganisationAndServices } from '../../../../services/organisations/organisation-services.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { FormState, Pages } from '../../../page.ts';
import { Select } from '../../../parts/field.tsx';
import { BrandMark, brandAddress, type Kind, LetterMark } from './brand-parts.tsx';

const steps = ['add', 'remove', 'default', 'no-default'] as const;
const who = 'operator';

interface Offered {
  id: string;
  name: string;
  isDefault: boolean;
  mark: ReturnType<typeof BrandMark>;
}

interface Pool {
  offered: Offered[];
  others: { value: string; label: string }[];
}

/** The brands that services of an organisation can choose from, and the default for new services. */
export function brandPoolPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/operator/organisations/:organisation_id/brands', {
    who,
    below: 'Organisations',
    async show({ param, visitor }, formState) {
      const canChange = visitor.user.platform_admin;
      const organisation = await getOrganisation(app.db, param('organisation_id'));
      const [emails, letters] = await Promise.all([emailPool(organisation), letterPool(organisation)]);
      return {
        title: t('Brands of an organisation'),
        about: t('Brands, {name}', { name: organisation.name }),
        lead: t('Services of {name} can choose one of these brands. Services without a brand get the default.', {
          name: organisation.name,
        }),
        crumbs: [{ label: asIs(organisation.name), to: `/organisations/${organisation.id}/settings` }],
        content: (
          <div class="cols cols--wide">
            <PoolCard kind="email" title={t('Emails')} formState={formState} pool={emails} canChange={canChange} />
            <PoolCard kind="letter" title={t('Letters')} formState={formState} pool={letters} canChange={canChange} />
          </div>
        ),
      };
    },
    form: Type.Object({
      kind: OneOf(['email', 'letter']),
      step: OneOf(steps),
      email_brand: Type.Optional(Type.String()),
      letter_brand: Type.Optional(Type.String()),
    }),
    async act({ param }, { kind, step, ...form }) {
      const id = param('organisation_id');
      const field = `${kind}_brand` as const;
      const brand = form[field];
      if (brand === undefined || !isUuid(brand)) throw invalidField(field, t('Choose a brand.'));
      const notice = await change(kind, step, id, brand);
      return { to: `/operator/organisations/${id}/brands`, notice };
    },
  });

  async function change(kind: Kind, step: (typeof steps)[number], id: string, brand: string): Promise<Text> {
    const setDefault = (value: string | null) =>
      updateOrganisationAndServices(
        app,
        id,
        kind === 'email' ? { email_branding_id: value } : { letter_branding_id: value },
      );
    switch (step) {
      case 'add':
        await addToPool(app, kind, id, [brand]);
        return t('Brand added.');
      case 'remove':
        await removeFromPool(app, kind, id, brand);
        return t('Brand removed. Services that use the brand keep it.');
      case 'default':
        await setDefault(brand);
        return t('Default saved. Services without a brand have it now.');
      case 'no-default':
        await setDefault(null);
        return t('Default removed. Services keep their brands.');
    }
  }

  async function emailPool({ id, email_branding_id }: { id: string; email_branding_id: string | null }): Promise<Pool> {
    const [pool, all] = await Promise.all([listEmailPool(app.db, id), listEmailBrandsInUse(app.db)]);
    const offered = pool.map((brand) => ({
      id: brand.id,
      name: brand.name,
      isDefault: brand.id === email_branding_id,
      mark: <BrandMark {...brand} />,
    }));
    return { offered, others: othersOf(all, offered) };
  }

  async function letterPool(organisation: { id: string; letter_branding_id: string | null }): Promise<Pool> {
    const [pool, all] = await Promise.all([listLetterPool(app.db, organisation.id), listLetterBrandsInUse(app.db)]);
    const offered = pool.map(({ id, name }) => ({
      id,
      name,
      isDefault: id === organisation.letter_branding_id,
      mark: <LetterMark from={pageUrl(`${brandAddress('letter', id)}/logo`)} />,
    }));
    return { offered, others: othersOf(all, offered) };
  }
}

function othersOf(all: { id: string; name: string }[], offered: Offered[]) {
  const ids = new Set(offered.map(({ id }) => id));
  return all.filter(({ id }) => !ids.has(id)).map(({ id, name }) => ({ value: id, label: name }));
}

interface PoolCardProps {
  kind: Kind;
  title: string;
  formState: FormState;
  pool: Pool;
  canChange: boolean;
}

function PoolCard({ kind, title, formState, pool: { offered, others }, canChange }: PoolCardProps) {
  return (
    <section class="card" aria-labelledby={`of-${kind}`}>
      <div class="card-head">
        <h2 id={`of-${kind}`}>{title}</h2>
      </div>
      <div class="stack">
        {offered.length === 0 ? (
          <p class="muted">{t('No brands yet.')}</p>
        ) : (
          <ul class="list">
            {offered.map(({ id, name, isDefault, mark }) => (
              <li key={id}>
                {mark}
                <a href={pageUrl(brandAddress(kind, id))} dir="auto">
                  {name}
                </a>
                {isDefault && <span class="badge">{t('Default')}</span>}
                {canChange && (
                  <form class="row" method="post">
                    <input type="hidden" name="kind" value={kind} />
                    <input type="hidden" name={`${kind}_brand`} value={id} />
                    <StepButton step={isDefault ? 'no-default' : 'default'} name={name}>
                      {isDefault ? t('No default') : t('Make default')}
                    </StepButton>
                    {!isDefault && (
                      <StepButton step="remove" name={name}>
                        {t('Remove')}
                      </StepButton>
                    )}
                  </form>
                )}
              </li>
            ))}
          </ul>
        )}
        {canChange && others.length > 0 && (
          <form class="stack stack--tight" method="post">
            <input type="hidden" name="kind" value={kind} />
            <Select
              formState={formState}
              name={`${kind}_brand`}
              label={t('Add a brand')}
              choices={[{ value: '', label: t('Choose a brand') }, ...others]}
            />
            <div>
              <button class="button" type="submit" name="step" value="add">
                {t('Add')}
              </button>
            </div>
          </form>
        )}
      </div>
    </section>
  );
}

function StepButton({ step, name, children }: { step: string; name: string; children: string }) {
  return (
    <button class="button button--small" type="submit" name="step" value={step}>
      {children}
      <span class="sr"> {name}</span>
    </button>
  );
}
