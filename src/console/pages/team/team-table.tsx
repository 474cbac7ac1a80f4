import { T } from '../../../language/sentence.tsx';
import { asIs, t } from '../../../language/text.ts';
import type { Service } from '../../../services/services.ts';
import { givenRights, hasRight } from '../../access/may.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import { Confirm } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type Folder, type Member, methodNames } from './team.ts';

/** Column headings; `rightNames` has the long forms. */
const heads = {
  activity: t('See dashboard'),
  send: t('Send'),
  templates: t('Templates'),
  manage: t('Manage'),
  api: asIs('API'),
};

interface Invite {
  id: string;
  email_address: string;
  permissions: string;
  auth_type: Member['auth_type'];
  created_at: string;
  invitedBy: string;
}

interface TeamTableProps {
  service: Pick<Service, 'id'>;
  visitorId: string;
  mayChange: boolean;
  members: readonly Member[];
  invites: readonly Invite[];
  folders: readonly Folder[];
  now: Date;
}

type Row = { permissions: readonly string[]; auth_type: Member['auth_type'] } & (
  | { member: Member; invite?: never }
  | { invite: Invite; member?: never }
);

export function TeamTable({ service, visitorId, mayChange, members, invites, folders, now }: TeamTableProps) {
  const team = pageUrl(`/services/${service.id}/team`);
  const rows: Row[] = [
    ...members.map((member) => ({ member, permissions: member.permissions, auth_type: member.auth_type })),
    ...invites.map((invite) => ({
      invite,
      permissions: invite.permissions.split(','),
      auth_type: invite.auth_type,
    })),
  ];
  return (
    <Table
      caption={t('Team members and what they can do')}
      matrix
      rows={rows}
      keyOf={({ member, invite }) => (member ?? invite).id}
      columns={[
        {
          head: t('Name'),
          cell: (row) =>
            row.member ? (
              <MemberName member={row.member} isVisitor={row.member.id === visitorId} folders={folders} />
            ) : (
              <>
                {row.invite.email_address}
                <small class="status status--sending">
                  <Icon name="clock" />
                  <span>
                    <T>
                      Invited by <bdi>{{ invitedBy: row.invite.invitedBy }}</bdi>,{' '}
                      <Time at={row.invite.created_at} now={now} />
                    </T>
                  </span>
                </small>
              </>
            ),
        },
        ...givenRights.map((right) => ({
          head: heads[right],
          cell: ({ permissions }: Row) => <Tick isHeld={hasRight(right, permissions)} />,
        })),
        {
          head: t('Second sign-in step'),
          cell: ({ auth_type }) => <span class="nowrap">{methodNames[auth_type]}</span>,
        },
        {
          head: t('Actions'),
          hidden: true as const,
          cell: (row: Row) => {
            if (!mayChange) return null;
            if (row.invite) return <CancelInvite team={team} invite={row.invite} />;
            return (
              <a href={`${team}/${row.member.id}`}>
                <T>
                  Change<span class="sr"> {{ name: row.member.name }}</span>
                </T>
              </a>
            );
          },
        },
      ]}
    />
  );
}

function MemberName({
  member,
  isVisitor,
  folders,
}: {
  member: Member;
  isVisitor: boolean;
  folders: readonly Folder[];
}) {
  return (
    <>
      <bdi>{member.name}</bdi> {isVisitor && <span class="badge">{t('You')}</span>}
      {member.state === 'pending' && <span class="badge tone-amber">{t('Not confirmed')}</span>}
      <small>{member.email_address}</small>
      {member.missing.length > 0 && (
        <small class="muted">
          {member.missing.length === folders.length
            ? t('Sees no folders')
            : t('Does not see {folders}', { folders: member.missing.map(({ path }) => `“${path}”`).join(', ') })}
        </small>
      )}
    </>
  );
}

function Tick({ isHeld }: { isHeld: boolean }) {
  return isHeld ? (
    <>
      <Icon name="check" />
      <span class="sr">{t('Yes')}</span>
    </>
  ) : (
    <span class="muted">
      –<span class="sr"> {t('No')}</span>
    </span>
  );
}

function CancelInvite({ team, invite }: { team: string; invite: Invite }) {
  return (
    <Confirm
      label={
        <T>
          Cancel<span class="sr"> invitation to {{ emailAddress: invite.email_address }}</span>
        </T>
      }
      action={t('Cancel the invitation')}
      to={`${team}/invitations/cancel`}
      fields={{ invite_id: invite.id }}
    >
      <T>The link we sent to {{ emailAddress: invite.email_address }} will stop working.</T>
    </Confirm>
  );
}

/** Shown below the table to people who give rights. */
export function RightsExplained() {
  return (
    <details class="more">
      <summary>
        {t('What the permissions mean')}
        <Icon name="chevron" small />
      </summary>
      <dl class="facts measure">
        <dt>{t('See dashboard')}</dt>
        <dd>{t('Home, received texts, unsubscribe requests and returned letters')}</dd>
        <dt>{t('Send')}</dt>
        <dd>{t('Send to one person or upload a list, and cancel letters')}</dd>
        <dt>{t('Templates')}</dt>
        <dd>{t('Add, edit, move and archive templates')}</dd>
        <dt>{t('Manage')}</dt>
        <dd>{t('Settings, team and usage')}</dd>
        <dt>{t('API')}</dt>
        <dd>{t('Keys, callbacks, the guest list and refused requests')}</dd>
      </dl>
      <p class="small muted">{t('Every member sees templates and messages.')}</p>
    </details>
  );
}

interface JoinRequestsProps {
  service: { id: string };
  visitorId: string;
  requests: readonly {
    id: string;
    name: string;
    email_address: string;
    created_at: string;
    contacted_user_ids: string[];
  }[];
  now: Date;
}

/** Only people who were asked can decide. */
export function JoinRequests({ service, visitorId, requests, now }: JoinRequestsProps) {
  if (requests.length === 0) return null;
  return (
    <section class="card attention" aria-labelledby="requests">
      <div class="card-head">
        <h2 id="requests">{t('Requests to join')}</h2>
      </div>
      <ul class="list">
        {requests.map(({ id, name, email_address, created_at, contacted_user_ids }) => (
          <li key={id}>
            <Icon name="user" />
            <span>
              <bdi>{name}</bdi> <bdi class="muted">{email_address}</bdi>, <Time at={created_at} now={now} />
            </span>
            {contacted_user_ids.includes(visitorId) ? (
              <a href={pageUrl(`/services/${service.id}/join-request/${id}/approve`)}>
                <T>
                  Decide<span class="sr"> about {{ name }}</span>
                </T>
              </a>
            ) : (
              <span class="muted">{t('Asked another manager')}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
