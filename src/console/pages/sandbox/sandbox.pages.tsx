import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import { findSentEmail, findSource } from '../../../delivery/sandbox/email-sources.ts';
import { getInboxMessage, type InboxMessage, listInbox } from '../../../delivery/sandbox/inbox.ts';
import { isAnySandbox } from '../../../delivery/sandbox/sandbox.ts';
import { possibleEvents, simulatedEvents, simulateEvent } from '../../../delivery/sandbox/simulated-events.ts';
import { type Text, t } from '../../../language/text.ts';
import { letterPagePicture } from '../../../letters/preview/letter-preview.ts';
import { readLetterPdf } from '../../../notifications/history/public-notifications.ts';
import { notFound } from '../../../platform/failure.ts';
import { type Channel, channels } from '../../../protocol/channels.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../forms.ts';
import { keepSearch, pageUrl, withQuery } from '../../links.ts';
import { clearSandbox, findCleared, findOpened, markOpened } from '../../marks/marks.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { Confirm } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { sendMailFrame, sendSentFile } from '../../parts/mail-frame.tsx';
import { Inbox, SandboxToolbar } from './inbox.tsx';
import { type ListQuery, readListQuery, sandboxUrl, withoutMessageView } from './list-query.ts';
import { CurrentStatus, formatHeading, isFinal, notices, Reader, SimulatedEvents } from './reader.tsx';

type Seen = PageRequest<'signed-in'>;

/** Messages of the sandbox, while a channel uses it. In the demo, for the teams that sent them; otherwise for the operator. */
export function sandboxPages(pages: Pages, app: ConsoleApp): void {
  if (!isAnySandbox(app.config)) return;
  const who = app.config.demo.enabled ? 'signed-in' : 'platform-admin';
  sandboxFilePages(pages, app, who);

  pages.add('/sandbox', {
    who,
    menu: 'Sandbox',
    show: (request) => inboxView(request, undefined, undefined, <Welcome />),
    form: Type.Object({
      find: Type.Optional(Type.String({ maxLength: 200 })),
      channel: Type.Optional(OneOf(channels)),
    }),
    act({ visitor }, { find = '', channel }) {
      return { to: withQuery('/sandbox', { channel, find: keepSearch(app, visitor, find) }) };
    },
  });

  pages.add('/sandbox/list', {
    who,
    live: true,
    async show(request) {
      const current = request.query('current') || undefined;
      return sendFragment(request.http, request.reply, <div data-live>{await inbox(request, current)}</div>);
    },
  });

  pages.add('/sandbox/:message_id', {
    who,
    below: 'Sandbox',
    show: (request) => messageView(request, emptyForm),
  });

  pages.add('/sandbox/:message_id/status', {
    who,
    live: true,
    async show(request) {
      const message = await getMessage(request);
      const status = <CurrentStatus message={message} email={await findEmail(message)} />;
      // Without the attribute, the browser stops polling.
      return sendFragment(request.http, request.reply, <div data-live={!isFinal(message) || undefined}>{status}</div>);
    },
  });

  pages.add('/sandbox/:message_id/answers', {
    who,
    live: true,
    async show(request) {
      const message = await getMessage(request);
      const props = {
        message,
        possible: await possibleEvents(app, message),
        isHeld,
        list: readListQuery(app, request),
      };
      return sendFragment(request.http, request.reply, <SimulatedEvents {...props} />);
    },
  });

  pages.add('/sandbox/clear', {
    who,
    below: 'Sandbox',
    show: () => ({ to: '/sandbox' }),
    form: Type.Object({}),
    async act({ visitor }) {
      await clearSandbox(app, visitor.user);
      return { to: '/sandbox', notice: t('Sandbox cleared.') };
    },
  });

  pages.add('/sandbox/:message_id/answer', {
    who,
    below: 'Sandbox',
    // The form is on the page of the message, so this only shows it again if it is invalid.
    show: (request, formState) =>
      formState.problems.size > 0 ? messageView(request, formState) : { to: messagePath(request) },
    form: Type.Object({ answer: OneOf(simulatedEvents), text: Type.Optional(Type.String({ maxLength: 1_600 })) }),
    async act(request, { answer, text }) {
      await simulateEvent(app, await getMessage(request), answer, text);
      return { to: messagePath(request), notice: notices[answer] };
    },
  });

  const isHeld = app.config.providers.sandbox.receipts === 'hold';
  const getMessage = (request: Seen) => getInboxMessage(app, request.visitor.user, request.param('message_id'));
  const messagePath = (request: Seen) =>
    sandboxUrl(`/${request.param('message_id')}`, readListQuery(app, request)).slice('/console'.length);
  const findEmail = async ({ notification_type, id }: InboxMessage) =>
    notification_type === 'email' ? findSentEmail(app, id) : undefined;

  async function inbox(request: Seen, current: string | undefined) {
    const list = readListQuery(app, request);
    const { user } = request.visitor;
    const found = await listInbox(app, user, { ...list, clearedUntil: await findCleared(app.db, user) });
    const ids = found.messages.map(({ id }) => id);
    const opened = await findOpened(app.db, user, ids);
    return (
      <Inbox country={app.country} {...found} list={list} current={current} opened={opened} now={app.clock.now()} />
    );
  }

  async function messageView(request: Seen, formState: FormState): Promise<View> {
    const message = await getMessage(request);
    await markOpened(app, request.visitor.user, message.id);
    const reader = (
      <Reader
        country={app.country}
        message={message}
        email={await findEmail(message)}
        possible={await possibleEvents(app, message)}
        isHeld={isHeld}
        list={readListQuery(app, request)}
        formState={formState}
        now={app.clock.now()}
        messagePage={findMessagePage(message)}
      />
    );
    return inboxView(request, message.id, formatHeading(app.country.phone, message), reader);
  }

  function findMessagePage({ service_id, id }: InboxMessage): string | undefined {
    const path = '/services/:service_id/messages/:message_id';
    if (!pages.all.some((page) => page.path === path)) return undefined;
    return pageUrl(path.replace(':service_id', service_id).replace(':message_id', id));
  }

  async function inboxView(
    request: Seen,
    current: string | undefined,
    about: Text | undefined,
    reader: ComponentChildren,
  ): Promise<View> {
    const list = readListQuery(app, request);
    return {
      title: t('Sandbox'),
      ...(about ? { about } : {}),
      lead: t('Nothing here has left this machine.'),
      actions: (
        <>
          <span data-live-controls />
          <Confirm label={t('Clear all')} action={t('Clear my list')} to={pageUrl('/sandbox/clear')}>
            {t('We will remove all messages from your list. Other people keep theirs.')}
          </Confirm>
        </>
      ),
      content: (
        <div class="stack">
          <SandboxToolbar current={list} />
          <div class="split">
            <section aria-label={t('Messages')}>
              <Live from={buildListUrl(list, current)}>{await inbox(request, current)}</Live>
            </section>
            {reader}
          </div>
        </div>
      ),
    };
  }
}

