import type { Held, HeldCounts } from '../../../operations/recipients/find-recipient.ts';
import { heldKinds } from '../../../operations/recipients/find-recipient.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Table } from '../../parts/table.tsx';

const kindNames: Record<(typeof heldKinds)[number], string> = {
  notification: 'Messages',
  inbound_text: 'Received texts',
  file_row: 'Rows of files',
  contact_list_row: 'Rows of contact lists',
  document: 'Files sent by email',
  unsubscribe_request: 'Unsubscribe requests',
  suppressed_recipient: 'Suppression lists',
  complaint: 'Complaints',
  guest_list: 'Guest lists',
  callback: 'Callbacks',
};

interface HeldProps {
  /** Where the forms are sent. */
  path: string;
  /** As it was typed: part of the forms, never of an address. */
  recipient: string;
  held: Held;
  /** Within one service, the name of it need not be repeated. */
  ofService: boolean;
}

/** What is held about one person, and what can be done with it. */
export function HeldView({ path, recipient, held, ofService }: HeldProps) {
  const sum = countOf(held.total);
  if (sum === 0) {
    return (
      <div class="empty">
        <h2>Nothing is held about {recipient}</h2>
        <p>
          Check the address or number. Of letters, each line must be written as it was sent: the name and the postcode
          are enough.
        </p>
      </div>
    );
  }
  const kinds = heldKinds.filter((kind) => held.total[kind] > 0);
  const shown = kinds.map((kind) => ({ kind, services: held.services.filter(({ counts }) => counts[kind] > 0) }));
  return (
    <section class="stack" aria-labelledby="held">
      <h2 id="held">Held about {recipient}</h2>
      <Table
        caption="What is held, and where"
        rows={shown}
        keyOf={({ kind }) => kind}
        columns={[
          { head: 'Kind', cell: ({ kind }) => kindNames[kind] },
          ...(ofService
            ? []
            : [
                {
                  head: 'Services',
                  cell: ({ kind, services }: (typeof shown)[number]) => (
                    <ul class="plain">
                      {services.map(({ service_id, service_name, counts }) => (
                        <li key={service_id}>
                          {service_name} <span class="muted">{counts[kind].toLocaleString('en-GB')}</span>
                        </li>
                      ))}
                    </ul>
                  ),
                },
              ]),
          {
            head: 'Count',
            numeric: true as const,
            cell: ({ kind }: (typeof shown)[number]) => held.total[kind].toLocaleString('en-GB'),
          },
        ]}
      />
      <div class="stack stack--tight">
        <form method="post" action={path}>
          <input type="hidden" name="do" value="export" />
          <input type="hidden" name="recipient" value={recipient} />
          <button class="button" type="submit">
            Download everything
          </button>
        </form>
        <Confirm
          label="Erase"
          action={`Erase everything about ${recipient}`}
          to={path}
          fields={{ do: 'erase', recipient }}
        >
          Texts, values, files and rows about {recipient} are erased and cannot be restored. Numbers of messages,
          statuses and costs stay. What is still being sent is left, and can be erased later.
          {held.total.suppressed_recipient > 0 &&
            ' The address leaves the suppression list, so that emails to it are sent again.'}
        </Confirm>
      </div>
    </section>
  );
}

function countOf(counts: HeldCounts): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
