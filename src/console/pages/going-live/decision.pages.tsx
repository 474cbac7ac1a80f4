import { Type } from 'typebox';
import { t } from '../../../language/text.ts';
import { getOrganisation } from '../../../organisations/organisations.ts';
import { forbidden, invalidField } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { refuseGoLive, setLive } from '../../../services/organisations/go-live-requests.ts';
import type { Service } from '../../../services/services.ts';
import { listUserRecords } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Choices, TextArea } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { readChecklist } from './checklist.ts';

/** The decision about a request to go live, by the operator, or by the organisation if it decides itself. */
export function goLiveDecisionPages(pages: Pages, app: ConsoleApp): void {
  const findOrganisation = ({ organisation }: Service) =>
    organisation === null ? undefined : getOrganisation(app.db, organisation);

  /** Does not apply to platform administrators: each of them can make any service live, and there may be only one. */
  const isOwnRequest = (service: Service, { user }: Visitor) =>
    service.has_active_go_live_request && service.go_live_user === user.id && !user.platform_admin;

  async function mayDecide(service: Service, visitor: Visitor): Promise<boolean> {
    const { user } = visitor;
    if (user.platform_admin) return true;
    if (isOwnRequest(service, visitor)) return false;
    const organisation = await findOrganisation(service);
    if (!organisation?.can_approve_own_go_live_requests) return false;
    return user.organisation_permissions[organisation.id]?.includes('can_make_services_live') ?? false;
  }

  pages.add('/services/:service_id/make-service-live', {
    who: { service: 'manage', organisation: true },
    below: 'Settings',
    async show({ service, visitor }, formState) {
      const title = t('Should {name} go live?', { name: service.name });
      const back = visitor.user.platform_admin ? '/operator/services/going-live' : `/services/${service.id}`;
      if (!service.restricted) return { title, content: <Notice tone="green">{t('This service is live.')}</Notice> };
      if (isOwnRequest(service, visitor)) {
        return {
          title,
          content: (
            <p class="lead">{t('You asked for this, so another person has to decide. You will get an email.')}</p>
          ),
        };
      }
      if (!(await mayDecide(service, visitor))) {
        return {
          title,
          content: <p class="lead">{t('The people who run this Pennypost decide. You will get an email.')}</p>,
        };
      }
      if (!service.has_active_go_live_request) {
        return {
          title,
          lead: t('This request has been decided, or nobody has asked yet.'),
          content: (
            <p>
              <a href={pageUrl(back)}>{visitor.user.platform_admin ? t('Requests to go live') : service.name}</a>
            </p>
          ),
        };
      }
      const [steps, organisation, [asker]] = await Promise.all([
        readChecklist(app, service),
        findOrganisation(service),
        listUserRecords(app.db, service.go_live_user === null ? [] : [service.go_live_user]),
      ]);
      return {
        title,
        lead:
          asker &&
          t('{name} ({emailAddress}) asked to go live.', { name: asker.name, emailAddress: asker.email_address }),
        content: (
          <div class="stack measure">
            {organisation?.request_to_go_live_notes && (
              <Notice>
                <span dir="auto">{organisation.request_to_go_live_notes}</span>
              </Notice>
            )}
            <ul class="card list">
              {steps.map(({ text, isDone }) => (
                <li key={text}>
                  <span>{text}</span>
                  <Status kind={isDone ? 'delivered' : 'accepted'}>{isDone ? t('Done') : t('To do')}</Status>
                </li>
              ))}
            </ul>
            <SaveForm action={t('Decide')} back={back}>
              <Choices
                formState={formState}
                name="decision"
                legend={t('Your decision')}
                kind="one"
                choices={[
                  {
                    value: 'approve',
                    label: t('Go live'),
                    hint: t(
                      'The service can send to anyone at once. Its limits are raised, and its team gets an email.',
                    ),
                  },
                  {
                    value: 'refuse',
                    label: t('Refuse'),
                    hint: t('The service stays in trial mode. The person who asked gets your reason by email.'),
                  },
                ]}
              />
              <TextArea formState={formState} name="reason" label={t('Reason, if you refuse')} rows={4} />
            </SaveForm>
          </div>
        ),
      };
    },
    form: Type.Object({
      decision: OneOf(['approve', 'refuse']),
      reason: Type.Optional(Type.String({ maxLength: 2_000 })),
    }),
    needs: { decision: t('Choose whether to make the service live.') },
    async act({ service, visitor }, { decision, reason }) {
      if (!(await mayDecide(service, visitor))) throw forbidden(t('You cannot decide about this service'));
      const to = visitor.user.platform_admin ? '/operator/services/going-live' : `/services/${service.id}`;
      if (!service.has_active_go_live_request || !service.restricted) {
        return { to, notice: t('Somebody else has already decided.') };
      }
      if (decision === 'approve') {
        await setLive(app, service.id, true);
        return { to, notice: t('{name} is live. Its team will get an email.', { name: service.name }) };
      }
      if (!reason) throw invalidField('reason', t('Enter a reason. The person who asked will get it by email.'));
      const { name, email_address, platform_admin } = visitor.user;
      const organisation = platform_admin ? undefined : await findOrganisation(service);
      const of = organisation?.name ?? app.config.branding.platformName;
      await refuseGoLive(app, service.id, { reason, refused_by: { name, email_address, of } });
      return { to, notice: t('Request of {name} refused.', { name: service.name }) };
    },
  });
}
