import { Type } from 'typebox';
import { listCallbacksAbout, replayCallback } from '../../../delivery/callbacks/callback-history.ts';
import { composeReceived } from '../../../delivery/previews/previews.ts';
import { t } from '../../../language/text.ts';
import { countLetterPages, previewLetter } from '../../../letters/preview/letter-preview.ts';
import { listAttempts } from '../../../notifications/attempts/attempts.ts';
import { cancelLetter } from '../../../notifications/history/activity.ts';
import { getShownMessage, type ShownMessage } from '../../../notifications/history/shown-message.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { sendAgain } from '../../../notifications/one-off/one-off.ts';
import { cancelHeld, findHeldZone, sendHeldNow } from '../../../notifications/windows/held-messages.ts';
import { invalid, notFound } from '../../../platform/failure.ts';
import { may, type Right } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { channelLabels, shortRecipient } from '../../message-labels.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { sendFragment } from '../../parts/live.tsx';
import { sendMailFrame, sendSentFile } from '../../parts/mail-frame.tsx';
import { LetterPages } from './as-received.tsx';
import { Message, Progress } from './message.tsx';
import { listEvents } from './timeline.tsx';

type Seen = PageRequest<{ service: 'messages' }>;

const path = '/services/:service_id/messages/:message_id';
const who = { service: 'messages' } as const;
const noFields = Type.Object({});

