import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

interface TeamListProps {
  path: string;
  people: readonly { id: string; name: string; email_address: string; makesLive: boolean }[];
  invites: readonly { id: string; email_address: string; created_at: string }[];
  mayChange: boolean;
  now: Date;
}

const maxShown = 200;

export function TeamList({ path, people, invites, mayChange, now }: TeamListProps) {
  return (
    <>
      {people.length === 0 ? (
        <div class="empty">
          <h2>No members</h2>
          <p>Members of an organisation see all its services. They need not be in a team.</p>
        </div>
      ) : (
        <Table
          caption="Members"
          rows={people.slice(0, maxShown)}
          keyOf={({ id }) => id}
          columns={[
            {
              head: 'Member',
              cell: ({ id, name, email_address }) => (
                <>
                  {mayChange ? <a href={`${path}/${id}`}>{name}</a> : name}
                  <small>{email_address}</small>
                </>
              ),
            },
            { head: 'Makes services live', cell: ({ makesLive }) => (makesLive ? 'Yes' : 'No') },
          ]}
        />
      )}
      {people.length > maxShown && <p class="small muted">The first {maxShown} are shown.</p>}
      {invites.length > 0 && (
        <section class="stack" aria-labelledby="invited">
          <h2 id="invited">Invited</h2>
          <Table
            caption="Invitations"
            rows={invites.slice(0, maxShown)}
            keyOf={({ id }) => id}
            columns={[
              { head: 'Email address', cell: ({ email_address }) => email_address },
              { head: 'Since', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
              {
                head: 'Cancel',
                hidden: true,
                cell: ({ id, email_address }) =>
                  mayChange && (
                    <form method="post" action={`${path}/invitations/cancel`}>
                      <input type="hidden" name="invite_id" value={id} />
                      <button class="button button--small" type="submit">
                        Cancel<span class="sr"> the invitation to {email_address}</span>
                      </button>
                    </form>
                  ),
              },
            ]}
          />
        </section>
      )}
    </>
  );
}
