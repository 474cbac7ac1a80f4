import { Type } from 'typebox';
import { listOrganisationsWithBrand } from '../../../../branding/brand-pools.ts';
import {
  archiveLetterBranding,
  getLetterBranding,
  listLetterBrandsInUse,
  listLetterBrandUsers,
} from '../../../../branding/letter-branding.ts';
import { drawLetterBrand } from '../../../../delivery/previews/previews.ts';
import { createBrandWithLogo, findLogo, updateBrandWithLogo } from '../../../../letters/preview/letter-logo.ts';
import type { FormFile } from '../../../../platform/http/body/multipart.ts';
import { newId } from '../../../../platform/id.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, Pages, View } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { FileField } from '../../../parts/file-field.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { SaveForm } from '../../../parts/save-form.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { sendSentFile } from '../../sandbox/mail-frame.ts';
import { LetterMark } from './brand-mark.tsx';
import { BrandPage, BrandTabs, brandAddress, brandsOf } from './brand-parts.tsx';
import { sendLetterLogo } from './send-letter-logo.ts';

const here = brandsOf('letter');
const one = `${here}/:letter_brand_id`;
/** Read-only operators look, platform administrators change. */
const [who, changes] = ['operator', 'platform-admin'] as const;
const file = { name: 'logo', max_bytes: 1_000_000 } as const;
const crumbs = [{ label: 'Letter brands', to: here }];
const form = Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }) });
const needs = { name: 'Enter a name.' };

/** The logos of letters. */
export function letterBrandPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who,
    below: 'Brands',
    async show({ visitor }) {
      const brands = await listLetterBrandsInUse(app);
      return {
        title: 'Brands',
        about: 'Letter brands',
        lead: 'Organisations offer brands to their services; services without one have no logo on their letters.',
        actions: visitor.user.platform_admin && (
          <a class="button button--primary" href={`/console${here}/new`}>
            New letter brand
          </a>
        ),
        content: (
          <div class="stack">
            <BrandTabs current="letter" />
            {brands.length === 0 ? (
              <div class="empty">
                <h2>No letter brand yet</h2>
                <p>Upload a logo, and see the letter with it before a service uses it.</p>
              </div>
            ) : (
              <Table
                caption="Letter brands, by name"
                rows={brands}
                keyOf={({ id }) => id}
                middle
                columns={[
                  {
                    head: 'Brand',
                    cell: ({ id, name }) => (
                      <span class="row">
                        <LetterMark from={`/console${brandAddress('letter', id)}/logo`} />
                        <a href={`/console${brandAddress('letter', id)}`}>{name}</a>
                      </span>
                    ),
                  },
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
      title: 'New letter brand',
      crumbs,
      content: (
        <SaveForm back={here} action="Create the brand" withFile>
          <LetterBrandFields formState={formState} label="Logo" />
        </SaveForm>
      ),
    }),
    form,
    needs,
    file: { ...file, needs: 'Choose a logo.' },
    async act({ visitor }, { name }, logo) {
      // Other front ends show the name of the file; the console does not need one.
      const filename = `${name.slice(0, 200)}-${newId(app.clock.now()).slice(-8)}`;
      const brand = await createBrandWithLogo(
        app,
        { name, filename, created_by_id: visitor.user.id },
        await readText(logo),
      );
      return { to: brandAddress('letter', brand.id), notice: 'The brand is created.' };
    },
  });

  pages.add(one, {
    who,
    below: 'Brands',
    show: ({ param, visitor }) => showBrand(param('letter_brand_id'), visitor.user.platform_admin),
  });

  pages.add(`${one}/page`, {
    who,
    async show({ param, reply }) {
      const brand = await getLetterBranding(app, param('letter_brand_id'));
      const picture = await drawLetterBrand(app, brand);
      return sendSentFile(reply.header('cache-control', 'no-store'), 'image/png', picture);
    },
  });

  pages.add(`${one}/logo`, {
    who,
    show: ({ param, reply }) => sendLetterLogo(app, reply, param('letter_brand_id')),
  });

  pages.add(`${one}/edit`, {
    who: changes,
    below: 'Brands',
    async show({ param }, formState) {
      const brand = await getLetterBranding(app, param('letter_brand_id'));
      return {
        title: 'Edit the brand',
        about: brand.name,
        lead: `${brand.name}. Letters that are sent from now on show the changes.`,
        crumbs: [...crumbs, { label: brand.name, to: brandAddress('letter', brand.id) }],
        content: (
          <SaveForm back={brandAddress('letter', brand.id)} withFile>
            <LetterBrandFields formState={formState} name={brand.name} label="Another logo (optional)" />
          </SaveForm>
        ),
      };
    },
    form,
    needs,
    file,
    async act({ param, visitor }, { name }, logo) {
      const id = param('letter_brand_id');
      const svg = logo && (await readText(logo));
      await updateBrandWithLogo(app, id, { name, updated_by_id: visitor.user.id }, svg);
      return { to: brandAddress('letter', id), notice: 'The brand is changed.' };
    },
  });

  pages.add(`${one}/archive`, {
    who: changes,
    // Shown when it is refused.
    show: ({ param, visitor }) => showBrand(param('letter_brand_id'), visitor.user.platform_admin),
    below: 'Brands',
    form: Type.Object({}),
    async act({ param }) {
      await archiveLetterBranding(app, param('letter_brand_id'));
      return { to: here, notice: 'The brand is archived.' };
    },
  });

  async function showBrand(id: string, mayChange: boolean): Promise<View> {
    const brand = await getLetterBranding(app, id);
    const users = await listLetterBrandUsers(app, brand.id);
    const hasLogo = (await findLogo(app, brand.id)) !== undefined;
    const now = app.clock.now();
    return {
      title: brand.name,
      crumbs,
      actions: mayChange && brand.active && (
        <a class="button" href={`/console${brandAddress('letter', brand.id)}/edit`}>
          Edit
        </a>
      ),
      content: (
        <BrandPage
          kind="letter"
          id={brand.id}
          active={brand.active}
          mayChange={mayChange}
          users={users}
          offeredBy={await listOrganisationsWithBrand(app, 'letter', brand.id)}
          preview={
            <div class="stack">
              {!hasLogo && (
                <Notice tone="amber">
                  This brand has no logo. Its letters are printed without one until you upload it.
                </Notice>
              )}
              <div class="desk">
                <img
                  class="sheet"
                  src={`/console${brandAddress('letter', brand.id)}/page`}
                  alt="The first page of a letter with the brand"
                  width="595"
                  height="842"
                />
              </div>
            </div>
          }
          facts={
            <dl class="facts">
              <dt>Created</dt>
              <dd>
                <Time at={brand.created_at} now={now} />
              </dd>
              <dt>Changed</dt>
              <dd>{brand.updated_at ? <Time at={brand.updated_at} now={now} /> : 'Never'}</dd>
              <dt>File name</dt>
              <dd>{brand.filename}</dd>
            </dl>
          }
        />
      ),
    };
  }
}

function LetterBrandFields({ formState, name, label }: { formState: FormState; name?: string; label: string }) {
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label="Name"
        hint="Only seen here and by teams who choose a brand."
        value={name}
        autocomplete="off"
      />
      <FileField
        formState={formState}
        name="logo"
        label={label}
        hint="SVG of shapes, at most 1 MB. It is printed at most 70 mm wide and 18 mm high."
        accept=".svg,image/svg+xml"
      />
    </>
  );
}

async function readText(file: FormFile): Promise<string> {
  return Buffer.from(await file.bytes()).toString('utf8');
}
