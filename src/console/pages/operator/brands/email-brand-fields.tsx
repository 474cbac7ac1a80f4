import { Type } from 'typebox';
import type { BrandType } from '../../../../branding/email-branding.ts';
import { invalidField } from '../../../../platform/failure.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import type { FormState } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Field } from '../../../parts/field.tsx';
import { FileField } from '../../../parts/file-field.tsx';

export const brandTypeNames: Record<BrandType, string> = {
  org: 'Logo',
  both: 'Logo below the banner of the platform',
  org_banner: 'Banner in colour',
};

const ShortText = Type.Optional(Type.String({ maxLength: 255 }));

export const EmailBrandForm = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 255 }),
  brand_type: OneOf(['org', 'both', 'org_banner']),
  alt_text: ShortText,
  text: ShortText,
  colour: Type.Optional(Type.String({ format: 'hex-colour' })),
});

export const needs = { name: 'Enter a name.', brand_type: 'Choose how the brand looks.' };

interface Sent {
  name: string;
  brand_type: BrandType;
  alt_text?: string;
  text?: string;
  colour?: string;
}

interface Fields {
  formState: FormState;
  /** As it is now. */
  brand?: Record<keyof Sent, string | null>;
}

export function EmailBrandFields({ formState, brand }: Fields) {
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label="Name"
        hint="Only seen here and by teams who choose a brand."
        value={brand?.name ?? undefined}
        autocomplete="off"
      />
      <Choices
        formState={formState}
        name="brand_type"
        legend="Look"
        kind="one"
        choices={[
          { value: 'org', label: brandTypeNames.org, hint: 'On white, above the message.' },
          { value: 'both', label: brandTypeNames.both },
          {
            value: 'org_banner',
            label: brandTypeNames.org_banner,
            hint: 'As wide as the message, with the logo in it.',
          },
        ]}
        chosen={[brand?.brand_type ?? 'org']}
      />
      <Field
        formState={formState}
        name="alt_text"
        label="What the logo says"
        hint="Read to people who do not see pictures, such as Town Hall. Leave it empty if the text below stands beside the logo."
        value={brand?.alt_text ?? undefined}
        autocomplete="off"
      />
      <Field
        formState={formState}
        name="text"
        label="Text beside the logo (optional)"
        hint="For a logo without words."
        value={brand?.text ?? undefined}
        autocomplete="off"
      />
      <Field
        formState={formState}
        name="colour"
        label="Colour (optional)"
        hint="Of the banner, or of the line beside the logo: # and six digits, such as #1d70b8."
        value={brand?.colour ?? undefined}
        short
        code
        autocomplete="off"
      />
      <FileField
        formState={formState}
        name="logo"
        label={brand ? 'Another logo (optional)' : 'Logo'}
        hint="PNG, at most 2 MB, at least 108 pixels high. Larger ones are scaled down. A banner needs none."
        accept=".png,image/png"
      />
    </>
  );
}

/** The sentences of the API name its fields; these name those of the form. */
export function refuseWrongTexts({ text, alt_text, brand_type }: Sent, hasLogo: boolean): void {
  if (text !== undefined && alt_text !== undefined) {
    throw invalidField('text', 'Leave one empty: what the logo says, or the text beside it.');
  }
  if (text === undefined && alt_text === undefined) {
    throw invalidField('alt_text', 'Enter what the logo says, or a text beside it.');
  }
  if (alt_text !== undefined && /\blogo\b/i.test(alt_text)) {
    throw invalidField('alt_text', 'Leave out the word logo: people hear what it says.');
  }
  if (!hasLogo && brand_type !== 'org_banner') {
    throw invalidField('logo', 'Choose a logo. Only a banner can do without.');
  }
}
