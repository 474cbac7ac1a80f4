import { Type } from 'typebox';
import {
  archiveLetterBranding,
  getLetterBranding,
  listLetterBrandsInUse,
  listLetterBrandUsers,
} from '../../../../branding/letter-branding.ts';
import { drawLetterBrand } from '../../../../delivery/previews/previews.ts';
import { type Text, t } from '../../../../language/text.ts';
import { createBrandWithLogo, findLogo, updateBrandWithLogo } from '../../../../letters/preview/letter-logo.ts';
import { invalidField } from '../../../../platform/failure.ts';
import type { FormFile } from '../../../../platform/http/body/multipart.ts';
import { newId } from '../../../../platform/id.ts';
import { Name } from '../../../../protocol/fields.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { sheetSize } from '../../../letter-paper.ts';
import { pageUrl } from '../../../links.ts';
import type { FormState, Pages } from '../../../page.ts';
import { Field, FileField } from '../../../parts/field.tsx';
import { sendSentFile } from '../../../parts/mail-frame.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Time } from '../../../parts/time.tsx';
import { addBrandPages } from './brand-pages.tsx';
import { brandAddress, brandsOf, LetterMark, sendLetterLogo } from './brand-parts.tsx';

const chooseLogo = t('Choose a logo.');

/** The logos of letters. */
export function letterBrandPages(pages: Pages, app: ConsoleApp): void {
  addBrandPages(pages, app, {
    kind: 'letter',
    list: { below: 'Brands' },
    lead: t('Organisations offer brands to their services. Letters of a service without a brand have no logo.'),
    mark: ({ id }) => <LetterMark from={pageUrl(`${brandAddress('letter', id)}/logo`)} />,
    columns: [],
    readAll: () => listLetterBrandsInUse(app.db),
    get: (id) => getLetterBranding(app.db, id),
    readUsers: (id) => listLetterBrandUsers(app, id),
    fields: (formState, brand) => (
      <LetterBrandFields
        formState={formState}
        name={brand?.name}
        label={brand ? t('Another logo (optional)') : t('Logo')}
      />
    ),
    form: Type.Object({ name: Name }),
    needs: { name: t('Enter a name.') },
    file: { name: 'logo', max_bytes: 1_000_000 },
    needsLogo: chooseLogo,
    async create({ name }, logo, created_by_id) {
      if (!logo) throw invalidField('logo', chooseLogo);
      // Other front ends show the file name. The console does not need one.
      const filename = `${name.slice(0, 200)}-${newId(app.clock.now()).slice(-8)}`;
      return createBrandWithLogo(app, { name, filename, created_by_id }, await readText(logo));
    },
    async update(id, { name }, logo, updated_by_id) {
      await updateBrandWithLogo(app, id, { name, updated_by_id }, logo && (await readText(logo)));
    },
    archive: (id) => archiveLetterBranding(app, id),
    preview: async ({ id }) => (
      <div class="stack">
        {(await findLogo(app, id)) === undefined && (
          <Notice tone="amber">
            {t('This brand has no logo, so its letters are printed without one. Edit the brand to upload a logo.')}
          </Notice>
        )}
        <div class="desk">
          <img
            class="sheet"
            src={pageUrl(`${brandAddress('letter', id)}/page`)}
            alt={t('The first page of a letter with the brand')}
            {...sheetSize(app.country)}
          />
        </div>
      </div>
    ),
    facts: ({ created_at, updated_at, filename }) => (
      <dl class="facts">
        <dt>{t('Created')}</dt>
        <dd>
          <Time at={created_at} now={app.clock.now()} />
        </dd>
        <dt>{t('Changed')}</dt>
        <dd>{updated_at ? <Time at={updated_at} now={app.clock.now()} /> : t('Never')}</dd>
        <dt>{t('File name')}</dt>
        <dd>{filename}</dd>
      </dl>
    ),
  });

  const one = `${brandsOf('letter')}/:letter_brand_id`;

  pages.add(`${one}/page`, {
    who: 'operator',
    async show({ param, reply }) {
      const brand = await getLetterBranding(app.db, param('letter_brand_id'));
      const picture = await drawLetterBrand(app, brand);
      return sendSentFile(reply.header('cache-control', 'no-store'), 'image/png', picture);
    },
  });

  pages.add(`${one}/logo`, {
    who: 'operator',
    show: ({ param, reply }) => sendLetterLogo(app, reply, param('letter_brand_id')),
  });
}

function LetterBrandFields({
  formState,
  name,
  label,
}: {
  formState: FormState;
  name: string | undefined;
  label: Text;
}) {
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label={t('Name')}
        hint={t('Only operators and teams who choose a brand see the name.')}
        value={name}
        autocomplete="off"
      />
      <FileField
        formState={formState}
        name="logo"
        label={label}
        hint={t('Use an SVG file of shapes, at most 1 MB. The logo is printed at most 70 mm wide and 18 mm high.')}
        accept=".svg,image/svg+xml"
      />
    </>
  );
}

async function readText(file: FormFile): Promise<string> {
  return Buffer.from(await file.bytes()).toString('utf8');
}
