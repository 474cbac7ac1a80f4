import { Type } from 'typebox';
import { invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { decideJoinRequest, getJoinRequest } from '../../../users/invites/join-requests.ts';
import { givenRights, permissionsOf, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/choices.tsx';
import { Time } from '../../parts/time.tsx';

type Request = Awaited<ReturnType<typeof getJoinRequest>>;

export function joinRequestPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/join-request/:request_id/approve', {
    who: { service: 'manage' },
    below: 'Team',
    async show({ service, param, visitor }, formState) {
      const request = await getJoinRequest(app, service.id, param('request_id'));
      const { requester } = request;
      const known = reasonNotToDecide(request, service.id, visitor.user.id);
      return {
        title: `${requester.name} asks to join`,
        content: (
          <div class="stack measure">
            <section class="card" aria-label="Request">
              <dl class="facts">
                <dt>Email address</dt>
                <dd>{requester.email_address}</dd>
                <dt>PageRequest</dt>
                <dd>
                  <Time at={request.created_at} now={app.clock.now()} />
                </dd>
                <dt>Reason</dt>
                <dd>{request.reason ?? 'None given'}</dd>
              </dl>
            </section>
            {known !== undefined ? (
              <p>{known}</p>
            ) : (
              <form class="stack" method="post" noValidate>
                <Choices
                  formState={formState}
                  name="status"
                  legend="What do you decide?"
                  kind="one"
                  choices={[
                    { value: 'approved', label: `Let ${requester.name} in` },
                    { value: 'rejected', label: 'Refuse' },
                  ]}
                />
                <Choices
                  formState={formState}
                  name="rights"
                  legend="What may a new member do?"
                  hint="Every member sees templates and messages."
                  kind="several"
                  choices={givenRights.map((value) => ({ value, label: rightNames[value] }))}
                />
                <div>
                  <button class="button button--primary" type="submit">
                    Save
                  </button>
                </div>
              </form>
            )}
          </div>
        ),
      };
    },
    form: Type.Object({ status: OneOf(['approved', 'rejected']), rights: Type.Array(OneOf(givenRights)) }),
    needs: { status: 'Choose what you decide.' },
    async act({ service, param, visitor }, { status, rights }) {
      const request = await getJoinRequest(app, service.id, param('request_id'));
      const known = reasonNotToDecide(request, service.id, visitor.user.id);
      if (known !== undefined) throw invalidField('', known);
      await decideJoinRequest(app, service.id, request.id, {
        status,
        status_changed_by_id: visitor.user.id,
        permissions: status === 'approved' ? permissionsOf(rights) : [],
      });
      const { name } = request.requester;
      const notice = status === 'approved' ? `${name} is in the team now.` : `You have refused ${name}.`;
      return { to: `/services/${service.id}`, notice };
    },
  });
}

/** Undefined if this visitor can decide. */
function reasonNotToDecide(request: Request, serviceId: string, userId: string): string | undefined {
  const { requester, status, status_changed_by } = request;
  if (status === 'approved') return `${status_changed_by?.name ?? 'A person'} has let ${requester.name} in already.`;
  if (status === 'rejected') return `${status_changed_by?.name ?? 'A person'} has refused already.`;
  if (status === 'cancelled') return 'The request was cancelled.';
  if (requester.belongs_to_service.includes(serviceId)) return `${requester.name} is in the team already.`;
  return request.contacted_service_users.includes(userId) ? undefined : 'Only those who were asked can decide.';
}
