import type { ComponentChildren } from 'preact';
import { Type } from 'typebox';
import { answerMessage, answers, possibleAnswers } from '../../../delivery/sandbox/answers.ts';
import { getInboxMessage, type InboxMessage, listInbox } from '../../../delivery/sandbox/inbox.ts';
import { isAnySandbox } from '../../../delivery/sandbox/sandbox.ts';
import { findSentEmail } from '../../../delivery/sandbox/sent-email.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { channels } from '../../../protocol/channels.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../form-state.ts';
import { keepSearch } from '../../kept-search.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { Live } from '../../parts/live.tsx';
import { sendFragment } from '../../send-fragment.tsx';
import { notices } from './answer-forms.tsx';
import { Inbox } from './inbox-list.tsx';
import { type ListQuery, listUrl, readListQuery, withoutMessageView } from './list-query.ts';
import { CurrentStatus, headingOf, Reader } from './reader.tsx';
import { sandboxFilePages } from './sandbox-files.pages.ts';
import { SandboxToolbar } from './toolbar.tsx';

type Seen = PageRequest<'signed-in'>;

/** Messages of the sandbox, while a channel uses it. In the demo for the teams that sent them, else for the operator. */
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
      const query = new URLSearchParams({
        ...(channel ? { channel } : {}),
        ...(find ? { find: keepSearch(app, visitor, find) } : {}),
      }).toString();
      return { to: `/sandbox${query && `?${query}`}` };
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
      const message = await messageOf(request);
      const status = <CurrentStatus message={message} email={await emailOf(message)} />;
      // Without the attribute, the browser stops asking.
      return sendFragment(request.http, request.reply, <div data-live={!isFinal(message) || undefined}>{status}</div>);
    },
  });

  pages.add('/sandbox/:message_id/answer', {
    who,
    below: 'Sandbox',
    // The form is on the page of the message; only a wrong one is shown here again.
    show: (request, formState) =>
      formState.problems.size > 0 ? messageView(request, formState) : { to: back(request) },
    form: Type.Object({ answer: OneOf(answers), text: Type.Optional(Type.String({ maxLength: 1_600 })) }),
    async act(request, { answer, text }) {
      await answerMessage(app, await messageOf(request), answer, text);
      return { to: back(request), notice: notices[answer] };
    },
  });

  const messageOf = (request: Seen) => getInboxMessage(app, request.visitor.user, request.param('message_id'));
  const back = (request: Seen) =>
    listUrl(`/${request.param('message_id')}`, readListQuery(app, request)).slice('/console'.length);
  const emailOf = async ({ notification_type, id }: InboxMessage) =>
    notification_type === 'email' ? findSentEmail(app, id) : undefined;

  async function inbox(request: Seen, current: string | undefined) {
    const list = readListQuery(app, request);
    const found = await listInbox(app, request.visitor.user, { ...list });
    return <Inbox {...found} list={list} current={current} now={app.clock.now()} />;
  }

  async function messageView(request: Seen, formState: FormState): Promise<View> {
    const message = await messageOf(request);
    const reader = (
      <Reader
        message={message}
        email={await emailOf(message)}
        possible={await possibleAnswers(app, message)}
        isHeld={app.config.providers.sandbox.receipts === 'hold'}
        list={readListQuery(app, request)}
        formState={formState}
        now={app.clock.now()}
        messagePage={messagePage(message)}
      />
    );
    return inboxView(request, message.id, headingOf(message), reader);
  }

  function messagePage({ service_id, id }: InboxMessage): string | undefined {
    const path = '/services/:service_id/messages/:message_id';
    if (!pages.all.some((page) => page.path === path)) return undefined;
    return `/console${path.replace(':service_id', service_id).replace(':message_id', id)}`;
  }

  async function inboxView(
    request: Seen,
    current: string | undefined,
    about: string | undefined,
    reader: ComponentChildren,
  ): Promise<View> {
    const list = readListQuery(app, request);
    return {
      title: 'Sandbox',
      ...(about ? { about } : {}),
      lead: 'Nothing here has left this machine.',
      actions: <span data-live-controls />,
      content: (
        <div class="stack">
          <SandboxToolbar current={list} />
          <div class="split">
            <section aria-label="Messages">
              <Live from={listAddress(list, current)}>{await inbox(request, current)}</Live>
            </section>
            {reader}
          </div>
        </div>
      ),
    };
  }
}

/** Only the printer can change a letter later: it may come back. */
function isFinal({ status }: InboxMessage): boolean {
  return !unfinishedStatuses.some((unfinished) => unfinished === status);
}

function listAddress(list: ListQuery, current: string | undefined): string {
  const address = listUrl('/list', withoutMessageView(list));
  if (current === undefined) return address;
  return `${address}${address.includes('?') ? '&' : '?'}current=${current}`;
}

function Welcome() {
  return (
    <div class="reader reader--empty">
      <p class="muted">
        Choose a message to read it as its recipient, and to answer it. The sandbox keeps messages for a week.
      </p>
    </div>
  );
}
