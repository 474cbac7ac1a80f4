import { Type } from 'typebox';
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
import { keepSearch, pageUrl, readSearch, withQuery } from '../../links.ts';
import type { FormState, Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { Confirm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { OlderPager, pageSize } from '../../parts/pager.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { YesNo, yesOrNo } from '../../setting-page.tsx';
import { addServiceSetting, settingsOf, team, withPermission } from './service-setting.ts';

const path = 'email/suppression-list';
const here = `/services/:service_id/settings/${path}`;

/** Addresses that the service does not send to. An address is in forms only, or encrypted in the address of a page. */
export function suppressionPages(pages: Pages, app: ConsoleApp): void {
  const listOf = (service: { id: string }) => `${settingsOf(service)}/${path}`;
  const crumbs = (service: { id: string }) => [
    { label: 'Settings', to: settingsOf(service) },
    { label: 'Suppression list', to: listOf(service) },
  ];

  pages.add(here, {
    who: team,
    below: 'Settings',
    name: 'Suppression list',
    async show({ service, visitor, query }, formState) {
      const isOn = service.permissions.includes(suppressRecipients);
      const sought = readSearch(app, visitor, query('q'));
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const found = sought === '' ? undefined : await findSuppression(app, service.id, sought);
      const page =
        sought === ''
          ? await listSuppressions(app, service.id, { older_than, size: pageSize })
          : { entries: found ? [found] : [], hasOlder: false };
      const address = pageUrl(listOf(service));
      return {
        title: 'Suppression list',
        lead: isOn
          ? 'Emails to these addresses are refused: they bounced, or the person complained or unsubscribed.'
          : 'The list is off: emails are sent to every address, and nothing is added.',
        crumbs: [{ label: 'Settings', to: settingsOf(service) }],
        actions: (
          <>
            <a class="button" href={`${address}/csv`}>
              Download CSV
            </a>
            <a
              class={isOn ? 'button' : 'button button--primary'}
              href={pageUrl(`${settingsOf(service)}/email/suppression`)}
            >
              {isOn ? 'Switch off' : 'Switch on'}
            </a>
          </>
        ),
        content: (
          <SuppressionList
            {...page}
            formState={formState}
            sought={sought}
            address={address}
            messages={pageUrl(`/services/${service.id}/messages`)}
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
      const { id, email_address, reason } = await getSuppression(app, service.id, param('suppressed_id'));
      const advice =
        reason === 'hard-bounce'
          ? 'Lift it if the mailbox exists again: an email that bounces adds the address again.'
          : 'Lift it only if the person asked you to: they did not want your emails.';
      return {
        title: email_address,
        about: 'Suppressed recipient',
        lead: `${reasonWords[reason]}. ${advice}`,
        crumbs: crumbs(service),
        content: (
          <Confirm
            label="Lift"
            action={`Send emails to ${email_address} again`}
            to={pageUrl(`${listOf(service)}/${id}`)}
          >
            The address leaves the list. The audit log records who lifted it.
          </Confirm>
        ),
      };
    },
    form: Type.Object({}),
    async act({ service, param }) {
      const { email_address } = await getSuppression(app, service.id, param('suppressed_id'));
      await liftSuppression(app, service.id, email_address);
      return { to: listOf(service), notice: 'The address is lifted. Emails to it are sent again.' };
    },
  });

  addServiceSetting(pages, {
    path: 'email/suppression',
    who: team,
    title: 'Keep a suppression list',
    lead: 'Addresses that bounce, complain or unsubscribe get no more emails from this service until you lift them.',
    fields: ({ permissions }, formState) => (
      <YesNo
        formState={formState}
        legend="Keep a suppression list"
        isYes={permissions.includes(suppressRecipients)}
        hints={{
          yes: 'Requests to send to a listed address are refused; rows of files fail at once. Emails accepted before are still sent.',
          no: 'Emails are sent to every address. The list stays, and counts again when you switch it on.',
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

const reasonWords: Record<SuppressionReason, string> = {
  'hard-bounce': 'Bounced',
  complaint: 'Complained',
  unsubscribe: 'Unsubscribed',
};

interface ListProps {
  entries: readonly SuppressedRecipient[];
  hasOlder: boolean;
  formState: FormState;
  /** The address that was searched for. */
  sought: string;
  /** The URLs of the list and of the messages. */
  address: string;
  messages: string;
  olderThan: string | undefined;
  isOn: boolean;
  now: Date;
}

function SuppressionList(props: ListProps) {
  const { entries, hasOlder, formState, sought, address, olderThan, isOn } = props;
  if (entries.length === 0 && sought === '' && olderThan === undefined) {
    return (
      <Empty title="No address is on the list">
        {isOn
          ? 'Addresses that bounce, complain or unsubscribe appear here.'
          : 'Switch the list on, and addresses that bounce, complain or unsubscribe appear here.'}
      </Empty>
    );
  }
  return (
    <div class="stack">
      <form class="measure" method="post" action={address} noValidate>
        <Field
          formState={formState}
          name="email_address"
          label="Find an address"
          hint="The whole address."
          type="search"
          value={sought}
          autocomplete="off"
          beside={
            <button class="button" type="submit">
              Find
            </button>
          }
        />
      </form>
      {sought !== '' && (
        <p>
          {entries.length === 0 && 'This address is not on the list. '}
          <a href={address}>Show the whole list</a>
        </p>
      )}
      {entries.length > 0 && <Entries {...props} />}
      <OlderPager
        rows={entries}
        noun="addresses"
        olderThan={olderThan}
        to={(older_than) => withQuery(address, { older_than })}
        hasOlder={hasOlder}
      />
    </div>
  );
}

function Entries({ entries, address, messages, now }: ListProps) {
  return (
    <Table
      caption="Suppressed recipients, newest first"
      middle
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Email address', cell: ({ email_address }) => email_address },
        { head: 'Reason', cell: ({ reason }) => reasonWords[reason] },
        { head: 'Since', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: 'Message',
          cell: ({ email_address, notification_id }) => (
            <a href={`${messages}/${notification_id}`}>
              Open<span class="sr"> the message to {email_address}</span>
            </a>
          ),
        },
        {
          head: 'Actions',
          hidden: true,
          cell: ({ id, email_address }) => (
            <a class="button button--small" href={`${address}/${id}`}>
              Lift<span class="sr"> {email_address}</span>
            </a>
          ),
        },
      ]}
    />
  );
}
