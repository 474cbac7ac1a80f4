import { Type } from 'typebox';
import { declared, t } from '../../../language/text.ts';
import { type OrganisationType, OrganisationTypes } from '../../../organisations/organisation-types.ts';
import { findOrganisationIdByEmailAddress, getOrganisation } from '../../../organisations/organisations.ts';
import { Failure, invalidField } from '../../../platform/failure.ts';
import { isUuid } from '../../../platform/id.ts';
import { createService } from '../../../services/service-create.ts';
import { defaultServicePermissions, settable } from '../../../services/service-fields.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages, View } from '../../page.ts';
import { Choices, Field } from '../../parts/field.tsx';
import { ButtonLink, Submit } from '../../parts/form.tsx';

const cannotAddServices: View = {
  title: t('You cannot add a service'),
  lead: t(
    'The people who run this Pennypost decide who can. Ask a platform administrator to add a service and invite you.',
  ),
  status: 403,
  crumbs: [{ label: t('Your services'), to: '/services' }],
  content: (
    <p>
      <ButtonLink to="/services/join">{t('Join a service')}</ButtonLink>
    </p>
  ),
};

export function addServicePages(pages: Pages, app: ConsoleApp): void {
  /** Returns the type of the organisation that owns the email domain. */
  async function typeOfOrganisation(emailAddress: string): Promise<OrganisationType | null> {
    const id = await findOrganisationIdByEmailAddress(app.db, emailAddress);
    return id === undefined ? null : (await getOrganisation(app.db, id)).organisation_type;
  }

  pages.add('/services/add', {
    who: 'signed-in',
    below: 'Your services',
    name: t('Add a service'),
    show: async ({ visitor }, formState) =>
      (await mayAddService(app, visitor.user))
        ? {
            title: t('Add a service'),
            lead: t(
              'Your service starts in trial mode. You can only send messages to yourself, your team and your guest list.',
            ),
            crumbs: [{ label: t('Your services'), to: '/services' }],
            content: (
              <form class="stack measure" method="post" noValidate>
                <Field
                  formState={formState}
                  name="name"
                  label={t('Name of the service')}
                  hint={t('People see this name as the sender of your emails and at the start of your texts.')}
                  autocomplete="off"
                />
                {(await typeOfOrganisation(visitor.user.email_address)) === null && (
                  <Choices
                    formState={formState}
                    name="organisation_type"
                    legend={t('Who runs it?')}
                    kind="one"
                    choices={app.country.organisations.types
                      .filter(({ id }) => id !== 'nhs_notify')
                      .map(({ id, label, choice }) => ({ value: id, label: declared(choice ?? label) }))}
                  />
                )}
                {visitor.user.platform_admin && (
                  <details class="more" open={formState.problems.has('id')}>
                    <summary>{t('Move the service from another Notify')}</summary>
                    <Field
                      formState={formState}
                      name="id"
                      label={t('Id of the service in the other Notify')}
                      hint={t(
                        'The first of the two ids in each of its API keys. Applications can then keep their keys and template ids.',
                      )}
                      autocomplete="off"
                    />
                  </details>
                )}
                <Submit>{t('Add service')}</Submit>
              </form>
            ),
          }
        : cannotAddServices,
    form: Type.Object({
      name: settable.name,
      organisation_type: Type.Optional(OrganisationTypes(app.country)),
      id: Type.Optional(Type.String()),
    }),
    needs: { name: t('Enter a name.') },
    async check({ visitor: { user } }, { organisation_type, id }) {
      if (user.platform_admin && id && !isUuid(id.trim())) {
        throw invalidField('id', t('Enter the whole id: 32 letters and digits, with hyphens.'));
      }
      if (organisation_type === undefined && (await typeOfOrganisation(user.email_address)) === null) {
        throw invalidField('organisation_type', t('Choose who runs the service.'));
      }
    },
    async act({ visitor: { user } }, { name, organisation_type, id: importedId }) {
      if (!(await mayAddService(app, user))) return cannotAddServices;
      const known = await typeOfOrganisation(user.email_address);
      const { id } = await createService(app, {
        name,
        // Only an operator can know that nobody else will import this service.
        ...(importedId && user.platform_admin ? { id: importedId.trim() } : {}),
        user_id: user.id,
        restricted: true,
        prefix_sms: true,
        ...(known === null ? { organisation_type } : {}),
        // People who sign in with an email link can also invite others to sign in that way.
        permissions: [...defaultServicePermissions, ...(user.auth_type === 'email_auth' ? ['email_auth'] : [])],
      }).catch((error: unknown) => {
        const isInUse = error instanceof Failure && typeof error.detail === 'object' && 'id' in error.detail;
        throw isInUse ? invalidField('id', t('Enter another id. This one is already in use here.')) : error;
      });
      return { to: `/services/${id}`, notice: t('{name} is ready. You have all permissions.', { name }) };
    },
  });
}

/** Whether the operator allows this person to add a service. */
export async function mayAddService(
  { config, db }: Pick<ConsoleApp, 'config' | 'db'>,
  { platform_admin, email_address }: Pick<UserRecord, 'platform_admin' | 'email_address'>,
): Promise<boolean> {
  const { serviceCreators } = config.console;
  if (serviceCreators === 'everyone' || platform_admin) return true;
  if (serviceCreators === 'platform-admins') return false;
  return (await findOrganisationIdByEmailAddress(db, email_address)) !== undefined;
}
