import type { ComponentChildren } from 'preact';
import { type Static, type TObject, Type } from 'typebox';
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
  /** Below the person. */
  path: string;
  title(person: UserRecord): string;
  action?: string;
  danger?: boolean;
  content(person: UserRecord, formState: FormState): ComponentChildren;
  form: S;
  needs?: { [Name in keyof Static<S>]?: string };
  /** The page asks for the password of the visitor, and `act` checks it. */
  asksPassword?: true;
  /** Returns what to say. */
  act(person: UserRecord, form: Static<S>, visitor: UserRecord): Promise<string>;
}

const nothing = Type.Object({});

/** What a platform administrator can do about the account of a person. Each page says what will happen. */
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
            { label: 'People', to: '/operator/people' },
            { label: person.name, to: here },
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
        if (person.state === 'inactive') throw invalid('This account is archived.');
        const notice = await act(person, sent, visitor.user);
        return { to: `/operator/people/${person.id}`, notice };
      },
    });
  }

  add({
    path: 'role',
    title: ({ name }) => `Is ${name} an operator?`,
    asksPassword: true,
    content: (person, formState) => (
      <>
        <Choices
          formState={formState}
          name="role"
          legend="Role"
          hint="A change signs the person out everywhere. We tell all platform administrators by email."
          kind="one"
          choices={[
            { value: 'none', label: 'No', hint: 'Can only see their own services and organisations.' },
            {
              value: 'read-only',
              label: 'Read-only operator',
              hint: 'Can see the pages of operators, but not change anything.',
            },
            {
              value: 'admin',
              label: 'Platform administrator',
              hint: 'Can do everything: in all services, for all people, and with the platform itself.',
            },
          ]}
          chosen={[operatorRoleOf(person)]}
        />
        <CurrentPassword formState={formState} />
      </>
    ),
    form: Type.Object({ role: OneOf(['none', 'read-only', 'admin']), current_password: currentPassword }),
    needs: { role: 'Choose a role.', ...needsPassword },
    async act(person, { role, ...form }, visitor) {
      if (person.id === visitor.id && role !== 'admin') {
        throw invalidField('role', 'Ask another platform administrator to take your own role away.');
      }
      await checkOwnPassword(app, visitor.id, form);
      if (role === operatorRoleOf(person)) return `${person.name} already has this role.`;
      await setOperatorRole(app, person.id, role, visitor);
      await endAllSessions(app, person.id);
      return 'Role saved.';
    },
  });

  add({
    path: 'unlock',
    title: ({ name }) => `Unlock ${name}?`,
    action: 'Unlock',
    content: ({ name, failed_login_count }) => (
      <p>
        Somebody entered {failed_login_count} wrong passwords or codes. The count will start again at 0, and {name} can
        sign in at once. Unlock the account only if you know who tried.
      </p>
    ),
    form: nothing,
    async act({ id }) {
      await resetFailedLoginCount(app, id);
      return 'Account unlocked.';
    },
  });

  add({
    path: 'sessions',
    title: ({ name }) => `Sign ${name} out everywhere?`,
    action: 'Sign out everywhere',
    danger: true,
    content: ({ name }) => (
      <p>
        We will sign {name} out in every browser. Anything typed there and not saved will be lost. {name} can sign in
        again.
      </p>
    ),
    form: nothing,
    async act({ id }) {
      await endAllSessions(app, id);
      return 'Signed out everywhere.';
    },
  });

  add({
    path: 'sign-in',
    title: ({ name }) => `How does ${name} sign in?`,
    content: ({ auth_type, mobile_number }, formState) => (
      <Choices
        formState={formState}
        name="auth_type"
        legend="After the password"
        hint={
          auth_type === 'webauthn_auth'
            ? 'This person has a security key, which is stronger. Change it only if the key is lost.'
            : mobile_number === null
              ? 'Text codes need a mobile number, which this person does not have.'
              : undefined
        }
        kind="one"
        choices={[
          { value: 'sms_auth', label: 'Text code' },
          { value: 'email_auth', label: 'Email link' },
        ]}
        chosen={auth_type === 'webauthn_auth' ? [] : [auth_type]}
      />
    ),
    form: Type.Object({ auth_type: OneOf(['sms_auth', 'email_auth']) }),
    needs: { auth_type: 'Choose how the person signs in.' },
    async act({ id, mobile_number }, { auth_type }) {
      if (auth_type === 'sms_auth' && mobile_number === null) {
        throw invalidField('auth_type', 'Text codes need a mobile number, which this person does not have.');
      }
      await updateUser(app, id, { auth_type });
      return 'Sign-in method saved.';
    },
  });

  add({
    path: 'archive',
    title: ({ name }) => `Archive the account of ${name}?`,
    action: 'Archive',
    danger: true,
    content: ({ name, services, organisations }) => (
      <>
        <p>
          We will sign {name} out at once, and {name} cannot sign in any more. The account leaves {services.length}{' '}
          {services.length === 1 ? 'service' : 'services'} and {organisations.length}{' '}
          {organisations.length === 1 ? 'organisation' : 'organisations'}, and loses its name, address, number, password
          and security keys. Messages and templates stay.
        </p>
        <p>You cannot undo this. With a new invitation the person can have a new account.</p>
      </>
    ),
    form: nothing,
    async act(person, _form, visitor) {
      if (person.id === visitor.id) throw invalid('Ask another platform administrator to archive your own account.');
      if (person.platform_admin) throw invalid('Take the role of platform administrator away from this person first.');
      await archiveUser(app, person.id);
      await endAllSessions(app, person.id);
      return 'Account archived.';
    },
  });
}
