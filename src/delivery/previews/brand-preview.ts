import type { PdfThreads } from '../../letters/pdf-threads.ts';
import { draftPagePicture, drawLetterWithBrand } from '../../letters/preview/letter-draft.ts';
import type { Platform } from '../../platform/platform.ts';
import { compileTemplate } from '../../rendering/template.ts';
import type { SenderIdentity } from '../providers/sender-identities.ts';
import { type EmailConfig, renderShortEmail } from '../render-message.ts';

type Deps = Platform & {
  config: EmailConfig;
  pdfThreads: PdfThreads;
};

type Brand = Pick<SenderIdentity, 'brand_type' | 'colour' | 'logo' | 'text' | 'alt_text'>;

const text = `Dear Ada Lovelace,

Your appointment is on Friday 20 November at 10:15.

# What to bring

* this message
* a document with your name and address`;

/** An email of an example service with this brand, rendered as for sending. */
export function previewEmailBrand(app: Pick<Deps, 'config'>, brand: Brand): { html: string } {
  const compiled = compileTemplate({ template_type: 'email', subject: 'Your appointment', content: text });
  const service: SenderIdentity = {
    name: 'Example service',
    active: true,
    prefix_sms: false,
    custom_email_sender_name: null,
    email_sender_local_part: 'example.service',
    brand_type: brand.brand_type,
    colour: brand.colour,
    logo: brand.logo,
    text: brand.text,
    alt_text: brand.alt_text,
  };
  return renderShortEmail(app, compiled, {}, service, null);
}

const letter = {
  template_type: 'letter',
  subject: 'Your appointment',
  content: text,
  contact_block: 'Example service\n1 High Street\nExample\nEX1 2AB',
} as const;
const address = { address_line_1: 'Ada Lovelace', address_line_2: '12 Any Street', address_line_3: 'SW1A 1AA' };

/** The first page of a letter with this brand, drawn as for the printer. */
export async function drawLetterBrand(app: Deps, brand: { id: string; name: string }): Promise<Uint8Array> {
  const draft = { compiled: compileTemplate(letter), personalisation: address, attachment: null };
  if (draft.compiled.template_type !== 'letter') throw new Error('The example is a letter');
  const owner = 'letter-branding';
  const drawn = await drawLetterWithBrand(app, owner, brand, { ...draft, compiled: draft.compiled });
  return draftPagePicture(app, owner, drawn, 1);
}
