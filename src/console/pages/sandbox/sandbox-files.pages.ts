import { getInboxMessage, type InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import { findSentEmail } from '../../../delivery/sandbox/sent-email.ts';
import { letterPagePicture } from '../../../letters/preview/letter-preview.ts';
import { readLetterPdf } from '../../../notifications/history/letter-download.ts';
import { notFound } from '../../../platform/failure.ts';
import type { Channel } from '../../../protocol/channels.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { sendMailFrame, sendSentFile } from './mail-frame.ts';

/** What was sent, as files: pages of the sandbox show or offer them. */
export function sandboxFilePages(pages: Pages, app: ConsoleApp, who: 'signed-in' | 'platform-admin'): void {
  async function messageOf({ visitor }: PageRequest<'signed-in'>, id: string, channel: Channel): Promise<InboxMessage> {
    const message = await getInboxMessage(app, visitor.user, id);
    if (message.notification_type !== channel) throw notFound();
    return message;
  }

  async function emailOf(request: PageRequest<'signed-in'>) {
    const { id } = await messageOf(request, request.param('email_id'), 'email');
    const email = await findSentEmail(app, id);
    if (!email) throw notFound();
    return { id, email };
  }

  pages.add('/sandbox/emails/:email_id/frame', {
    who,
    async show(request) {
      const { email } = await emailOf(request);
      return sendMailFrame(app, request.reply, email.html, { images: request.query('images') === 'remote' });
    },
  });

  pages.add('/sandbox/emails/:email_id/source', {
    who,
    async show(request) {
      const { id, email } = await emailOf(request);
      return sendSentFile(request.reply, 'message/rfc822', email.source, `${id}.eml`);
    },
  });

  pages.add('/sandbox/letters/:letter_id/pdf', {
    who,
    async show(request) {
      const letter = await messageOf(request, request.param('letter_id'), 'letter');
      return sendSentFile(request.reply, 'application/pdf', await readLetterPdf(app.files, letter), `${letter.id}.pdf`);
    },
  });

  pages.add('/sandbox/letters/:letter_id/pages/:page', {
    who,
    async show(request) {
      const letter = await messageOf(request, request.param('letter_id'), 'letter');
      const page = Number(request.param('page'));
      if (!Number.isInteger(page) || page < 1 || page > (letter.page_count ?? 0)) throw notFound();
      return sendSentFile(request.reply, 'image/png', await letterPagePicture(app, letter, page));
    },
  });
}
