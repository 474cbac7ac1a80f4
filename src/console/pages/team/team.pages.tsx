import { Type } from 'typebox';
import { inEnglish, joined, type Text, t } from '../../../language/text.ts';
import { csvText, sendCsv } from '../../../platform/http/csv.ts';
import { Uuid } from '../../../protocol/fields.ts';
import { listPendingJoinRequests } from '../../../users/invites/join-requests.ts';
import { getServiceInvite, listServiceInvites, updateServiceInvite } from '../../../users/invites/service-invites.ts';
import { listUserRecords } from '../../../users/user-record.ts';
import { givenRights, may, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Icon } from '../../layout/icon.tsx';
import { keepSearch, pageUrl, readSearch, withQuery } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { ListSearch } from '../../parts/list-search.tsx';
import { OffsetPager, pageNumber } from '../../parts/pager.tsx';
import { listFolderPaths, listMembers, type Member, methodNames, rightsOf } from './team.ts';
import { JoinRequests, RightsExplained, TeamTable } from './team-table.tsx';

/** Above this number of members, the page has a search. */
const maxWithoutSearch = 7;
/** Each row has an icon per right, so fewer rows than in other lists keep the page below 40 kB. */
const rowsPerPage = 20;

export function teamPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/team', {
    // People who can only send do not need it.
    who: { service: ['activity', 'templates', 'manage', 'api'], organisation: true },
    menu: 'Team',
    async show({ service, visitor, query }) {
      const mayChange = may({ service: 'manage' }, visitor.user, service) === 'yes';
      const folders = await listFolderPaths(app.db, service.id);
      const members = await listMembers(app, service.id, folders);
      const invites = await pendingInvites(service.id);
      const find = readSearch(app, visitor, query('find'));
      const found = members.filter((member) => isFound(member, find));
      const invited = find === '' ? invites : [];
      const page = pageNumber(query('page'));
      const [first, end] = [(page - 1) * rowsPerPage, page * rowsPerPage];
      const requests = mayChange ? await listPendingJoinRequests(app, service.id) : [];
      return {
        title: t('Team'),
        lead: leadOf(members.length, invites.length),
        actions: mayChange && (
          <>
            <ButtonLink to={`/services/${service.id}/team/csv`}>{t('Download CSV')}</ButtonLink>
            <ButtonLink to={`/services/${service.id}/team/invite`} look="primary">
              <Icon name="plus" small />
              {t('Invite')}
            </ButtonLink>
          </>
        ),
        content: (
          <div class="stack">
            <JoinRequests service={service} visitorId={visitor.user.id} requests={requests} now={app.clock.now()} />
            {members.length > maxWithoutSearch && (
              <ListSearch
                name={t('Team')}
                label={t('Name or email address')}
                path={pageUrl(`/services/${service.id}/team`)}
                find={find}
                found={t('{count, plural, one {# member found} other {# members found}}', { count: found.length })}
              />
            )}
            <TeamTable
              service={service}
              visitorId={visitor.user.id}
              mayChange={mayChange}
              members={found.slice(first, end)}
              invites={invited.slice(Math.max(0, first - found.length), Math.max(0, end - found.length))}
              folders={folders}
              now={app.clock.now()}
            />
            <OffsetPager
              page={page}
              total={found.length + invited.length}
              size={rowsPerPage}
              to={(number) => withQuery(pageUrl(`/services/${service.id}/team`), { find: query('find'), page: number })}
            />
            <RightsExplained />
          </div>
        ),
      };
    },
    form: Type.Object({ find: Type.Optional(Type.String({ maxLength: 255 })) }),
    onlyReads: true,
    act({ service, visitor }, { find = '' }) {
      const query = find && `?${new URLSearchParams({ find: keepSearch(app, visitor, find) })}`;
      return { to: `/services/${service.id}/team${query}` };
    },
  });

  pages.add('/services/:service_id/team/csv', {
    who: { service: 'manage' },
    async show({ service, reply }) {
      const members = await listMembers(app, service.id, await listFolderPaths(app.db, service.id));
      const rows = members.map((member) => ({
        name: member.name,
        email_address: member.email_address,
        signs_in_with: methodNames[member.auth_type],
        last_signed_in: member.logged_in_at,
        ...Object.fromEntries(
          givenRights.map((right) => [
            inEnglish(rightNames[right]),
            rightsOf(member.permissions).includes(right) ? 'yes' : 'no',
          ]),
        ),
      }));
      const columns = ['name', 'email_address', ...givenRights.map((right) => inEnglish(rightNames[right]))];
      const text = csvText<Record<string, string | null>>([...columns, 'signs_in_with', 'last_signed_in'], rows);
      return { sent: sendCsv(reply, `${service.name} team.csv`, [text]) };
    },
  });

  pages.add('/services/:service_id/team/invitations/cancel', {
    who: { service: 'manage' },
    show: ({ service }) => ({ to: `/services/${service.id}/team` }),
    form: Type.Object({ invite_id: Uuid }),
    async act({ service }, { invite_id }) {
      const { status, email_address } = await getServiceInvite(app, invite_id, service.id);
      if (status === 'pending') {
        await updateServiceInvite(app, { service_id: service.id, invite_id }, { status: 'cancelled' });
      }
      const notice =
        status === 'accepted'
          ? t('{emailAddress} has already accepted. Remove the member instead.', { emailAddress: email_address })
          : t('Invitation to {emailAddress} cancelled.', { emailAddress: email_address });
      return { to: `/services/${service.id}/team`, notice };
    },
  });

  async function pendingInvites(serviceId: string) {
    const invites = (await listServiceInvites(app, serviceId)).filter(({ status }) => status === 'pending');
    const inviters = await listUserRecords(app.db, [...new Set(invites.map(({ from_user }) => from_user))]);
    const nameOf = new Map(inviters.map(({ id, name }) => [id, name]));
    return invites.map((invite) => ({ ...invite, invitedBy: nameOf.get(invite.from_user) ?? '' }));
  }
}

function isFound({ name, email_address }: Member, find: string): boolean {
  return [name, email_address].some((text) => text.toLowerCase().includes(find.toLowerCase()));
}

function leadOf(members: number, invites: number): Text {
  const team =
    invites > 0
      ? t(
          '{members, plural, one {# member} other {# members}} and {invites, plural, one {# invitation} other {# invitations}}.',
          { members, invites },
        )
      : t('{count, plural, one {# member.} other {# members.}}', { count: members });
  return joined([team, t('At least one person must be able to manage the service.')]);
}
