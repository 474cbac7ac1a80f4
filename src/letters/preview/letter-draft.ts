import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { addressRules } from '../../recipients/address-rules.ts';
import { addressLinesFromPersonalisation } from '../../recipients/postal-address.ts';
import { maxPages } from '../../rendering/pdf/letter-geometry.ts';
import type { Personalisation } from '../../rendering/personalisation.ts';
import type { LetterTemplate } from '../../rendering/template.ts';
import type { LetterAttachment } from '../../templates/template-row.ts';
import { renderInput } from '../letter-document.ts';
import { selectServiceBrand } from '../letters.sql.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { compose, show } from './letter-preview.ts';

type Deps = Platform & { pdfThreads: PdfThreads };

interface LetterDraft {
  compiled: LetterTemplate;
  personalisation: Personalisation;
  attachment: LetterAttachment | null;
}

/** Drawn as for the printer, so that the picture looks like the letter. Unfilled placeholders are highlighted. */
export async function drawLetterDraft(app: Deps, serviceId: string, draft: LetterDraft) {
  return drawLetterWithBrand(app, serviceId, await selectServiceBrand(app.db, serviceId), draft);
}

export async function drawLetterWithBrand(
  app: Deps,
  serviceId: string,
  brand: { id: string; name: string } | undefined,
  { compiled, personalisation, attachment }: LetterDraft,
) {
  const { lines } = addressRules(app.country).parse(addressLinesFromPersonalisation(personalisation));
  const template = { service: serviceId, letter_attachment: attachment };
  const input = await renderInput(app, template, brand, {
    compiled,
    personalisation,
    address: lines,
    day: app.country.calendar.day(app.clock.now()),
  });
  const { pdf, page_count } = await compose(app, app.pdfThreads.forRequest(serviceId), input, 'print');
  return { pdf, page_count, is_too_long: page_count > maxPages };
}

export async function draftPagePicture(
  { pdfThreads }: Pick<Deps, 'pdfThreads'>,
  serviceId: string,
  { pdf, page_count }: { pdf: Uint8Array; page_count: number },
  page: number,
): Promise<Uint8Array> {
  if (!Number.isInteger(page) || page < 1 || page > page_count) throw notFound();
  return show(pdfThreads.forRequest(serviceId), pdf, 'png', page);
}
