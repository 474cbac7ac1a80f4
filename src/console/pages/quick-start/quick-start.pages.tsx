import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { printInSandbox } from '../../../letters/print/print-run.ts';
import { invalidField, notFound } from '../../../platform/failure.ts';
import { newId } from '../../../platform/id.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { hasRight, may, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../forms.ts';
import type { FormState, PageRequest, Pages, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { sendFragment } from '../../parts/live.tsx';
import { Empty } from '../../parts/notice.tsx';
import { findLastService } from '../../sessions/cookies.ts';
import { canPrintNow, findMessage, MessageProgress } from './message-progress.tsx';
import { QuickStart } from './quick-start.tsx';
import { createTestKey, readFields, type SentMessage, sendFromHere } from './quick-start-form.ts';
import { languages } from './snippets.ts';

type OfService = PageRequest<{ service: 'api'; membersOnly: true }>;

const Form = Type.Object({
  do: Type.Optional(OneOf(['show', 'key', 'send', 'look', 'print'])),
  api_key: Type.Optional(Type.String({ maxLength: 1_000 })),
  template_id: Type.Optional(Type.String()),
  channel: Type.Optional(Type.String()),
  to: Type.Optional(Type.String()),
  names: Type.Array(Type.String()),
  values: Type.Array(Type.String()),
  language: Type.Optional(OneOf(languages)),
  message_id: Type.Optional(Type.String({ format: 'uuid' })),
  once: Type.String({ format: 'uuid' }),
});

export function quickStartPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/quick-start', {
    who: 'signed-in',
    menu: 'Quick start',
    show: ({ visitor: { user }, http: request }) => {
      const mine = Object.keys(user.permissions).filter((id) => hasRight('api', user.permissions[id] ?? []));
      const last = findLastService(app, request);
      const id = mine.find((serviceId) => serviceId === last) ?? mine[0];
      return id === undefined ? noService : { to: `/services/${id}/quick-start` };
    },
  });

  async function view(
    request: OfService,
    formState: FormState,
    more: { sent?: SentMessage; newKey?: string; isWatching?: boolean } = {},
  ): Promise<View> {
    const { service, visitor, query } = request;
    // The page contains a key.
    request.reply.header('cache-control', 'no-store');
    const typed = more.newKey === undefined ? formState.typed : new Map([...formState.typed, ['api_key', more.newKey]]);
    const fields = await readFields(app, { user: visitor.user, service }, typed, query('template'));
    const shown = more.sent?.id ?? [typed.get('message_id') ?? ''].flat()[0] ?? '';
    const found = shown === '' ? undefined : await findMessage(app, service.id, shown);
    // Choosing another template starts another message.
    const message = found?.template.id === fields.template?.row.id ? found : undefined;
    return {
      title: t('Quick start'),
      scripts: ['quick-start'],
      content: (
        <QuickStart
          formState={{ typed, problems: formState.problems }}
          service={service}
          config={app.config}
          fields={fields}
          isNewKey={more.newKey !== undefined}
          sent={more.sent}
          message={message}
          isWatching={more.isWatching ?? false}
          once={newId(app.clock.now())}
          has={(path) => pages.all.some((page) => page.path === path && may(page.who, visitor.user, service) === 'yes')}
        />
      ),
    };
  }

  /** Does nothing if the letter has been printed in the meantime. */
  async function print(serviceId: string, messageId: string): Promise<void> {
    const message = messageId === '' ? undefined : await findMessage(app, serviceId, messageId);
    if (message && canPrintNow(app.config, message)) await printInSandbox(app, message.id);
  }

  pages.add('/services/:service_id/quick-start', {
    who: { service: 'api', membersOnly: true },
    menu: 'Quick start',
    show: view,
    form: Form,
    async act(request, form) {
      const { service, visitor } = request;
      const formState = { ...emptyForm, typed: new Map(Object.entries(form)) };
      switch (form.do) {
        case 'key':
          return view(request, formState, { newKey: await createTestKey(app, { user: visitor.user, service }) });
        case 'send': {
          const fields = await readFields(app, { user: visitor.user, service }, formState.typed);
          // Never sends another template than the chosen one, which may have been archived or hidden since.
          if (form.template_id && fields.template?.row.id !== form.template_id) {
            throw invalidField('template_id', t('Choose a template.'));
          }
          return view(request, formState, {
            sent: await sendFromHere(app, request.http, service.id, fields, form.once),
            isWatching: true,
          });
        }
        case 'print':
          await print(service.id, form.message_id ?? '');
          return view(request, formState, { isWatching: true });
        case 'look':
          return view(request, formState, { isWatching: true });
        default:
          return view(request, formState);
      }
    },
  });

  pages.add('/services/:service_id/quick-start/messages/:message_id', {
    who: { service: 'api', membersOnly: true },
    live: true,
    below: 'Quick start',
    async show({ service, param, http: request, reply }) {
      const message = await findMessage(app, service.id, param('message_id'));
      if (!message) throw notFound();
      return sendFragment(request, reply, <MessageProgress message={message} config={app.config} />);
    },
  });
}

const noService: View = {
  title: t('Quick start'),
  content: (
    <Empty
      title={t('You cannot manage API keys yet')}
      action={
        <ButtonLink to="/services/add" look="primary">
          {t('Add a service')}
        </ButtonLink>
      }
    >
      <T>Add a service of your own, or ask someone who manages a service for “{{ api: rightNames.api }}”.</T>
    </Empty>
  ),
};
