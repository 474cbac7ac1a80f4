import type { Country } from '../countries/country.ts';
import type { Files } from '../platform/storage/files.ts';
import { addressRules } from '../recipients/address-rules.ts';
import type { LetterDocument } from '../rendering/letter/model.ts';
import type { DrawLetterOptions } from '../rendering/letter/pdf.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { CompiledTemplate } from '../rendering/template.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import { letterAttachmentPath } from './attachments/letter-attachments.ts';
import type { Letter } from './letters.sql.ts';
import { logoFile } from './preview/letter-logo.ts';

interface Deps {
  files: Files;
  country: Country;
  compiledTemplates: CompiledTemplates;
}

/** The input of the PDF threads for one letter. */
export interface RenderInput {
  document: LetterDocument;
  logo?: NonNullable<DrawLetterOptions['logo']>;
  attachments: Uint8Array[];
  /** Set if the file of the template's attachment is missing: the letter can be previewed, but not printed. */
  incomplete: boolean;
}

/** Uses the letter's template version, contact block and date of acceptance, but the current logo. */
export async function renderInputOfLetter(app: Deps, letter: Letter): Promise<RenderInput> {
  const { row, compiled } = await getTemplateForDelivery(app, letter);
  const { lines } = addressRules(app.country).parse(letter.recipient.split('\n'));
  const brand = letter.letter_branding_id
    ? { id: letter.letter_branding_id, name: letter.letter_branding_name ?? '' }
    : undefined;
  return renderInput(app, row, brand, {
    compiled,
    personalisation: letter.personalisation,
    address: lines,
    day: app.country.calendar.day(new Date(letter.created_at)),
  });
}

interface Filling {
  compiled: CompiledTemplate;
  personalisation: Personalisation;
  /** Printed if it has a valid number of lines. Otherwise the address placeholders are highlighted. */
  address: readonly string[];
  day: string;
}

export async function renderInput(
  { country, files }: Pick<Deps, 'country' | 'files'>,
  template: Pick<TemplateRow, 'service' | 'letter_attachment'>,
  brand: { id: string; name: string } | undefined,
  { compiled, personalisation, address, day }: Filling,
): Promise<RenderInput> {
  if (compiled.template_type !== 'letter') throw new Error('only letter templates can be rendered as letters');
  const isAddress = addressRules(country).isWhole(address);
  const document = compiled.document(personalisation, {
    day,
    address: isAddress ? address : undefined,
    capitals: country.address.capitals,
  });
  const svg = brand && (await files.get(logoFile(brand.id)));
  const attached = template.letter_attachment;
  const attachment = attached && (await files.get(letterAttachmentPath(template.service, attached.id)));
  return {
    document,
    logo: svg && brand && { svg: svg.toString('utf8'), name: brand.name },
    attachments: attachment ? [attachment] : [],
    incomplete: attached !== null && !attachment,
  };
}
