import { Type } from 'typebox';
import { getService } from '../../../jobs/uploads/uploads.ts';
import { t } from '../../../language/text.ts';
import { getCheckedLetter, getCheckedPdf, keepCheckedLetter } from '../../../letters/checked-letters.ts';
import { sendUploadedLetter } from '../../../notifications/one-off/one-off.ts';
import { invalid, notFound } from '../../../platform/failure.ts';
import { ChosenPostage } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { paperName } from '../../letter-paper.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { FileField } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { sendSentFile } from '../../parts/mail-frame.tsx';
import { refuseInFileField } from '../files/spreadsheets.ts';
import { toFormProblem } from '../send/send-form.ts';
import { CheckedLetterView } from './checked-letter.tsx';

const who = { service: 'send', membersOnly: true } as const;
const maxBytes = 2 * 1024 * 1024;

/** Sends a letter that is already a PDF: upload it, check its pages, send it. */
export function pdfLetterPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/pdf-letters', {
    who,
    below: 'Send',
    name: t('Upload a letter'),
    show: ({ service }, formState) => ({
      title: t('Upload a letter'),
      lead: t('We print and post your PDF as it is. You see its pages and its address first.'),
      crumbs: [{ label: t('Send'), to: `/services/${service.id}/send` }],
      content: (
        <form class="stack measure" method="post" encType="multipart/form-data" noValidate>
          <FileField
            formState={formState}
            name="file"
            label={t('PDF')}
            hint={t('{paperName}, at most 10 pages and 2 MB, with the address in the window of the first page.', {
              paperName: paperName(app.country),
            })}
            accept=".pdf"
          />
          <Submit>{t('Check')}</Submit>
        </form>
      ),
    }),
    form: Type.Object({}),
    file: { name: 'file', max_bytes: maxBytes, needs: t('Choose a file.') },
    async act({ service }, _form, file) {
      if (!service.permissions.includes('letter')) {
        throw invalid(t('Letters are switched off. Switch them on in the settings of your service.'));
      }
      const pdf = await file.bytes();
      const sending = await getService(app, service.id);
      const { id } = await refuseInFileField(() => keepCheckedLetter(app, sending, file.filename, pdf));
      return { to: `/services/${service.id}/pdf-letters/${id}` };
    },
  });

  async function view({ service, param }: PageRequest<typeof who>, formState: FormState): Promise<View> {
    const letter = await getCheckedLetter(app, service.id, param('pdf_id'));
    return {
      title: t('Check {filename}', { filename: letter.filename }),
      crumbs: [{ label: t('Upload a letter'), to: `/services/${service.id}/pdf-letters` }],
      content: <CheckedLetterView country={app.country} serviceId={service.id} letter={letter} formState={formState} />,
    };
  }

  pages.add('/services/:service_id/pdf-letters/:pdf_id', {
    who,
    below: 'Send',
    show: view,
    form: Type.Object({
      reference: Type.Optional(Type.String({ maxLength: 1_000 })),
      postage: Type.Optional(ChosenPostage(app.country)),
    }),
    async act({ service, visitor, param }, { reference, postage }) {
      const letter = await getCheckedLetter(app, service.id, param('pdf_id'));
      if (letter.check.message !== null)
        throw invalid(t('This letter cannot be sent. Fix the PDF and upload it again.'));
      const content = (await getCheckedPdf(app, service.id, letter.id)).toString('base64');
      const request = {
        filename: reference ?? letter.filename,
        created_by: visitor.user.id,
        content,
        file_id: letter.id,
        address: letter.check.recipient_address ?? undefined,
      };
      try {
        await sendUploadedLetter(app, service.id, { ...request, ...(postage === undefined ? {} : { postage }) });
      } catch (error) {
        throw toFormProblem(app.country, error, []);
      }
      return {
        to: `/services/${service.id}/messages/${letter.id}`,
        notice: t('Letter sent.'),
      };
    },
  });

  pages.add('/services/:service_id/pdf-letters/:pdf_id/pages/:page', {
    who,
    async show({ service, param, reply }) {
      const { id, check } = await getCheckedLetter(app, service.id, param('pdf_id'));
      const page = Number(param('page'));
      const isOutside = check.message === 'content-outside-printable-area' && check.invalid_pages?.includes(page);
      try {
        const picture = await app.pdfThreads
          .forRequest(service.id)
          .run('pageToPng', await getCheckedPdf(app, service.id, id), page, {
            decoration: isOutside ? 'red-overlay' : 'none',
            geometry: app.country.letter.geometry,
          });
        return sendSentFile(reply, 'image/png', picture);
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchPage') throw notFound();
        throw error;
      }
    },
  });
}
