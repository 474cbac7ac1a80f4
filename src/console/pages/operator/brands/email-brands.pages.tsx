import { Type } from 'typebox';
import { listOrganisationsWithBrand } from '../../../../branding/brand-pools.ts';
import {
  archiveEmailBranding,
  createEmailBranding,
  getEmailBranding,
  listEmailBrandsInUse,
  listEmailBrandUsers,
  updateEmailBranding,
} from '../../../../branding/email-branding.ts';
import { maxLogoBytes, storeEmailLogo, uploadedLogoPath } from '../../../../branding/email-logos.ts';
import { previewEmailBrand } from '../../../../delivery/previews/previews.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Pages, View } from '../../../page.ts';
import { SaveForm } from '../../../parts/save-form.tsx';
import { Table } from '../../../parts/table.tsx';
import { sendMailFrame } from '../../sandbox/mail-frame.ts';
import { BrandMark } from './brand-mark.tsx';
import { BrandPage, BrandTabs, brandAddress, brandsOf } from './brand-parts.tsx';
import { brandTypeNames, EmailBrandFields, EmailBrandForm, needs, refuseWrongTexts } from './email-brand-fields.tsx';

const here = brandsOf('email');
const one = `${here}/:email_brand_id`;
/** Read-only operators look, platform administrators change. */
const [who, changes] = ['operator', 'platform-admin'] as const;
const file = { name: 'logo', max_bytes: maxLogoBytes } as const;
const crumbs = [{ label: 'Email brands', to: here }];

/** What emails look like at the top. */
export function emailBrandPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who,
    menu: 'Brands',
    async show({ visitor }) {
      const brands = await listEmailBrandsInUse(app);
      return {
        title: 'Brands',
        lead: 'Organisations offer brands to their services; services without one have the name of the platform.',
        actions: visitor.user.platform_admin && (
          <a class="button button--primary" href={`/console${here}/new`}>
            New email brand
          </a>
        ),
        content: (
          <div class="stack">
            <BrandTabs current="email" />
            {brands.length === 0 ? (
              <div class="empty">
                <h2>No email brand yet</h2>
                <p>Upload a logo, and see the email with it before a service uses it.</p>
              </div>
            ) : (
              <Table
                caption="Email brands, by name"
                rows={brands}
                keyOf={({ id }) => id}
                middle
                columns={[
                  {
                    head: 'Brand',
                    cell: (brand) => (
                      <span class="row">
                        <BrandMark {...brand} />
                        <a href={`/console${brandAddress('email', brand.id)}`}>{brand.name}</a>
                      </span>
                    ),
                  },
                  { head: 'Look', cell: ({ brand_type }) => brandTypeNames[brand_type] },
                  {
                    head: 'Services',
                    cell: ({ service_count }) => service_count.toLocaleString('en-GB'),
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
    show: (_asked, formState) => ({
      title: 'New email brand',
      crumbs,
      content: (
        <SaveForm back={here} action="Create the brand" withFile>
          <EmailBrandFields formState={formState} />
        </SaveForm>
      ),
    }),
    form: EmailBrandForm,
    needs,
    file,
    async act({ visitor }, form, picture) {
      refuseWrongTexts(form, picture !== undefined);
      const logo = picture ? await storeEmailLogo(app, await picture.bytes()) : null;
      const brand = await createEmailBranding(app, { ...form, logo, created_by: visitor.user.id });
      return { to: brandAddress('email', brand.id), notice: 'The brand is created.' };
    },
  });

  pages.add(one, {
    who,
    below: 'Brands',
    show: ({ param, visitor }) => showBrand(param('email_brand_id'), visitor.user.platform_admin),
  });

  pages.add(`${one}/preview`, {
    who,
    async show({ param, reply }) {
      const brand = await getEmailBranding(app, param('email_brand_id'));
      const { html } = previewEmailBrand(app, brand);
      return sendMailFrame(app, reply, html, { images: uploadedLogoPath(brand.logo) === undefined });
    },
  });

  pages.add(`${one}/edit`, {
    who: changes,
    below: 'Brands',
    async show({ param }, formState) {
      const brand = await getEmailBranding(app, param('email_brand_id'));
      return {
        title: 'Edit the brand',
        about: brand.name,
        lead: `${brand.name}. Emails that are sent from now on show the changes.`,
        crumbs: [...crumbs, { label: brand.name, to: brandAddress('email', brand.id) }],
        content: (
          <SaveForm back={brandAddress('email', brand.id)} withFile>
            <EmailBrandFields formState={formState} brand={brand} />
          </SaveForm>
        ),
      };
    },
    form: EmailBrandForm,
    needs,
    file,
    async act({ param, visitor }, form, picture) {
      const brand = await getEmailBranding(app, param('email_brand_id'));
      refuseWrongTexts(form, picture !== undefined || brand.logo !== null);
      const { text = null, alt_text = null, colour = null } = form;
      const logo = picture ? await storeEmailLogo(app, await picture.bytes()) : brand.logo;
      const change = { ...form, text, alt_text, colour, logo, updated_by: visitor.user.id };
      await updateEmailBranding(app, brand.id, change);
      return { to: brandAddress('email', brand.id), notice: 'The brand is changed.' };
    },
  });

  pages.add(`${one}/archive`, {
    who: changes,
    // Shown when it is refused.
    show: ({ param, visitor }) => showBrand(param('email_brand_id'), visitor.user.platform_admin),
    below: 'Brands',
    form: Type.Object({}),
    async act({ param }) {
      await archiveEmailBranding(app, param('email_brand_id'));
      return { to: here, notice: 'The brand is archived.' };
    },
  });

  async function showBrand(id: string, mayChange: boolean): Promise<View> {
    const brand = await getEmailBranding(app, id);
    const users = await listEmailBrandUsers(app, brand.id);
    return {
      title: brand.name,
      crumbs,
      actions: mayChange && brand.active && (
        <a class="button" href={`/console${brandAddress('email', brand.id)}/edit`}>
          Edit
        </a>
      ),
      content: (
        <BrandPage
          kind="email"
          id={brand.id}
          active={brand.active}
          mayChange={mayChange}
          users={users}
          offeredBy={await listOrganisationsWithBrand(app, 'email', brand.id)}
          preview={
            <iframe
              class="mail"
              src={`/console${brandAddress('email', brand.id)}/preview`}
              sandbox=""
              title="An email with the brand"
            />
          }
          facts={
            <dl class="facts">
              <dt>Look</dt>
              <dd>{brandTypeNames[brand.brand_type]}</dd>
              <dt>{brand.text === null ? 'Logo says' : 'Text'}</dt>
              <dd>{brand.text ?? brand.alt_text}</dd>
              <dt>Colour</dt>
              <dd>{brand.colour ?? 'None'}</dd>
              <dt>Logo</dt>
              <dd>{uploadedLogoPath(brand.logo) ? 'Uploaded' : (brand.logo ?? 'None')}</dd>
            </dl>
          }
        />
      ),
    };
  }
}
