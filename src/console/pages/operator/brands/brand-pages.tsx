import type { ComponentChildren } from 'preact';
import { type Static, type TObject, Type } from 'typebox';
import { listOrganisationsWithBrand } from '../../../../branding/brand-pools.ts';
import { asIs, type Text, t } from '../../../../language/text.ts';
import type { FormFile } from '../../../../platform/http/body/multipart.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { count } from '../../../money.ts';
import type { FileRule, FormState, Pages, View } from '../../../page.ts';
import { ButtonLink, Confirm, SaveForm } from '../../../parts/form.tsx';
import { Empty, Notice } from '../../../parts/notice.tsx';
import { type Column, Table } from '../../../parts/table.tsx';
import { Tabs } from '../../../parts/tabs.tsx';
import { brandAddress, brandsOf, type Kind } from './brand-parts.tsx';

interface Listed {
  id: string;
  name: string;
  service_count: number;
}

interface Brand {
  id: string;
  name: string;
  active: boolean;
}

/** The differences between brands of emails and of letters. */
interface BrandKind<Row extends Listed, One extends Brand, S extends TObject> {
  kind: Kind;
  /** The list of email brands has the menu entry; the list of letter brands is below it. */
  list: { menu: 'Brands' } | { below: 'Brands' };
  lead: string;
  mark(row: Row): ComponentChildren;
  /** Additional columns between the name and the number of services. */
  columns: readonly Column<Row>[];
  readAll(): Promise<Row[]>;
  get(id: string): Promise<One>;
  readUsers(id: string): Promise<Users>;
  fields(formState: FormState, brand?: One): ComponentChildren;
  form: S;
  needs: { [Name in keyof Static<S>]?: Text };
  file: FileRule;
  /** The error message for a new brand without a logo, if a logo is required. */
  needsLogo?: Text;
  create(form: Static<S>, logo: FormFile | undefined, userId: string): Promise<{ id: string }>;
  update(id: string, form: Static<S>, logo: FormFile | undefined, userId: string): Promise<void>;
  archive(id: string): Promise<unknown>;
  preview(brand: One): ComponentChildren | Promise<ComponentChildren>;
  facts(brand: One): ComponentChildren;
}

/** Read-only operators can view brands, and platform administrators can change them. */
const [who, changes] = ['operator', 'platform-admin'] as const;

/** Adds the pages of one kind of brand: the list, one brand with its users, and the forms to create, change and archive it. */
export function addBrandPages<Row extends Listed, One extends Brand, S extends TObject>(
  pages: Pages,
  app: ConsoleApp,
  brands: BrandKind<Row, One, S>,
): void {
  const { kind, form, needs, file } = brands;
  const here = brandsOf(kind);
  const param = `${kind}_brand_id`;
  const one = `${here}/:${param}`;
  const title = kind === 'email' ? t('Email brands') : t('Letter brands');
  const crumbs = [{ label: title, to: here }];

  pages.add(here, {
    who,
    ...brands.list,
    async show({ visitor }) {
      const rows = await brands.readAll();
      return {
        title: t('Brands'),
        ...('menu' in brands.list ? {} : { about: title }),
        lead: brands.lead,
        actions: visitor.user.platform_admin && (
          <ButtonLink to={`${here}/new`} look="primary">
            {t('{kind, select, email {New email brand} other {New letter brand}}', { kind })}
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            <BrandTabs current={kind} />
            {rows.length === 0 ? (
              <Empty title={t('{kind, select, email {No email brands yet} other {No letter brands yet}}', { kind })}>
                {visitor.user.platform_admin
                  ? t('Create the first brand. You will see a message with it before a service uses it.')
                  : t('A platform administrator can create the first brand.')}
              </Empty>
            ) : (
              <Table
                caption={t('{kind, select, email {Email brands, by name} other {Letter brands, by name}}', { kind })}
                rows={rows}
                keyOf={({ id }) => id}
                middle
                columns={[
                  {
                    head: t('Brand'),
                    cell: (row) => (
                      <span class="row">
                        {brands.mark(row)}
                        <a href={pageUrl(brandAddress(kind, row.id))} dir="auto">
                          {row.name}
                        </a>
                      </span>
                    ),
                  },
                  ...brands.columns,
                  {
                    head: t('Services'),
                    cell: ({ service_count }) => count(service_count),
                    numeric: true,
                  },
                ]}
              />
            )}
          </div>
        ),
      };
    },
  });

  pages.add(`${here}/new`, {
    who: changes,
    below: 'Brands',
    show: (_request, formState) => ({
      title: t('{kind, select, email {New email brand} other {New letter brand}}', { kind }),
      crumbs,
      content: (
        <SaveForm back={here} action={t('Create the brand')} withFile>
          {brands.fields(formState)}
        </SaveForm>
      ),
    }),
    form,
    needs,
    file: brands.needsLogo === undefined ? file : { ...file, needs: brands.needsLogo },
    async act({ visitor }, sent, logo) {
      const brand = await brands.create(sent, logo, visitor.user.id);
      return { to: brandAddress(kind, brand.id), notice: t('Brand created.') };
    },
  });

  pages.add(one, {
    who,
    below: 'Brands',
    show: (request) => showBrand(request.param(param), request.visitor.user.platform_admin),
  });

  pages.add(`${one}/edit`, {
    who: changes,
    below: 'Brands',
    async show(request, formState) {
      const brand = await brands.get(request.param(param));
      return {
        title: t('Edit the brand'),
        about: asIs(brand.name),
        lead: kind === 'email' ? t('New emails will show the changes.') : t('New letters will show the changes.'),
        crumbs: [...crumbs, { label: asIs(brand.name), to: brandAddress(kind, brand.id) }],
        content: (
          <SaveForm back={brandAddress(kind, brand.id)} withFile>
            {brands.fields(formState, brand)}
          </SaveForm>
        ),
      };
    },
    form,
    needs,
    file,
    async act(request, sent, logo) {
      const id = request.param(param);
      await brands.update(id, sent, logo, request.visitor.user.id);
      return { to: brandAddress(kind, id), notice: t('Brand saved.') };
    },
  });

  pages.add(`${one}/archive`, {
    who: changes,
    // Shows the brand again if archiving it is rejected.
    show: (request) => showBrand(request.param(param), request.visitor.user.platform_admin),
    below: 'Brands',
    form: Type.Object({}),
    async act(request) {
      await brands.archive(request.param(param));
      return { to: here, notice: t('Brand archived.') };
    },
  });

  async function showBrand(id: string, canChange: boolean): Promise<View> {
    const brand = await brands.get(id);
    return {
      title: asIs(brand.name),
      crumbs,
      actions: canChange && brand.active && (
        <ButtonLink to={`${brandAddress(kind, brand.id)}/edit`}>{t('Edit')}</ButtonLink>
      ),
      content: (
        <BrandPage
          kind={kind}
          id={brand.id}
          active={brand.active}
          canChange={canChange}
          users={await brands.readUsers(brand.id)}
          offeredBy={await listOrganisationsWithBrand(app.db, kind, brand.id)}
          preview={await brands.preview(brand)}
          facts={brands.facts(brand)}
        />
      ),
    };
  }
}

