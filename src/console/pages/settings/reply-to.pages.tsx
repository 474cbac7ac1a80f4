import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { invalid, invalidField } from '../../../platform/failure.ts';
import { parseEmailAddress } from '../../../recipients/email-address.ts';
import {
  archiveReplyTo,
  checkReplyTo,
  createReplyTo,
  getReplyTo,
  listReplyTos,
  updateReplyTo,
} from '../../../services/senders/senders.ts';
import { platformServiceId } from '../../../users/platform-user.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, pageUrl, readSearch } from '../../links.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { ButtonLink, Submit } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { Status } from '../../parts/status.tsx';
import { findMessage } from '../quick-start/message-progress.tsx';
import { addSenderPages } from './sender-pages.tsx';
import { settingsOf, team } from './service-setting.ts';

/** An address that was typed and is being checked. Kept in the address of the page, encrypted for this person. */
interface Checked {
  email_address: string;
  is_default: boolean;
  message_id: string;
}

const path = 'email/reply-to';
type OfTeam = PageRequest<typeof team>;

export function replyToPages(pages: Pages, app: ConsoleApp): void {
  const listOf = (service: { id: string }) => `${settingsOf(service)}/${path}`;

  addSenderPages(pages, {
    path,
    param: 'reply_to_id',
    title: t('Reply-to addresses'),
    lead: t('Where replies to your emails go.'),
    texts: {
      add: t('Add a reply-to address'),
      added: t('Reply-to address added.'),
      change: t('Change the reply-to address'),
      saved: t('Reply-to address saved.'),
      archive: t('Archive the reply-to address'),
      archived: t('Reply-to address archived.'),
      enter: t('Enter the reply-to address.'),
    },
    none: { title: t('No reply-to addresses yet'), text: t('Add an address so people can reply to your emails.') },
    list: (serviceId) => listReplyTos(app.db, serviceId),
    get: (serviceId, id) => getReplyTo(app.db, serviceId, id),
    valueOf: ({ email_address }) => email_address,
    field: (formState, value) => (
      <Field
        formState={formState}
        name="value"
        label={t('Email address')}
        hint={value === undefined ? t('We will send a test email there first.') : undefined}
        type="email"
        value={value}
        autocomplete="off"
      />
    ),
    check(value) {
      if (!parseEmailAddress(value).ok)
        throw invalidField('value', t('Enter an email address in the correct format, such as name@example.org.'));
    },
    async create({ service, visitor }, { value, is_default }) {
      const isFirst = (await listReplyTos(app.db, service.id)).length === 0;
      const request = { email_address: value, is_default: is_default || isFirst };
      if (visitor.user.platform_admin) {
        await createReplyTo(app, service.id, request);
        return undefined;
      }
      const message_id = await checkReplyTo(app, service.id, value);
      const about = keepSearch(app, visitor, JSON.stringify({ ...request, message_id }));
      return { to: `${listOf(service)}/check?${new URLSearchParams({ about })}` };
    },
    async update(serviceId, id, { value, is_default }) {
      const { email_address } = await getReplyTo(app.db, serviceId, id);
      if (value !== email_address)
        throw invalidField('value', t('Add this as another address, so that we can test it.'));
      await updateReplyTo(app, serviceId, id, { email_address, is_default });
    },
    archive: (serviceId, id) => archiveReplyTo(app, serviceId, id),
  });

  function readChecked({ visitor, query }: OfTeam): Checked | undefined {
    const text = readSearch(app, visitor, query('about'));
    return text === '' ? undefined : (JSON.parse(text) as Checked);
  }

  async function stateOf({ message_id }: Checked): Promise<CheckState> {
    const message = await findMessage(app, platformServiceId, message_id);
    const status = message?.status ?? 'failed';
    if (status === 'delivered' || status === 'sent') return 'delivered';
    return /fail/.test(status) ? 'failed' : 'waiting';
  }

  pages.add(`/services/:service_id/settings/${path}/check`, {
    who: team,
    below: 'Settings',
    async show(request) {
      const checked = readChecked(request);
      if (!checked) return { to: listOf(request.service) };
      const state = await stateOf(checked);
      const content = <ReplyToCheck checked={checked} state={state} list={listOf(request.service)} />;
      const from = pageUrl(
        `${listOf(request.service)}/check/status?${new URLSearchParams({ about: request.query('about') })}`,
      );
      return {
        title: t('Test of the reply-to address'),
        crumbs: [
          { label: t('Settings'), to: settingsOf(request.service) },
          { label: t('Reply-to addresses'), to: listOf(request.service) },
        ],
        content: state === 'waiting' ? <Live from={from}>{content}</Live> : content,
      };
    },
    form: Type.Object({}),
    async act(request) {
      const checked = readChecked(request);
      if (!checked) return { to: listOf(request.service) };
      if ((await stateOf(checked)) !== 'delivered')
        throw invalid(t('Wait until the test email is delivered, or use another address.'));
      const { email_address, is_default } = checked;
      await createReplyTo(app, request.service.id, { email_address, is_default });
      return { to: listOf(request.service), notice: t('Reply-to address added.') };
    },
  });

  pages.add(`/services/:service_id/settings/${path}/check/status`, {
    who: team,
    live: true,
    async show(request) {
      const checked = readChecked(request);
      if (!checked) return { to: listOf(request.service) };
      const state = await stateOf(checked);
      const content = <ReplyToCheck checked={checked} state={state} list={listOf(request.service)} />;
      return sendFragment(
        request.http,
        request.reply,
        <div data-live={state === 'waiting' || undefined}>{content}</div>,
      );
    },
  });
}

type CheckState = 'waiting' | 'delivered' | 'failed';

interface ReplyToCheckProps {
  checked: { email_address: string };
  state: CheckState;
  list: string;
}

/** Shows the result of the test email, and what to do next. */
function ReplyToCheck({ checked: { email_address }, state, list }: ReplyToCheckProps) {
  if (state === 'delivered') {
    return (
      <form class="stack measure" method="post">
        <p role="status">
          <Status kind="delivered">{t('Delivered')}</Status>{' '}
          <T>The test email reached {{ emailAddress: email_address }}.</T>
        </p>
        <Submit>{t('Add the address')}</Submit>
      </form>
    );
  }
  return (
    <div class="stack measure">
      <p role="status">
        {state === 'waiting' ? (
          <>
            <Status kind="sending">{t('Sending')}</Status>{' '}
            <T>
              A test email is on its way to {{ emailAddress: email_address }}. That can take a few seconds. Reload the
              page if it does not change.
            </T>
          </>
        ) : (
          <>
            <Status kind="failed">{t('Failed')}</Status>{' '}
            <T>The test email did not reach {{ emailAddress: email_address }}.</T>
          </>
        )}
      </p>
      <p class="row">
        <ButtonLink to={`${list}/add`}>{t('Try again or use another address')}</ButtonLink>
        <a href={pageUrl(list)}>{t('Reply-to addresses')}</a>
      </p>
    </div>
  );
}
