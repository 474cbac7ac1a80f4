import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, t } from '../../../language/text.ts';
import { notFound } from '../../../platform/failure.ts';
import { refuseUnlessMember } from '../../../users/members/permissions.ts';
import { getUserRecord, isOperator, type UserRecord } from '../../../users/user-record.ts';
import { updateUser } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { formatPhoneNumber, shownNumber } from '../../parts/phone-number.ts';
import { endAllSessions } from '../../sessions/sessions.ts';

type OfManagers = PageRequest<{ service: 'manage' }>;

/**
 * Whoever changes a person's email address can then reset the password. So a manager can change it only for people whose account has access
 * to nothing but this service. Platform administrators can do it for everybody except each other.
 */
export function mayChangeContact(
  visitor: Pick<UserRecord, 'id' | 'platform_admin'>,
  person: Pick<UserRecord, 'id' | 'platform_admin' | 'read_only_operator' | 'services' | 'organisations'>,
  serviceId: string,
): boolean {
  if (person.id === visitor.id || person.platform_admin) return false;
  if (visitor.platform_admin) return true;
  return !isOperator(person) && person.organisations.length === 0 && person.services.every((id) => id === serviceId);
}

const kinds = {
  email: {
    title: t('Change the email address'),
    label: t('New email address'),
    needs: t('Enter the new email address.'),
    type: 'email',
    field: Type.String({ format: 'email', maxLength: 255 }),
    change: (value: string) => ({ email_address: value }),
    told: (name: string) =>
      t(
        'We will tell {name} at both addresses. {name} will be signed out everywhere, and will sign in with the new address.',
        { name },
      ),
    changed: (name: string) => t('Email address changed. We told {name} and signed them out everywhere.', { name }),
  },
  mobile: {
    title: t('Change the mobile number'),
    label: t('New mobile number'),
    needs: t('Enter the new mobile number.'),
    type: 'tel',
    field: Type.String({ format: 'user-mobile-number' }),
    change: (value: string) => ({ mobile_number: value }),
    told: (name: string) =>
      t(
        'We will tell {name} at both numbers. {name} will be signed out everywhere, and will get security codes at the new number.',
        { name },
      ),
    changed: (name: string) => t('Mobile number changed. We told {name} and signed them out everywhere.', { name }),
  },
} as const;

/** Two steps: the new value, then a page that says what will happen. */
export function contactPages(pages: Pages, app: ConsoleApp): void {
  for (const [kind, { title, label, needs, type, field, change, told, changed }] of Object.entries(kinds)) {
    const view = async (request: OfManagers, formState: FormState, confirmed?: string): Promise<View | Redirection> => {
      const person = await getPerson(request);
      if ('to' in person) return person;
      const back = `/services/${request.service.id}/team/${person.id}`;
      return {
        title,
        lead: told(person.name),
        crumbs: [
          { label: t('Team'), to: `/services/${request.service.id}/team` },
          { label: asIs(person.name), to: back },
        ],
        content:
          confirmed === undefined ? (
            <SaveForm action={t('Continue')} back={back}>
              <Field formState={formState} name="value" label={label} type={type} autocomplete="off" />
            </SaveForm>
          ) : (
            <SaveForm action={t('Change it')} back={back}>
              <p>
                <T>
                  From{' '}
                  <b>
                    {{
                      before:
                        kind === 'email'
                          ? person.email_address
                          : shownNumber(app.country.phone, person.mobile_number, t('no number')),
                    }}
                  </b>{' '}
                  to <b>{{ after: kind === 'email' ? confirmed : formatPhoneNumber(app.country.phone, confirmed) }}</b>.
                </T>
              </p>
              <input type="hidden" name="value" value={confirmed} />
              <input type="hidden" name="confirmed" value="yes" />
            </SaveForm>
          ),
      };
    };

    pages.add(`/services/:service_id/team/:user_id/${kind}`, {
      who: { service: 'manage' },
      below: 'Team',
      show: (request, formState) => view(request, formState),
      form: Type.Object({ value: field, confirmed: Type.Optional(Type.Literal('yes')) }),
      needs: { value: needs },
      async act(request, { value, confirmed }) {
        const person = await getPerson(request);
        if ('to' in person) return person;
        if (!confirmed) return view(request, { typed: new Map(), problems: new Map() }, value);
        await updateUser(app, person.id, change(value), request.visitor.user.id);
        await endAllSessions(app, person.id);
        return { to: `/services/${request.service.id}/team/${person.id}`, notice: changed(person.name) };
      },
    });
  }

  async function getPerson({ service, visitor, param }: OfManagers): Promise<UserRecord | Redirection> {
    await refuseUnlessMember(app, { service_id: service.id, user_id: param('user_id') });
    const person = await getUserRecord(app.db, param('user_id'));
    if (person.state === 'inactive') throw notFound();
    if (mayChangeContact(visitor.user, person, service.id)) return person;
    // Do not give the reason, because managers must not learn who is an operator.
    const notice = t('Only {name} can change this, in “Your account”.', { name: person.name });
    return { to: `/services/${service.id}/team/${person.id}`, notice };
  }
}