function BrandTabs({ current }: { current: Kind }) {
  const tab = (kind: Kind, label: string) => ({
    label,
    to: pageUrl(brandsOf(kind)),
    isCurrent: kind === current,
  });
  return <Tabs name={t('Kinds of brands')} tabs={[tab('email', t('Emails')), tab('letter', t('Letters'))]} />;
}

interface Users {
  organisations: { id: string; name: string }[];
  services: { id: string; name: string; restricted: boolean }[];
}

interface BrandPageProps {
  kind: Kind;
  id: string;
  active: boolean;
  canChange: boolean;
  users: Users;
  /** Organisations whose services can choose the brand. */
  offeredBy: { id: string; name: string }[];
  facts: ComponentChildren;
  preview: ComponentChildren;
}

/** One brand as it is sent, and who uses it. */
function BrandPage({ kind, id, active, canChange, users, offeredBy, facts, preview }: BrandPageProps) {
  const isUsed = users.organisations.length + users.services.length > 0;
  return (
    <div class="aside">
      <section class="card card--flush" aria-labelledby="as-sent">
        <div class="card-head">
          <h2 id="as-sent">{kind === 'email' ? t('An email with this brand') : t('A letter with this brand')}</h2>
        </div>
        {preview}
      </section>
      <div class="stack">
        {!active && <Notice tone="amber">{t('This brand is archived, so no service can choose it.')}</Notice>}
        <section class="card" aria-label={t('About the brand')}>
          {facts}
        </section>
        <UserList title={t('Services that use it')} empty={t('No service uses this brand.')}>
          {users.services.map(({ id: service, name, restricted }) => (
            <li key={service}>
              <a href={pageUrl(`/operator/services/${service}`)} dir="auto">
                {name}
              </a>
              {restricted && <span class="badge tone-amber">{t('Trial mode')}</span>}
            </li>
          ))}
        </UserList>
        <UserList
          title={t('Organisations that offer it')}
          empty={t('No organisation offers this brand to its services.')}
        >
          {offeredBy.map(({ id: organisation, name }) => (
            <li key={organisation}>
              <a href={pageUrl(`/operator/organisations/${organisation}/brands`)} dir="auto">
                {name}
              </a>
              {users.organisations.some((one) => one.id === organisation) && <span class="badge">{t('Default')}</span>}
            </li>
          ))}
        </UserList>
        {active &&
          canChange &&
          (isUsed ? (
            <p class="muted small">
              {t('You can archive this brand once no service uses it and no organisation has it as its default.')}
            </p>
          ) : (
            <div>
              <Confirm
                label={t('Archive')}
                action={t('Archive the brand')}
                to={pageUrl(`${brandAddress(kind, id)}/archive`)}
              >
                {t(
                  'No organisation can offer this brand any more, and its name becomes free. Sent messages keep the brand.',
                )}
              </Confirm>
            </div>
          ))}
      </div>
    </div>
  );
}

function UserList({ title, empty, children }: { title: string; empty: string; children: ComponentChildren[] }) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
      </div>
      {children.length === 0 ? <p class="muted">{empty}</p> : <ul class="list">{children}</ul>}
    </section>
  );
}