/** One message with all its details. */
export function messagePages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, { who, below: 'Messages', show: (request) => view(request) });

  pages.add(`${path}/progress`, {
    who,
    live: true,
    async show(request) {
      const message = await getMessage(request);
      return sendFragment(request.http, request.reply, (await progress(request, message)).content);
    },
  });

  pages.add(`${path}/email`, {
    who,
    async show(request) {
      const received = await composeReceived(app, await getMessage(request));
      if (received.channel !== 'email') throw notFound();
      return sendMailFrame(app, request.reply, received.message.html, { images: request.query('images') === 'remote' });
    },
  });

  pages.add('/services/:service_id/messages/:letter_id/letter', {
    who,
    live: true,
    async show({ service, param, http, reply }) {
      const { record, stored } = await getShownMessage(app, service.id, param('letter_id'), app.config.urls.api);
      if (record.notification_type !== 'letter') throw notFound();
      const pageCount = await countLetterPages(app.db, stored.id);
      const isWaiting = pageCount === null && unfinishedStatuses.some((status) => status === record.status);
      const path = pageUrl(`/services/${service.id}/messages/${param('letter_id')}`);
      return sendFragment(
        http,
        reply,
        <div data-live={isWaiting ? '' : undefined}>
          <LetterPages record={record} path={path} pageCount={pageCount} page={1} />
        </div>,
      );
    },
  });

  pages.add(`${path}/pdf`, {
    who,
    async show(request) {
      const id = request.param('message_id');
      const { content } = await previewLetter(app, request.service.id, id, 'pdf', 1);
      return sendSentFile(request.reply, 'application/pdf', content, `${id}.pdf`);
    },
  });

  pages.add(`${path}/pages/:page`, {
    who,
    async show(request) {
      const page = Number(request.param('page'));
      if (!Number.isInteger(page) || page < 1 || page > 100) throw notFound();
      const { content } = await previewLetter(app, request.service.id, request.param('message_id'), 'png', page);
      return sendSentFile(request.reply, 'image/png', content);
    },
  });

  pages.add(`${path}/cancel`, {
    who: { service: 'send' },
    below: 'Messages',
    // The form is on the page of the message, so this only shows it again with problems.
    show: (request, formState) => (formState.problems.size > 0 ? view(request) : { to: messagePath(request) }),
    form: noFields,
    async act(request) {
      await cancelLetter(app, request.service.id, request.param('message_id'));
      return { to: messagePath(request), notice: t('Letter cancelled.') };
    },
  });

  const whileHeld = [
    { below: 'send-now', does: sendHeldNow, notice: t('The message goes out now.') },
    { below: 'cancel-waiting', does: cancelHeld, notice: t('Message cancelled.') },
  ];
  for (const { below, does, notice } of whileHeld) {
    pages.add(`${path}/${below}`, {
      who: { service: 'send' },
      below: 'Messages',
      show: (request, formState) => (formState.problems.size > 0 ? view(request) : { to: messagePath(request) }),
      form: noFields,
      async act(request) {
        const message = await getMessage(request);
        if (message.record.held_until === undefined)
          throw invalid(t('This message does not wait for its sending time.'));
        await does(app, request.service.id, message.stored.id);
        return { to: messagePath(request), notice };
      },
    });
  }

  pages.add(`${path}/send-again`, {
    who: { service: 'send', membersOnly: true },
    below: 'Messages',
    show: (request, formState) => (formState.problems.size > 0 ? view(request) : { to: messagePath(request) }),
    form: noFields,
    async act(request) {
      const { service, visitor } = request;
      const { id } = await sendAgain(app, service.id, request.param('message_id'), visitor.user.id);
      return { to: `/services/${service.id}/messages/${id}`, notice: t('Message sent again. This is the new one.') };
    },
  });

  pages.add(`${path}/callbacks/:callback_id/replay`, {
    who: { service: 'api' },
    below: 'Messages',
    show: (request) => ({ to: messagePath(request) }),
    form: noFields,
    async act(request) {
      const message = await getMessage(request);
      const callbacks = await listCallbacksAbout(app.db, request.service.id, message.stored.id);
      if (!callbacks.some(({ id }) => id === request.param('callback_id'))) throw notFound();
      await replayCallback(app, request.service.id, request.param('callback_id'));
      return { to: messagePath(request), notice: t('Callback replayed to the current URL.') };
    },
  });

  type OfMessage = Pick<Seen, 'service' | 'visitor' | 'param'>;

  const messagePath = ({ service, param }: OfMessage) => `/services/${service.id}/messages/${param('message_id')}`;
  const getMessage = ({ service, param }: OfMessage) =>
    getShownMessage(app, service.id, param('message_id'), app.config.urls.api);
  const mayDo = ({ visitor, service }: OfMessage, right: Right, membersOnly?: true) =>
    may({ service: right, ...(membersOnly ? { membersOnly } : {}) }, visitor.user, service) === 'yes';

  async function progress(request: OfMessage, message: ShownMessage) {
    const { service } = request;
    const [attempts, callbacks] = await Promise.all([
      listAttempts(app.db, service.id, message.stored.id),
      listCallbacksAbout(app.db, service.id, message.stored.id),
    ]);
    const replayUrl = (id: string) => pageUrl(`${messagePath(request)}/callbacks/${id}/replay`);
    const isUnderWay = unfinishedStatuses.some((status) => status === message.record.status);
    const isOpen = isUnderWay || callbacks.some(({ status }) => status === 'waiting');
    return {
      isOpen,
      content: (
        <Progress
          record={message.record}
          heldZone={message.record.held_until && (await findHeldZone(app, message.stored))}
          events={listEvents(app.country, { message, attempts, callbacks })}
          isOpen={isOpen}
          replayUrl={mayDo(request, 'api') ? replayUrl : undefined}
          now={app.clock.now()}
        />
      ),
    };
  }

  async function view(request: OfMessage & Pick<Seen, 'query'>): Promise<View> {
    const message = await getMessage(request);
    const { record, stored } = message;
    const { content, isOpen } = await progress(request, message);
    const name = channelLabels[record.notification_type].name;
    const isLetter = record.notification_type === 'letter';
    return {
      title: t('{name} to {stored}', { name, stored: shortRecipient(app.country.phone, stored) }),
      crumbs: [{ label: t('Messages'), to: `/services/${request.service.id}/messages` }],
      scripts: ['drawer'],
      ...Message({
        message,
        received: await composeReceived(app, message),
        pageCount: isLetter ? await countLetterPages(app.db, stored.id) : null,
        path: pageUrl(messagePath(request)),
        display: {
          view: request.query('view') === 'text' ? 'text' : 'html',
          images: request.query('images') === 'remote',
          page: /^[1-9]\d?$/.test(request.query('page')) ? Number(request.query('page')) : 1,
        },
        may: { send: mayDo(request, 'send'), sendAsMember: mayDo(request, 'send', true) },
        templatePage: findTemplatePage(request.service.id, record.template.id),
        progress: content,
        isOpen,
        apiUrl: app.config.urls.api,
        now: app.clock.now(),
      }),
    };
  }

  function findTemplatePage(serviceId: string, templateId: string): string | undefined {
    const declared = '/services/:service_id/templates/:template_id';
    if (!pages.all.some((page) => page.path === declared)) return undefined;
    return pageUrl(declared.replace(':service_id', serviceId).replace(':template_id', templateId));
  }
}
