import { Type } from 'typebox';
import type { Country } from '../../../countries/country.ts';
import { asIs, joined, t } from '../../../language/text.ts';
import { archiveLetterAttachment, attachPages, markedPages } from '../../../letters/attachments/letter-attachments.ts';
import { maxLetterBytes } from '../../../notifications/sending/letter-rules.ts';
import { type Failure, invalidField, notFound } from '../../../platform/failure.ts';
import { newId } from '../../../platform/id.ts';
import { maxPages } from '../../../rendering/pdf/letter-geometry.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { isAboutForm } from '../../forms.ts';
import { paperName, sheetSize, wrongPaper } from '../../letter-paper.ts';
import { pageUrl } from '../../links.ts';
import { several } from '../../money.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { FileField } from '../../parts/field.tsx';
import { Confirm, Submit } from '../../parts/form.tsx';
import { ErrorSummary } from '../../parts/notice.tsx';
import { getEditableTemplate, templatePath } from './library.ts';

const who = { service: 'templates' } as const;
type Writing = PageRequest<typeof who>;

/** Pages of a PDF that are printed after each letter of a template. */
export function attachedPagesPages(pages: Pages, app: ConsoleApp): void {
  const path = '/services/:service_id/letter-templates/:letter_template_id/attached-pages';

  async function getLetterTemplate(request: Writing) {
    const template = await getEditableTemplate(app, request, request.param('letter_template_id'));
    if (template.template_type !== 'letter') throw notFound();
    return template;
  }

  async function view(request: Writing, formState: FormState, marked: string[] = []): Promise<View> {
    const template = await getLetterTemplate(request);
    const { letter_attachment: attached } = template;
    const url = pageUrl(`/services/${request.service.id}/letter-templates/${template.id}/attached-pages`);
    return {
      title: t('Attached pages'),
      about: asIs(template.name),
      crumbs: [{ label: asIs(template.name), to: templatePath(request.service.id, template.id) }],
      content: (
        <div class="stack measure">
          {marked.length > 0 && <ErrorSummary problems={formState.problems} />}
          {attached ? (
            <section class="card stack stack--tight" aria-label={t('Attached')}>
              <p>
                <b dir="auto">{attached.original_filename}</b>, {several(attached.page_count, 'page')}
              </p>
              <Confirm label={t('Remove…')} action={t('Remove the pages')} to={url} fields={{ do: 'remove' }}>
                {t('New letters will be printed without these pages.')}
              </Confirm>
            </section>
          ) : (
            <form class="stack" method="post" action={url} encType="multipart/form-data" noValidate>
              <FileField
                formState={formState}
                name="upload"
                label={t('PDF with the pages')}
                hint={t(
                  'Use {paperName} pages and at most 2 MB. The letter and these pages can have {maxPages} pages together.',
                  { paperName: paperName(app.country), maxPages },
                )}
                accept=".pdf"
              />
              <Submit back={templatePath(request.service.id, template.id)}>{t('Attach')}</Submit>
            </form>
          )}
          {marked.length > 0 && (
            <section class="desk stack" aria-label={t('Pages with problems')}>
              {marked.map((picture, index) => (
                <img
                  key={picture.length + index}
                  class="sheet"
                  src={picture}
                  alt={t('Page {page} with a problem: what is in the red area cannot be printed', { page: index + 1 })}
                  {...sheetSize(app.country)}
                />
              ))}
            </section>
          )}
        </div>
      ),
    };
  }

  pages.add(path, {
    who,
    below: 'Templates',
    show: (request, formState) => view(request, formState),
    form: Type.Object({ do: Type.Optional(Type.String()) }),
    file: { name: 'upload', max_bytes: maxLetterBytes },
    async act(request, form, file) {
      const template = await getLetterTemplate(request);
      const back = templatePath(request.service.id, template.id);
      const created_by_id = request.visitor.user.id;
      if (form.do === 'remove') {
        if (!template.letter_attachment) throw notFound();
        await archiveLetterAttachment(app, template.letter_attachment.id, created_by_id);
        return { to: back, notice: t('Pages removed.') };
      }
      if (!file) throw invalidField('upload', t('Choose a PDF.'));
      const pdf = await file.bytes();
      const attachment = {
        upload_id: newId(app.clock.now()),
        template_id: template.id,
        original_filename: file.filename.slice(0, 255),
        page_count: 1,
        created_by_id,
        content: Buffer.from(pdf).toString('base64'),
      };
      try {
        await attachPages(app, attachment);
      } catch (error) {
        if (!isAboutForm(error)) throw error;
        const { text, invalid_pages } = describeRefusal(app.country, error);
        if (invalid_pages.length === 0) throw invalidField('upload', text);
        const pictures = await markedPages(app, request.service.id, pdf, invalid_pages);
        const formState = { typed: new Map(), problems: new Map([['upload', text]]) };
        return { ...(await view(request, formState, pictures)), status: 400 };
      }
      return { to: back, notice: t('Pages attached.') };
    },
  });
}

const reasons = new Map([
  ['content-outside-printable-area', t('Keep everything inside the area that can be printed.')],
  ['letter-too-long', t('Use at most {maxPages} pages for the letter and its attached pages together.', { maxPages })],
  ['template-already-has-attachment', t('The template has attached pages already. Remove them first.')],
  ['unable-to-read-the-file', t('We could not read the file. Save it as a PDF again.')],
]);

function describeRefusal(country: Country, { detail }: Failure): { text: string; invalid_pages: number[] } {
  const reasonOf = (code: string) =>
    code === 'letter-not-a4-portrait-oriented'
      ? wrongPaper(country, t('Use A4 portrait pages only.'))
      : (reasons.get(code) ?? code);
  if (typeof detail === 'string') return { text: reasonOf(detail), invalid_pages: [] };
  const code = [detail.content ?? Object.values(detail)[0] ?? ''].flat().join(' ');
  const invalid_pages = [detail.invalid_pages ?? []].flat().map(Number);
  const where = invalid_pages.length > 0 ? [t('See page {pages}.', { pages: invalid_pages.join(', ') })] : [];
  return { text: joined([reasonOf(code), ...where]), invalid_pages };
}
