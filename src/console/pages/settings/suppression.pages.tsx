import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, joined, type Text, t } from '../../../language/text.ts';
import { fromStandby } from '../../../platform/db/servers/standby.ts';
import { csvLine, sendCsv } from '../../../platform/http/csv.ts';
import { isUuid } from '../../../platform/id.ts';
import { updateService } from '../../../services/service-update.ts';
import {
  allSuppressions,
  findSuppression,
  getSuppression,
  liftSuppression,
  listSuppressions,
  type SuppressedRecipient,
  type SuppressionReason,
  suppressRecipients,
} from '../../../services/suppression/suppression-list.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, pageUrl, readSearch } from '../../links.ts';
import type { FormState, Pages } from '../../page.ts';
import { ButtonLink, Confirm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { pageSize } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { SearchedList } from './searched-list.tsx';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

const path = 'email/suppression-list';
const here = `/services/:service_id/settings/${path}`;

/** Addresses that the service does not send to. An address is in forms only, or encrypted in the address of a page. */
export function suppressionPages(pages: Pages, app: ConsoleApp): void {
  const listOf = (service: { id: string }) => `${settingsOf(service)}/${path}`;
  const crumbs = (service: { id: string }) => [
    { label: t('Settings'), to: settingsOf(service) },
    { label: t('Suppression list'), to: listOf(service) },
  ];

  pages.add(here, {
    who: team,
    below: 'Settings',
    name: t('Suppression list'),
    async show({ service, visitor, query }, formState) {
      const isOn = service.permissions.includes(suppressRecipients);
      const sought = readSearch(app, visitor, query('q'));
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const found = sought === '' ? undefined : await findSuppression(app.db, service.id, sought);
      const page =
        sought === ''
          ? await listSuppressions(app.db, service.id, { older_than, size: pageSize })
          : { entries: found ? [found] : [], hasOlder: false };
      return {
        title: t('Suppression list'),
        lead: isOn
          ? t('We refuse emails to these addresses: an email bounced, or the person reported spam or unsubscribed.')
          : t('The list is off. We send emails to every address, and add none to the list.'),
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        actions: (
          <>
            <ButtonLink to={`${listOf(service)}/csv`}>{t('Download CSV')}</ButtonLink>
            <ButtonLink to={`${settingsOf(service)}/email/suppression`} look={isOn ? undefined : 'primary'}>
              {isOn ? t('Switch off') : t('Switch on')}
            </ButtonLink>
          </>
        ),
        content: (
          <SuppressionList
            {...page}
            formState={formState}
            sought={sought}
            list={listOf(service)}
            messages={`/services/${service.id}/messages`}
            olderThan={older_than}
            isOn={isOn}
            now={app.clock.now()}
          />
        ),
      };
    },
    form: Type.Object({ email_address: Type.Optional(Type.String({ maxLength: 320, format: 'email' })) }),
    onlyReads: true,
    act: ({ service, visitor }, { email_address = '' }) => ({
      to: `${listOf(service)}?${new URLSearchParams({ q: keepSearch(app, visitor, email_address) })}`,
    }),
  });

  pages.add(`${here}/csv`, {
    who: team,
    async show({ service, reply }) {
      const parts = await fromStandby(app, 'file', async (reader) => csvOf(reader, service.id));
      return { sent: sendCsv(reply, `${service.name} suppression list.csv`, parts) };
    },
  });

  async function* csvOf(reader: ConsoleApp, serviceId: string): AsyncGenerator<string> {
    yield csvLine(['email_address', 'reason', 'created_at', 'notification_id']);
    for await (const entries of allSuppressions(reader, serviceId)) {
      yield entries
        .map(({ email_address, reason, created_at, notification_id }) =>
          csvLine([email_address, reason, created_at, notification_id]),
        )
        .join('');
    }
  }

  pages.add(`${here}/:suppressed_id`, {
    who: team,
    below: 'Settings',
    async show({ service, param }) {
      const { id, email_address, reason } = await getSuppression(app.db, service.id, param('suppressed_id'));
      const advice =
        reason === 'hard-bounce'
          ? t('Remove the address if the mailbox works again. An email that bounces adds it again.')
          : t('Remove the address only if the person asked you to. They did not want your emails.');
      return {
        title: asIs(email_address),
        about: t('Suppressed recipient'),
        lead: joined([reasonSentences[reason], advice]),
        crumbs: crumbs(service),
        content: (
          <Confirm
            label={t('Remove')}
            action={t('Send emails to {emailAddress} again', { emailAddress: email_address })}
            to={pageUrl(`${listOf(service)}/${id}`)}
          >
            {t('We will send emails to this address again. The audit log records who removed it from the list.')}
          </Confirm>
        ),
      };
    },
    form: Type.Object({}),
    async act({ service, param }) {
      const { email_address } = await getSuppression(app.db, service.id, param('suppressed_id'));
      await liftSuppression(app, service.id, email_address);
      return { to: listOf(service), notice: t('Address removed. We will send emails to it again.') };
    },
  });

  addServiceSetting(pages, {
    path: 'email/suppression',
    who: team,
    title: t('Keep a suppression list'),
    lead: t(
      'Addresses that bounce, complain or unsubscribe get no more emails from this service until you remove them from this list.',
    ),
    fields: ({ permissions }, formState) => (
      <YesNo
        formState={formState}
        legend={t('Keep a suppression list')}
        isYes={permissions.includes(suppressRecipients)}
        hints={{
          yes: t(
            'We refuse requests to send to an address on the list, and rows of files fail at once. We still send emails that we have accepted before.',
          ),
          no: t('We send emails to every address. We keep the list, and use it again when you switch it on.'),
        }}
      />
    ),
    ...yesOrNo,
    async save(service, { value }) {
      const permissions = withPermission(service, suppressRecipients, value === 'yes');
      await updateService(app, service.id, { permissions });
      return undefined;
    },
  });
}

const reasonLabels: Record<SuppressionReason, Text> = {
  'hard-bounce': t('Bounced'),
  complaint: t('Reported spam'),
  unsubscribe: t('Unsubscribed'),
};

/** The same as sentences. */
const reasonSentences: Record<SuppressionReason, Text> = {
  'hard-bounce': t('Bounced.'),
  complaint: t('Reported spam.'),
  unsubscribe: t('Unsubscribed.'),
};

interface ListProps {
  entries: readonly SuppressedRecipient[];
  hasOlder: boolean;
  formState: FormState;
  /** The address that was searched for. */
  sought: string;
  /** Where the list and the messages are, below /console. */
  list: string;
  messages: string;
  olderThan: string | undefined;
  isOn: boolean;
  now: Date;
}

function SuppressionList(props: ListProps) {
  const { entries, sought, olderThan, isOn } = props;
  if (entries.length === 0 && sought === '' && olderThan === undefined) {
    return (
      <Empty title={t('No addresses on the list')}>
        {isOn
          ? t('Addresses appear here when an email bounces, or a person reports spam or unsubscribes.')
          : t(
              'Switch the list on. Addresses then appear here when an email bounces, or a person reports spam or unsubscribes.',
            )}
      </Empty>
    );
  }
  return (
    <SearchedList
      {...props}
      field={{ name: 'email_address', label: t('Find an address'), hint: t('Enter the whole address.') }}
      absent={t('This address is not on the list.')}
      shown={t('{count, plural, other {# addresses}}', { count: entries.length })}
    >
      <Entries {...props} />
    </SearchedList>
  );
}

function Entries({ entries, list, messages, now }: ListProps) {
  return (
    <Table
      caption={t('Suppressed recipients, newest first')}
      middle
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { head: t('Email address'), cell: ({ email_address }) => email_address },
        { head: t('Reason'), cell: ({ reason }) => reasonLabels[reason] },
        { head: t('Since'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: t('Message'),
          cell: ({ email_address, notification_id }) => (
            <a href={pageUrl(`${messages}/${notification_id}`)}>
              <T>
                Open<span class="sr"> the message to {{ emailAddress: email_address }}</span>
              </T>
            </a>
          ),
        },
        {
          head: t('Actions'),
          hidden: true,
          cell: ({ id, email_address }) => (
            <ButtonLink to={`${list}/${id}`} small>
              <T>
                Remove<span class="sr"> {{ emailAddress: email_address }}</span>
              </T>
            </ButtonLink>
          ),
        },
      ]}
    />
  );
}
