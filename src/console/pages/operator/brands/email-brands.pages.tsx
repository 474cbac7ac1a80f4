import { Type } from 'typebox';
import type { BrandType } from '../../../../branding/email-branding.ts';
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
import { t } from '../../../../language/text.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { Name, OneOf } from '../../../../protocol/fields.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { FormState, Pages } from '../../../page.ts';
import { Choices, Field, FileField } from '../../../parts/field.tsx';
import { MailFrame, sendMailFrame } from '../../../parts/mail-frame.tsx';
import { addBrandPages } from './brand-pages.tsx';
import { BrandMark, brandAddress, brandsOf } from './brand-parts.tsx';

/** Brands shown at the top of emails. */
export function emailBrandPages(pages: Pages, app: ConsoleApp): void {
  addBrandPages(pages, app, {
    kind: 'email',
    list: { menu: 'Brands' },
    lead: t(
      'Organisations offer brands to their services. Emails of a service without a brand show the name of the platform.',
    ),
    mark: (brand) => <BrandMark {...brand} />,
    columns: [{ head: t('Style'), cell: ({ brand_type }) => brandTypeNames[brand_type] }],
    readAll: () => listEmailBrandsInUse(app.db),
    get: (id) => getEmailBranding(app.db, id),
    readUsers: (id) => listEmailBrandUsers(app, id),
    fields: (formState, brand) => <EmailBrandFields formState={formState} {...(brand ? { brand } : {})} />,
    form: EmailBrandForm,
    needs: { name: t('Enter a name.'), brand_type: t('Choose how the brand looks.') },
    file: { name: 'logo', max_bytes: maxLogoBytes },
    async create(form, picture, created_by) {
      refuseWrongTexts(form, picture !== undefined);
      const logo = picture ? await storeEmailLogo(app, await picture.bytes()) : null;
      return createEmailBranding(app, { ...form, logo, created_by });
    },
    async update(id, form, picture, updated_by) {
      const brand = await getEmailBranding(app.db, id);
      refuseWrongTexts(form, picture !== undefined || brand.logo !== null);
      const { text = null, alt_text = null, colour = null } = form;
      const logo = picture ? await storeEmailLogo(app, await picture.bytes()) : brand.logo;
      await updateEmailBranding(app, brand.id, { ...form, text, alt_text, colour, logo, updated_by });
    },
    archive: (id) => archiveEmailBranding(app, id),
    preview: (brand) => (
      <MailFrame
        src={pageUrl(`${brandAddress('email', brand.id)}/preview`)}
        html={previewEmailBrand(app, brand).html}
        title={t('An email with the brand')}
      />
    ),
    facts: (brand) => (
      <dl class="facts">
        <dt>{t('Style')}</dt>
        <dd>{brandTypeNames[brand.brand_type]}</dd>
        <dt>{brand.text === null ? t('Logo says') : t('Text', { context: 'the text of a brand' })}</dt>
        <dd dir="auto">{brand.text ?? brand.alt_text}</dd>
        <dt>{t('Colour')}</dt>
        <dd>{brand.colour ?? t('None')}</dd>
        <dt>{t('Logo')}</dt>
        <dd>{uploadedLogoPath(brand.logo) ? t('Uploaded') : (brand.logo ?? t('None'))}</dd>
      </dl>
    ),
  });

  pages.add(`${brandsOf('email')}/:email_brand_id/preview`, {
    who: 'operator',
    async show({ param, reply }) {
      const brand = await getEmailBranding(app.db, param('email_brand_id'));
      const { html } = previewEmailBrand(app, brand);
      return sendMailFrame(app, reply, html, { images: uploadedLogoPath(brand.logo) === undefined });
    },
  });
}

export const brandTypeNames: Record<BrandType, string> = {
  org: t('Logo'),
  both: t('Logo below the banner of the platform'),
  org_banner: t('Banner in colour'),
};

const ShortText = Type.Optional(Type.String({ maxLength: 255 }));

const EmailBrandForm = Type.Object({
  name: Name,
  brand_type: OneOf(['org', 'both', 'org_banner']),
  alt_text: ShortText,
  text: ShortText,
  colour: Type.Optional(Type.String({ format: 'hex-colour' })),
});

interface Sent {
  name: string;
  brand_type: BrandType;
  alt_text?: string;
  text?: string;
  colour?: string;
}

interface Fields {
  formState: FormState;
  /** The current brand; undefined for a new one. */
  brand?: Record<keyof Sent, string | null>;
}

function EmailBrandFields({ formState, brand }: Fields) {
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label={t('Name')}
        hint={t('Only operators and teams who choose a brand see the name.')}
        value={brand?.name ?? undefined}
        autocomplete="off"
      />
      <Choices
        formState={formState}
        name="brand_type"
        legend={t('Style')}
        kind="one"
        choices={[
          { value: 'org', label: brandTypeNames.org, hint: t('On white, above the message.') },
          { value: 'both', label: brandTypeNames.both },
          {
            value: 'org_banner',
            label: brandTypeNames.org_banner,
            hint: t('As wide as the message, with the logo in it.'),
          },
        ]}
        chosen={[brand?.brand_type ?? 'org']}
      />
      <Field
        formState={formState}
        name="alt_text"
        label={t('What the logo says')}
        hint={t('Screen readers read it out, for example Town Hall. Leave it empty if you enter a text below.')}
        value={brand?.alt_text ?? undefined}
        autocomplete="off"
      />
      <Field
        formState={formState}
        name="text"
        label={t('Text beside the logo (optional)')}
        hint={t('Use this if the logo has no words.')}
        value={brand?.text ?? undefined}
        autocomplete="off"
      />
      <Field
        formState={formState}
        name="colour"
        label={t('Colour (optional)')}
        hint={t('The colour of the banner, or of the line beside the logo. For example #1d70b8.')}
        value={brand?.colour ?? undefined}
        short
        code
        autocomplete="off"
      />
      <FileField
        formState={formState}
        name="logo"
        label={brand ? t('Another logo (optional)') : t('Logo')}
        hint={t('Use a PNG file of at most 2 MB that is at least 108 pixels high. A banner does not need a logo.')}
        accept=".png,image/png"
      />
    </>
  );
}

/** The messages of the API name its fields, so this throws messages about the fields of the form. */
function refuseWrongTexts({ text, alt_text, brand_type }: Sent, hasLogo: boolean): void {
  if (text !== undefined && alt_text !== undefined) {
    throw invalidField('text', t('Enter what the logo says or a text beside it, not both.'));
  }
  if (text === undefined && alt_text === undefined) {
    throw invalidField('alt_text', t('Enter what the logo says, or a text beside it.'));
  }
  if (alt_text !== undefined && /\blogo\b/i.test(alt_text)) {
    throw invalidField('alt_text', t('Remove the word logo: enter only what the logo says.'));
  }
  if (!hasLogo && brand_type !== 'org_banner') {
    throw invalidField('logo', t('Choose a logo, or choose a banner, which does not need one.'));
  }
}
