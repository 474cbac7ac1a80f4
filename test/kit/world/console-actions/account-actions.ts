import { createOperatorLink } from '../../../../src/users/sign-in/operator-links.ts';
import { SecurityKey } from '../../vendors/security-key.ts';
import { accountMessages } from '../account-messages.ts';
import { aPerson, password, signedIn } from '../console-people.ts';
import { ConsoleVisitor } from '../console-visitor.ts';
import { type Actions, changes, without } from './action.ts';

/** Signing in, invitations, and what people change about themselves. */
export const accountActions: Actions = (harness, world) => {
  const lastMessage = async () => (await accountMessages(harness)).at(-1)?.personalisation ?? {};
  const lastToken = async () => new URL((await lastMessage()).url ?? '').pathname.split('/').at(-1) ?? '';
  const origin = new URL(harness.app.config.urls.api).origin;
  const newPassword = 'quite another one';

  /** A browser between the password and the second step. */
  async function afterPassword(fields: Parameters<typeof aPerson>[1] = {}) {
    const user = await aPerson(harness, fields);
    const by = new ConsoleVisitor(harness);
    await by.post('/console/sign-in', { email_address: user.email_address, password });
    return { user, by };
  }

  async function withKey() {
    const key = new SecurityKey();
    const user = await aPerson(harness);
    const by = await signedIn(harness, user.id);
    await by.post('/console/account/security-keys/new', { name: 'Blue key', current_password: password });
    const options = await by.post('/console/account/security-keys/new/touch/options');
    return { user, by, key, form: { response: key.create(JSON.parse(options.text), { origin }) } };
  }

  /** A browser after the password of somebody who has a key. */
  async function beforeKey() {
    const { user, by: owner, key, form } = await withKey();
    await owner.post('/console/account/security-keys/new/touch', form);
    const by = new ConsoleVisitor(harness);
    await by.post('/console/sign-in', { email_address: user.email_address, password });
    return { owner, by, key };
  }

  const invite = async (to: 'service' | 'organisation', email_address: string) => {
    const from = world.visitors.get('a manager')?.user?.id;
    await (to === 'service'
      ? harness.admin('POST', `/service/${world.service.id}/invite`, {
          ...{ email_address, from_user: from, permissions: '', auth_type: 'email_auth', folder_permissions: [] },
          invite_link_host: 'http://localhost',
        })
      : harness.admin('POST', `/organisation/${world.service.organisation}/invite`, {
          ...{ email_address, invited_by: from, permissions: [], invite_link_host: 'http://localhost' },
        }));
    return { ids: { token: await lastToken() }, by: new ConsoleVisitor(harness) };
  };

  return [
    without('only sends a code; a wrong password is counted, see the tests of the audit log', '/sign-in', {
      prepare: async () => {
        const { email_address } = await aPerson(harness);
        return { by: new ConsoleVisitor(harness), form: { email_address, password } };
      },
    }),
    without('sends the code again', '/sign-in/again', { prepare: async () => ({ by: (await afterPassword()).by }) }),
    changes('session', '/sign-in/code', {
      prepare: async () => {
        const { by } = await afterPassword();
        return { by, form: { code: (await lastMessage()).verify_code ?? '' } };
      },
    }),
    changes('session', '/email-auth/:token', {
      prepare: async () => {
        const { by } = await afterPassword({ auth_type: 'email_auth' });
        return { by, ids: { token: await lastToken() } };
      },
    }),
    changes('session', '/sign-out', {
      prepare: async () => ({ by: await signedIn(harness, (await aPerson(harness)).id) }),
    }),
    changes('webauthn_credential', '/account/security-keys/new/touch', {
      prepare: async () => {
        const { by, form } = await withKey();
        return { by, form };
      },
    }),
    without('asks for a signature', '/sign-in/security-key/options', {
      prepare: async () => ({ by: (await beforeKey()).by }),
    }),
    changes('session', '/sign-in/security-key', {
      prepare: async () => {
        const { by, key } = await beforeKey();
        const options = await by.post('/console/sign-in/security-key/options');
        return { by, form: { response: key.get(JSON.parse(options.text), { origin }) } };
      },
    }),
    without('sends a code instead of a key', '/sign-in/other-way', {
      prepare: async () => ({ by: (await beforeKey()).by }),
    }),
    without('sends a link', '/forgot-password', { form: { email_address: 'nobody@example.org' } }),
    changes('user', '/new-password/:token', {
      form: { password: newPassword },
      prepare: async () => {
        const { email_address } = await aPerson(harness, { auth_type: 'email_auth' });
        await harness.admin('POST', '/user/reset-password', { email: email_address });
        return { ids: { token: await lastToken() }, by: new ConsoleVisitor(harness) };
      },
    }),
    changes('user', '/verify-email/:token', {
      prepare: async () => {
        const user = await aPerson(harness, { auth_type: 'email_auth', state: 'pending' });
        await harness.admin('POST', `/user/${user.id}/email-verification`, {});
        return { ids: { token: await lastToken() }, by: new ConsoleVisitor(harness) };
      },
    }),
    changes('user', '/invitation/:token', {
      form: { name: 'New Member', password: newPassword },
      prepare: () => invite('service', 'invited@example.org'),
    }),
    changes('user', '/organisation-invitation/:token', {
      form: { name: 'New Member', password: newPassword, mobile_number: '07700900461' },
      prepare: () => invite('organisation', 'invited-too@example.org'),
    }),
    without('is not found once there is an administrator; see the tests of the first start', '/start'),
    changes('session', '/link/:token', {
      prepare: async () => {
        const token = await createOperatorLink(harness.app, (await aPerson(harness)).email_address);
        return { ids: { token }, by: new ConsoleVisitor(harness) };
      },
    }),
    changes('user', '/account/language-and-time', { by: 'a sender', form: { time_zone: 'Asia/Tokyo' } }),
    changes('user', '/account/name', { by: 'a sender', form: { name: 'Ada King' } }),
    without('sends a link to the new address', '/account/email', {
      by: 'a sender',
      form: { email_address: 'ada-king@example.org', current_password: password },
    }),
    changes('user', '/your-account/email/confirm/:token', {
      by: 'a sender',
      prepare: async () => ({ ids: { token: await lastToken() } }),
    }),
    without('sends a code to the new number', '/account/mobile', {
      by: 'a sender',
      form: { mobile_number: '07700 900789', current_password: password },
    }),
    changes('user', '/account/mobile/confirm', {
      by: 'a sender',
      prepare: async () => {
        const browser = world.visitors.get('a sender')?.browser;
        await browser?.post('/console/account/mobile', { mobile_number: '07700 900788', current_password: password });
        return { form: { code: (await lastMessage()).verify_code ?? '' } };
      },
    }),
    changes('webauthn_credential', '/account/security-keys/:own_key_id/name', {
      by: 'a manager',
      form: { name: 'Red key' },
    }),
    changes('webauthn_credential', '/account/security-keys/:own_key_id/delete', {
      by: 'a manager',
      form: { current_password: password },
    }),
    without('asks for a name, which the next step stores', '/account/security-keys/new', {
      by: 'a manager',
      form: { name: 'Blue key', current_password: password },
    }),
    without('asks for a signature', '/account/security-keys/new/touch/options', { by: 'a manager' }),
    changes('user', '/account/security-keys/only', {
      form: { current_password: password },
      prepare: async () => {
        return { by: (await beforeKey()).owner };
      },
    }),
    changes('session', '/account/devices', {
      prepare: async () => {
        const { id } = await aPerson(harness);
        const by = await signedIn(harness, id);
        await signedIn(harness, id);
        const { text } = await by.get('/console/account/devices');
        return { by, form: { session_id: /name="session_id" value="([^"]+)"/.exec(text)?.[1] ?? '' } };
      },
    }),
    changes('session', '/account/devices/others', {
      prepare: async () => {
        const { id } = await aPerson(harness);
        await signedIn(harness, id);
        return { by: await signedIn(harness, id) };
      },
    }),
    changes('user', '/account/password', {
      form: { current_password: password, password: newPassword },
      prepare: async () => ({ by: await signedIn(harness, (await aPerson(harness)).id) }),
    }),
    without('sends a link to people without a password', '/account/choose-password', { by: 'a sender' }),
    without('is kept in the browser', '/account/theme', { by: 'a sender', form: { theme: 'dark' } }),
  ];
};
