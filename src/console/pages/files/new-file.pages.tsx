import { Type } from 'typebox';
import { timeZoneColumnsOf } from '../../../jobs/uploads/file-texts.ts';
import { checkUpload, getService, receiveUpload } from '../../../jobs/uploads/uploads.ts';
import { t } from '../../../language/text.ts';
import { sendCsv } from '../../../platform/http/csv.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Choices, FileField } from '../../parts/field.tsx';
import { Submit } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { getSendableTemplate, listSenderChoices } from '../send/sendable-templates.ts';
import { guardNotice } from '../settings/guard-notice.tsx';
import {
  acceptedSpreadsheets,
  exampleFile,
  maxSpreadsheetBytes,
  neededColumns,
  refuseInFileField,
} from './spreadsheets.ts';

const who = { service: 'send', membersOnly: true } as const;

/** Choosing a file for a template. Its rows are stored at once and checked by a task, while a page shows the progress. */
export function newFilePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/files/new/:template_id', {
    who,
    below: 'Send',
    async show({ service, visitor, viewer, param }, formState) {
      const template = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
      const sending = await getService(app, service.id);
      const senders = await listSenderChoices(app.db, template);
      const path = `/services/${service.id}/files/new/${template.row.id}`;
      return {
        title: t('Send “{name}” to many people', { name: template.row.name }),
        lead: t('We check your file first. Nothing is sent until you have seen the result.'),
        crumbs: [{ label: t('Send'), to: `/services/${service.id}/send` }],
        content: (
          <div class="stack">
            {template.row.template_type === 'email' && (await guardNotice(app, service, visitor))}
            <div class="aside">
              <form class="stack measure" method="post" encType="multipart/form-data" noValidate>
                {senders.length > 1 && (
                  <Choices
                    formState={formState}
                    name="sender_id"
                    legend={template.row.template_type === 'sms' ? t('From') : t('Replies go to')}
                    kind="one"
                    chosen={senders.filter(({ is_default }) => is_default).map(({ id }) => id)}
                    choices={senders.map(({ id, text }) => ({ value: id, label: text }))}
                  />
                )}
                <FileField
                  formState={formState}
                  name="file"
                  label={t('File')}
                  hint={t('A spreadsheet (csv, tsv, xlsx, xlsm or ods) of up to 100,000 rows and 10 MB.')}
                  accept={acceptedSpreadsheets}
                />
                <Submit>{t('Check')}</Submit>
              </form>
              <section class="stack stack--tight" aria-labelledby="columns">
                <h2 id="columns">{t('Columns your file needs')}</h2>
                <Table
                  caption={t('Columns')}
                  rows={neededColumns(viewer, template, sending)}
                  keyOf={({ column }) => column}
                  columns={[
                    { head: t('Column'), cell: ({ column }) => column },
                    { head: t('Example'), cell: ({ example }) => example },
                  ]}
                />
                {timeZoneColumnsOf(sending, template.row).length > 0 && (
                  <p class="small">
                    {t(
                      'You can leave out the time zone. Then your sending times follow the country of the number, or your service.',
                    )}
                  </p>
                )}
                <p class="small">
                  <a href={pageUrl(`${path}/example.csv`)} download>
                    {t('Download an example file')}
                  </a>
                </p>
              </section>
            </div>
          </div>
        ),
      };
    },
    form: Type.Object({ sender_id: Type.Optional(Type.String({ format: 'uuid' })) }),
    file: { name: 'file', max_bytes: maxSpreadsheetBytes, needs: t('Choose a file.') },
    async act({ service, visitor, param }, { sender_id }, file) {
      const { row } = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
      const sending = await getService(app, service.id);
      const upload = await refuseInFileField(() =>
        receiveUpload(app, sending, {
          filename: file.filename,
          template_id: row.id,
          sender_id,
          is_contact_list: false,
          check_later: true,
          body: file,
          signal: AbortSignal.timeout(maxWait_ms),
        }),
      );
      const check = { service_id: service.id, upload_id: upload.id, template_id: row.id, sender_id: sender_id ?? null };
      await app.queue.add(app.db, checkUpload, check);
      return { to: `/services/${service.id}/files/${upload.id}` };
    },
  });

  pages.add('/services/:service_id/files/new/:template_id/example.csv', {
    who,
    async show({ service, visitor, viewer, param, reply }) {
      const template = await getSendableTemplate(app, service.id, visitor.user.id, param('template_id'));
      const sending = await getService(app, service.id);
      return { sent: sendCsv(reply, `${template.row.name}.csv`, exampleFile(viewer, template, sending)) };
    },
  });
}

const maxWait_ms = 5 * 60_000;
