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
import { noDraft } from '../../draft.ts';
import { keepSearch } from '../../kept-search.ts';
import type { Asked, Draft, Pages, View } from '../../page.ts';
import { Live } from '../../parts/live.tsx';
import { sendFragment } from '../../send-fragment.tsx';
import { notices } from './answer-forms.tsx';
import { Inbox } from './inbox-list.tsx';
import { addressOf, listPlace, type Place, placeOf } from './place.ts';
import { CurrentStatus, headingOf, Reader } from './reader.tsx';
import { sandboxFilePages } from './sandbox-files.pages.ts';
import { SandboxToolbar } from './toolbar.tsx';

type Seen = Asked<'signed-in'>;

/** Messages of the sandbox, while a channel uses it. In the demo for the teams that sent them, else for the operator. */
export function sandboxPages(pages: Pages, app: ConsoleApp): void {
  if (!isAnySandbox(app.config)) return;
  const who = app.config.demo.enabled ? 'signed-in' : 'platform-admin';
  sandboxFilePages(pages, app, who);

  pages.add('/sandbox', {
    who,
    menu: 'Sandbox',
    show: (asked) => inboxView(asked, undefined, undefined, <Welcome />),
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
    async show(asked) {
      const current = asked.query('current') || undefined;
      return sendFragment(asked.request, asked.reply, <div data-live>{await inbox(asked, current)}</div>);
    },
  });

  pages.add('/sandbox/:message_id', {
    who,
    below: 'Sandbox',
    show: (asked) => messageView(asked, noDraft),
  });

  pages.add('/sandbox/:message_id/status', {
    who,
    live: true,
    async show(asked) {
      const message = await messageOf(asked);
      const status = <CurrentStatus message={message} email={await emailOf(message)} />;
      // Without the attribute, the browser stops asking.
      return sendFragment(asked.request, asked.reply, <div data-live={!isFinal(message) || undefined}>{status}</div>);
    },
  });

  pages.add('/sandbox/:message_id/answer', {
    who,
    below: 'Sandbox',
    // The form is on the page of the message; only a wrong one is shown here again.
    show: (asked, draft) => (draft.problems.size > 0 ? messageView(asked, draft) : { to: back(asked) }),
    form: Type.Object({ answer: OneOf(answers), text: Type.Optional(Type.String({ maxLength: 1_600 })) }),
    async act(asked, { answer, text }) {
      await answerMessage(app, await messageOf(asked), answer, text);
      return { to: back(asked), notice: notices[answer] };
    },
  });

  const messageOf = (asked: Seen) => getInboxMessage(app, asked.visitor.user, asked.param('message_id'));
  const back = (asked: Seen) =>
    addressOf(`/${asked.param('message_id')}`, placeOf(app, asked)).slice('/console'.length);
  const emailOf = async ({ notification_type, id }: InboxMessage) =>
    notification_type === 'email' ? findSentEmail(app, id) : undefined;

  async function inbox(asked: Seen, current: string | undefined) {
    const place = placeOf(app, asked);
    const found = await listInbox(app, asked.visitor.user, { ...place });
    return <Inbox {...found} place={place} current={current} now={app.clock.now()} />;
  }

  async function messageView(asked: Seen, draft: Draft): Promise<View> {
    const message = await messageOf(asked);
    const reader = (
      <Reader
        message={message}
        email={await emailOf(message)}
        possible={await possibleAnswers(app, message)}
        isHeld={app.config.providers.sandbox.receipts === 'hold'}
        place={placeOf(app, asked)}
        draft={draft}
        now={app.clock.now()}
        messagePage={messagePage(message)}
      />
    );
    return inboxView(asked, message.id, headingOf(message), reader);
  }

  function messagePage({ service_id, id }: InboxMessage): string | undefined {
    const path = '/services/:service_id/messages/:message_id';
    if (!pages.all.some((page) => page.path === path)) return undefined;
    return `/console${path.replace(':service_id', service_id).replace(':message_id', id)}`;
  }

  async function inboxView(
    asked: Seen,
    current: string | undefined,
    about: string | undefined,
    reader: ComponentChildren,
  ): Promise<View> {
    const place = placeOf(app, asked);
    return {
      title: 'Sandbox',
      ...(about ? { about } : {}),
      lead: 'Nothing here has left this machine.',
      actions: <span data-live-controls />,
      content: (
        <div class="stack">
          <SandboxToolbar place={place} />
          <div class="split">
            <section aria-label="Messages">
              <Live from={listAddress(place, current)}>{await inbox(asked, current)}</Live>
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

function listAddress(place: Place, current: string | undefined): string {
  const address = addressOf('/list', listPlace(place));
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