function buildListUrl(list: ListQuery, current: string | undefined): string {
  const address = sandboxUrl('/list', withoutMessageView(list));
  if (current === undefined) return address;
  return `${address}${address.includes('?') ? '&' : '?'}current=${current}`;
}

function Welcome() {
  return (
    <div class="reader reader--empty">
      <p class="muted">
        {t('Choose a message to read it and reply as its recipient. The sandbox keeps messages for 7 days.')}
      </p>
    </div>
  );
}

/** Files of sent messages, which pages of the sandbox display or download. */
function sandboxFilePages(pages: Pages, app: ConsoleApp, who: 'signed-in' | 'platform-admin'): void {
  async function getMessageOfChannel({ visitor }: Seen, id: string, channel: Channel): Promise<InboxMessage> {
    const message = await getInboxMessage(app, visitor.user, id);
    if (message.notification_type !== channel) throw notFound();
    return message;
  }

  const getEmail = (request: Seen) => getMessageOfChannel(request, request.param('email_id'), 'email');

  pages.add('/sandbox/emails/:email_id/frame', {
    who,
    async show(request) {
      const email = await findSentEmail(app, (await getEmail(request)).id);
      if (!email) throw notFound();
      return sendMailFrame(app, request.reply, email.html, { images: request.query('images') === 'remote' });
    },
  });

  pages.add('/sandbox/emails/:email_id/source', {
    who,
    async show(request) {
      const { id } = await getEmail(request);
      const source = await findSource(app, id);
      if (!source) throw notFound();
      return sendSentFile(request.reply, 'message/rfc822', source, `${id}.eml`);
    },
  });

  pages.add('/sandbox/letters/:letter_id/pdf', {
    who,
    async show(request) {
      const letter = await getMessageOfChannel(request, request.param('letter_id'), 'letter');
      return sendSentFile(request.reply, 'application/pdf', await readLetterPdf(app.files, letter), `${letter.id}.pdf`);
    },
  });

  pages.add('/sandbox/letters/:letter_id/pages/:page', {
    who,
    async show(request) {
      const letter = await getMessageOfChannel(request, request.param('letter_id'), 'letter');
      const page = Number(request.param('page'));
      if (!Number.isInteger(page) || page < 1 || page > (letter.page_count ?? 0)) throw notFound();
      return sendSentFile(request.reply, 'image/png', await letterPagePicture(app, letter, page));
    },
  });
}
