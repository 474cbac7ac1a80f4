import type { Files } from '../platform/storage/files.ts';
import { parsePostalAddress } from '../recipients/postal-address.ts';
import type { LetterDocument } from '../rendering/letter/model.ts';
import type { DrawLetterOptions } from '../rendering/letter/pdf.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { CompiledTemplate } from '../rendering/template.ts';
import { type CompiledTemplates, getTemplateForDelivery } from '../templates/compiled-templates.ts';
import { letterAttachmentPath } from '../templates/letter-attachments.ts';
import type { TemplateRow } from '../templates/template-row.ts';
import type { Letter } from './letters.sql.ts';
import { logoFile } from './preview/letter-logo.ts';

type Deps = { files: Files; compiledTemplates: CompiledTemplates };

/** What the PDF threads need to draw a letter. */
export interface DrawingOrder {
  document: LetterDocument;
  logo?: NonNullable<DrawLetterOptions['logo']>;
  attachments: Uint8Array[];
  /** The template has an attachment whose file is not there: it can be looked at, but not printed. */
  incomplete: boolean;
}

/** The letter as it was accepted: that version of the template, its contact block, its day; the logo of today. */
export async function orderOfLetter(app: Deps, letter: Letter): Promise<DrawingOrder> {
  const { row, compiled } = await getTemplateForDelivery(app, letter);
  const { lines } = parsePostalAddress(letter.recipient.split('\n'));
  const brand = letter.letter_branding_id
    ? { id: letter.letter_branding_id, name: letter.letter_branding_name ?? '' }
    : undefined;
  return order(app, row, brand, {
    compiled,
    personalisation: letter.personalisation,
    address: lines,
    date: new Date(letter.created_at),
  });
}

interface Filling {
  compiled: CompiledTemplate;
  personalisation: Personalisation;
  /** Printed when they are as many as an address has; else the places for them are marked. */
  address: readonly string[];
  date: Date;
}

export async function order(
  { files }: Pick<Deps, 'files'>,
  template: TemplateRow,
  brand: { id: string; name: string } | undefined,
  { compiled, personalisation, address, date }: Filling,
): Promise<DrawingOrder> {
  if (compiled.template_type !== 'letter') throw new Error('only letters are drawn');
  const isAddress = address.length >= 3 && address.length <= 7;
  const document = compiled.document(personalisation, { date, address: isAddress ? address : undefined });
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
