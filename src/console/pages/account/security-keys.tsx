import type { listSecurityKeys } from '../../../users/sign-in/security-keys.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Key = Awaited<ReturnType<typeof listSecurityKeys>>[number];

export function KeyTable({ keys, now }: { keys: readonly Key[]; now: Date }) {
  if (keys.length === 0) {
    return (
      <p class="muted">You have no security keys yet. A phone or computer that unlocks with a PIN can be one, too.</p>
    );
  }
  return (
    <Table
      caption="Your security keys"
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'Name',
          cell: ({ name, worksHere }) => (
            <>
              {name}
              {!worksHere && <small>Registered in another front end or for another address: does not work here</small>}
            </>
          ),
        },
        { head: 'Added', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: 'Last used',
          cell: ({ logged_in_at }) => (logged_in_at === null ? 'Never' : <Time at={logged_in_at} now={now} />),
        },
        {
          head: 'Actions',
          hidden: true,
          cell: ({ id, name }) => (
            <div class="row">
              <a class="button button--small" href={`/console/account/security-keys/${id}/name`}>
                Rename<span class="sr"> {name}</span>
              </a>
              <a class="button button--small" href={`/console/account/security-keys/${id}/delete`}>
                Delete<span class="sr"> {name}</span>
              </a>
            </div>
          ),
        },
      ]}
    />
  );
}

/** Whether a key is the only second step. */
export function OnlyKeys({ user, hasKeys }: { user: UserRecord; hasKeys: boolean }) {
  const isOn = user.auth_type === 'webauthn_auth';
  if (!isOn && !hasKeys) return null;
  return (
    <section class="card measure stack stack--tight" aria-labelledby="only-keys">
      <h2 id="only-keys">{isOn ? 'You sign in with keys only' : 'Other ways to sign in'}</h2>
      <p>
        {isOn
          ? 'After your password, nothing but a security key works.'
          : `After your password you use a key, or ${user.auth_type === 'sms_auth' ? 'a text code' : 'an email link'}.`}
      </p>
      <div>
        <a class="button" href="/console/account/security-keys/only">
          {isOn ? 'Allow another way' : 'Use keys only'}
        </a>
      </div>
    </section>
  );
}
