import type { ComponentChildren } from 'preact';
import { type Static, type TObject, Type } from 'typebox';
import { T } from '../../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../../language/text.ts';
import { invalid, invalidField } from '../../../../platform/failure.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { operatorRoleOf, setOperatorRole } from '../../../../users/platform-admins.ts';
import { resetFailedLoginCount } from '../../../../users/sign-in/sign-in.ts';
import { getUserRecord, type UserRecord } from '../../../../users/user-record.ts';
import { archiveUser, updateUser } from '../../../../users/users.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, Pages, View } from '../../../page.ts';
import { Choices } from '../../../parts/field.tsx';
import { SaveForm } from '../../../parts/form.tsx';
import { endAllSessions } from '../../../sessions/sessions.ts';
import {
  CurrentPassword,
  checkOwnPassword,
  currentPassword,
  needsPassword,
  withPassword,
} from '../../account/change-page.tsx';

interface Change<S extends TObject> {
  /** Relative to the page of the person. */
  path: string;
  title(person: UserRecord): Text;
  action?: Text;
  danger?: boolean;
  content(person: UserRecord, formState: FormState): ComponentChildren;
  form: S;
  needs?: { [Name in keyof Static<S>]?: Text };
  /** The page asks for the visitor's password, and `act` checks it. */
  asksPassword?: true;
  /** Returns the notice to show. */
  act(person: UserRecord, form: Static<S>, visitor: UserRecord): Promise<Text>;
}

const nothing = Type.Object({});

/** Changes that a platform administrator can make to a person's account. Each page says what will happen. */
export function personChangePages(pages: Pages, app: ConsoleApp): void {
  function add<S extends TObject>(change: Change<S>): void {
    const { path, title, action, danger = false, content, form, needs, asksPassword, act } = change;
    pages.add(`/operator/people/:person_id/${path}`, {
      who: 'platform-admin',
      below: 'People',
      async show(request, formState) {
        const person = await getUserRecord(app.db, request.param('person_id'));
        const here = `/operator/people/${person.id}`;
        const view: View = {
          title: title(person),
          crumbs: [
            { label: t('People'), to: '/operator/people' },
            { label: asIs(person.name), to: here },
          ],
          content: (
            <SaveForm {...(action ? { action } : {})} danger={danger} back={here}>
              {content(person, formState)}
            </SaveForm>
          ),
        };
        return asksPassword ? withPassword(app, request, view) : view;
      },
      form,
      ...(needs ? { needs } : {}),
      async act({ param, visitor }, sent) {
        const person = await getUserRecord(app.db, param('person_id'));
        if (person.state === 'inactive') throw invalid(t('This account is archived.'));
        const notice = await act(person, sent, visitor.user);
        return { to: `/operator/people/${person.id}`, notice };
      },
    });
  }

  add({
    path: 'role',
    title: ({ name }) => t('Is {name} an operator?', { name }),
    asksPassword: true,
    content: (person, formState) => (
      <>
        <Choices
          formState={formState}
          name="role"
          legend={t('Role')}
          hint={t('A change signs the person out everywhere. We tell all platform administrators by email.')}
          kind="one"
          choices={[
            { value: 'none', label: t('No'), hint: t('Can only see their own services and organisations.') },
            {
              value: 'read-only',
              label: t('Read-only operator'),
              hint: t('Can see the pages of operators, but not change anything.'),
            },
            {
              value: 'admin',
              label: t('Platform administrator'),
              hint: t('Can do everything: in all services, for all people, and with the platform itself.'),
            },
          ]}
          chosen={[operatorRoleOf(person)]}
        />
        <CurrentPassword formState={formState} />
      </>
    ),
    form: Type.Object({ role: OneOf(['none', 'read-only', 'admin']), current_password: currentPassword }),
    needs: { role: t('Choose a role.'), ...needsPassword },
    async act(person, { role, ...form }, visitor) {
      if (person.id === visitor.id && role !== 'admin') {
        throw invalidField('role', t('Ask another platform administrator to take your own role away.'));
      }
      await checkOwnPassword(app, visitor.id, form);
      if (role === operatorRoleOf(person)) return t('{name} already has this role.', { name: person.name });
      await setOperatorRole(app, person.id, role, visitor);
      await endAllSessions(app, person.id);
      return t('Role saved.');
    },
  });

  add({
    path: 'unlock',
    title: ({ name }) => t('Unlock {name}?', { name }),
    action: t('Unlock'),
    content: ({ name, failed_login_count }) => (
      <p>
        <T>
          Somebody entered {{ failedLoginCount: failed_login_count }} wrong passwords or codes. The count will start
          again at 0, and {{ name }} can sign in at once. Unlock the account only if you know who tried.
        </T>
      </p>
    ),
    form: nothing,
    async act({ id }) {
      await resetFailedLoginCount(app, id);
      return t('Account unlocked.');
    },
  });

  add({
    path: 'sessions',
    title: ({ name }) => t('Sign {name} out everywhere?', { name }),
    action: t('Sign out everywhere'),
    danger: true,
    content: ({ name }) => (
      <p>
        <T>
          We will sign {{ name }} out in every browser. Anything typed there and not saved will be lost.{' '}
          {{ name2: name }} can sign in again.
        </T>
      </p>
    ),
    form: nothing,
    async act({ id }) {
      await endAllSessions(app, id);
      return t('Signed out everywhere.');
    },
  });

  add({
    path: 'sign-in',
    title: ({ name }) => t('How does {name} sign in?', { name }),
    content: ({ auth_type, mobile_number }, formState) => (
      <Choices
        formState={formState}
        name="auth_type"
        legend={t('After the password')}
        hint={
          auth_type === 'webauthn_auth'
            ? t('This person has a security key, which is stronger. Change it only if the key is lost.')
            : mobile_number === null
              ? t('Text codes need a mobile number, which this person does not have.')
              : undefined
        }
        kind="one"
        choices={[
          { value: 'sms_auth', label: t('Text code') },
          { value: 'email_auth', label: t('Email link') },
        ]}
        chosen={auth_type === 'webauthn_auth' ? [] : [auth_type]}
      />
    ),
    form: Type.Object({ auth_type: OneOf(['sms_auth', 'email_auth']) }),
    needs: { auth_type: t('Choose how the person signs in.') },
    async act({ id, mobile_number }, { auth_type }) {
      if (auth_type === 'sms_auth' && mobile_number === null) {
        throw invalidField('auth_type', t('Text codes need a mobile number, which this person does not have.'));
      }
      await updateUser(app, id, { auth_type });
      return t('Sign-in method saved.');
    },
  });

  add({
    path: 'archive',
    title: ({ name }) => t('Archive the account of {name}?', { name }),
    action: t('Archive'),
    danger: true,
    content: ({ name, services, organisations }) => (
      <>
        <p>
          {t(
            'We will sign {name} out at once, and {name} will no longer be able to sign in. We will remove the account from {services, plural, one {# service} other {# services}} and {organisations, plural, one {# organisation} other {# organisations}}, and delete its name, address, number, password and security keys. We keep messages and templates.',
            { name, services: services.length, organisations: organisations.length },
          )}
        </p>
        <p>{t('You cannot undo this. You can invite the person again to create a new account.')}</p>
      </>
    ),
    form: nothing,
    async act(person, _form, visitor) {
      if (person.id === visitor.id) throw invalid(t('Ask another platform administrator to archive your own account.'));
      if (person.platform_admin)
        throw invalid(t('Take the role of platform administrator away from this person first.'));
      await archiveUser(app, person.id);
      await endAllSessions(app, person.id);
      return t('Account archived.');
    },
  });
}
