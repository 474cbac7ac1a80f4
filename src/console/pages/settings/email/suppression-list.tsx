import type { SuppressedRecipient, SuppressionReason } from '../../../../services/suppression/suppression-list.ts';
import { count } from '../../../money.ts';
import type { FormState } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { Pager } from '../../../parts/pager.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';

export const reasonWords: Record<SuppressionReason, string> = {
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
  /** Of the list, and of the messages. */
  address: string;
  messages: string;
  newest: boolean;
  isOn: boolean;
  now: Date;
}

export function SuppressionList(props: ListProps) {
  const { entries, hasOlder, formState, sought, address, newest, isOn } = props;
  if (entries.length === 0 && sought === '' && newest) {
    return (
      <div class="empty">
        <h2>No address is on the list</h2>
        <p>
          {isOn
            ? 'Addresses that bounce, complain or unsubscribe appear here.'
            : 'Switch the list on, and addresses that bounce, complain or unsubscribe appear here.'}
        </p>
      </div>
    );
  }
  const last = entries.at(-1);
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
      {(hasOlder || !newest) && (
        <Pager
          shown={`${count(entries.length)} addresses`}
          newer={newest ? undefined : address}
          older={hasOlder && last ? `${address}?older_than=${last.id}` : undefined}
        />
      )}
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
