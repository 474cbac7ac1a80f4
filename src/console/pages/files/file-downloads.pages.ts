import { originalOfJob, reportOfJob } from '../../../jobs/reports/job-report.ts';
import { duplicatesFile, findStoredRow, problemsFile } from '../../../jobs/uploads/stored-rows.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { notFound } from '../../../platform/failure.ts';
import { sendCsv } from '../../../platform/http/csv.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { findTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { sendMailFrame, sendSentFile } from '../../parts/mail-frame.tsx';
import { getOpenFile, previewEmailOfRow, previewLetterOfRow } from './load-file.ts';
import { nameOfDownload } from './spreadsheets.ts';

const who = { service: 'send' } as const;

/** What a file offers to download, and the pictures of its rows. */
export function fileDownloadPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/files/:file_id/problems.csv', {
    who,
    async show(request) {
      const upload = await getOpenFile(app, request, request.param('file_id'));
      return { sent: sendCsv(request.reply, nameOfDownload('problems', upload), problemsFile(app.db, upload)) };
    },
  });

  pages.add('/services/:service_id/files/:file_id/duplicates.csv', {
    who,
    async show(request) {
      const upload = await getOpenFile(app, request, request.param('file_id'));
      return { sent: sendCsv(request.reply, nameOfDownload('duplicates', upload), duplicatesFile(app, upload)) };
    },
  });

  pages.add('/services/:service_id/files/:file_id/results.csv', {
    who: { service: 'messages' },
    async show({ service, param, reply }) {
      const { name, parts } = await fromStandby(app, 'file', (reader) =>
        reportOfJob(reader, service.id, param('file_id')),
      );
      return { sent: sendCsv(reply, name, parts) };
    },
  });

  pages.add('/services/:service_id/files/:file_id/original.csv', {
    who,
    async show({ service, param, reply }) {
      const { name, parts } = await fromStandby(app, 'file', (reader) =>
        originalOfJob(reader, service.id, param('file_id')),
      );
      return { sent: sendCsv(reply, name, parts) };
    },
  });

  async function getRow(request: PageRequest<typeof who>, fileId: string, channel: Channel) {
    const upload = await getOpenFile(app, request, fileId);
    const row = await findStoredRow(app.db, upload, Number(request.param('row')) || 0);
    const found = await findTemplate(app, request.service.id, upload.template_id ?? '');
    if (!row?.message || found.found !== 'here' || found.template.row.template_type !== channel) throw notFound();
    return { upload, template: found.template, message: row.message };
  }

  pages.add('/services/:service_id/files/:email_file_id/rows/:row/email', {
    who,
    async show(request) {
      const { upload, template, message } = await getRow(request, request.param('email_file_id'), 'email');
      const { html } = await previewEmailOfRow(app, template, upload, message);
      return sendMailFrame(app, request.reply, html, { images: false });
    },
  });

  pages.add('/services/:service_id/files/:letter_file_id/rows/:row/pages/:page', {
    who,
    async show(request) {
      const { template, message } = await getRow(request, request.param('letter_file_id'), 'letter');
      const page = Number(request.param('page'));
      if (!Number.isInteger(page) || page < 1) throw notFound();
      const { content } = await previewLetterOfRow(app, template, message, 'png', page);
      return sendSentFile(request.reply, 'image/png', content);
    },
  });
}
