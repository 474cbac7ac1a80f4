import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { notFound } from '../../../platform/failure.ts';
import {
  deleteSecurityKey,
  listSecurityKeys,
  renameCredential,
  setKeysOnly,
} from '../../../users/sign-in/security-keys.ts';
import type { UserRecord } from '../../../users/user-record.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages, View } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import {
  CurrentPassword,
  changePage,
  checkOwnPassword,
  currentPassword,
  needsPassword,
  withPassword,
} from './change-page.tsx';

const home = '/account/security-keys';
const keysOrElse = {
  sms_auth: t('After your password, you can use a security key or a text code.'),
  email_auth: t('After your password, you can use a security key or an email link.'),
  webauthn_auth: t('After your password, only a security key works.'),
};
const crumbs = [
  { label: t('Your account'), to: '/account' },
  { label: t('Security keys'), to: home },
];

/** A person's security keys, and whether they sign in only with those. */
export function securityKeyAccountPages(pages: Pages, app: ConsoleApp): void {
  async function keysView({ visitor: { user } }: PageRequest<'signed-in'>): Promise<View> {
    const keys = await listSecurityKeys(app, user.id);
    return {
      title: t('Security keys'),
      lead: t(
        'A key proves that it is you. Your key only works at this address, so nobody can trick you into giving it away by email or phone.',
      ),
      crumbs: crumbs.slice(0, 1),
      actions: (
        <ButtonLink to={`${home}/new`} look="primary">
          {t('Add a key')}
        </ButtonLink>
      ),
      content: (
        <div class="stack">
          <KeyTable keys={keys} now={app.clock.now()} />
          <OnlyKeys user={user} hasKeys={keys.some(({ worksHere }) => worksHere)} />
        </div>
      ),
    };
  }

  async function findKey({ visitor, param }: PageRequest<'signed-in'>) {
    const keys = await listSecurityKeys(app, visitor.user.id);
    const key = keys.find(({ id }) => id === param('own_key_id').toLowerCase());
    if (!key) throw notFound();
    return key;
  }

  pages.add(home, { who: 'signed-in', below: 'Your account', name: t('Security keys'), show: keysView });

  pages.add(`${home}/:own_key_id/name`, {
    who: 'signed-in',
    below: 'Your account',
    async show(request, formState) {
      const key = await findKey(request);
      const field = <Field formState={formState} name="name" label={t('Name')} value={key.name} autocomplete="off" />;
      return { ...changePage(t('Rename the security key'), t('Save'), field, home), crumbs };
    },
    form: Type.Object({ name: Type.String({ minLength: 1, maxLength: 100, format: 'name' }) }),
    needs: { name: t('Enter a name.') },
    async act({ visitor, param }, { name }) {
      await renameCredential(app, visitor.user.id, param('own_key_id'), name);
      return { to: home, notice: t('Security key renamed.') };
    },
  });

  pages.add(`${home}/:own_key_id/delete`, {
    who: 'signed-in',
    below: 'Your account',
    async show(request, formState) {
      const key = await findKey(request);
      return withPassword(app, request, {
        title: t('Delete “{name}”?', { name: key.name }),
        lead: t('You will no longer be able to sign in with this key. We will send you an email about it.'),
        crumbs,
        content: (
          <SaveForm action={t('Delete this key')} danger back={home}>
            <CurrentPassword formState={formState} />
          </SaveForm>
        ),
      });
    },
    form: Type.Object({ current_password: currentPassword }),
    needs: needsPassword,
    async act(request, form) {
      const key = await findKey(request);
      await checkOwnPassword(app, request.visitor.user.id, form);
      await deleteSecurityKey(app, request.visitor.user.id, key.id);
      return { to: home, notice: t('Security key deleted.') };
    },
  });

  pages.add(`${home}/only`, {
    who: 'signed-in',
    below: 'Your account',
    show(request, formState) {
      const { user } = request.visitor;
      const isOn = user.auth_type === 'webauthn_auth';
      return withPassword(app, request, {
        ...changePage(
          isOn ? t('Allow another way to sign in') : t('Sign in with security keys only'),
          t('Save'),
          <CurrentPassword formState={formState} />,
          home,
        ),
        lead: isOn
          ? keysOrElse[user.mobile_number === null ? 'email_auth' : 'sms_auth']
          : t(
              'After your password, only a key will work: no text code, no email link. Have two keys, in case you lose one.',
            ),
        crumbs,
      });
    },
    form: Type.Object({ current_password: currentPassword }),
    needs: needsPassword,
    async act({ visitor: { user } }, form) {
      await checkOwnPassword(app, user.id, form);
      const keysOnly = user.auth_type !== 'webauthn_auth';
      await setKeysOnly(app, user.id, keysOnly);
      const notice = keysOnly
        ? t('You now sign in with security keys only.')
        : t('You can sign in without a security key again.');
      return { to: home, notice };
    },
  });
}

type Key = Awaited<ReturnType<typeof listSecurityKeys>>[number];

function KeyTable({ keys, now }: { keys: readonly Key[]; now: Date }) {
  if (keys.length === 0) {
    return (
      <Empty title={t('No security keys yet')}>
        {t('A phone or computer that unlocks with a PIN can be a security key, too.')}
      </Empty>
    );
  }
  return (
    <Table
      caption={t('Your security keys')}
      rows={keys}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Name'),
          cell: ({ name, worksHere }) => (
            <>
              <bdi>{name}</bdi>
              {!worksHere && (
                <small>{t('Does not work here: added at another address, or in another front end')}</small>
              )}
            </>
          ),
        },
        { head: t('Added'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: t('Last used'),
          cell: ({ logged_in_at }) => (logged_in_at === null ? t('Never') : <Time at={logged_in_at} now={now} />),
        },
        {
          head: t('Actions'),
          hidden: true,
          cell: ({ id, name }) => (
            <div class="row">
              <ButtonLink to={`/account/security-keys/${id}/name`} small>
                <T>
                  Rename<span class="sr"> {{ name }}</span>
                </T>
              </ButtonLink>
              <ButtonLink to={`/account/security-keys/${id}/delete`} small>
                <T>
                  Delete<span class="sr"> {{ name }}</span>
                </T>
              </ButtonLink>
            </div>
          ),
        },
      ]}
    />
  );
}

/** Switches whether a key is the only second step. */
function OnlyKeys({ user, hasKeys }: { user: UserRecord; hasKeys: boolean }) {
  const isOn = user.auth_type === 'webauthn_auth';
  if (!isOn && !hasKeys) return null;
  return (
    <section class="card measure stack stack--tight" aria-labelledby="only-keys">
      <h2 id="only-keys">{isOn ? t('You sign in with keys only') : t('Other ways to sign in')}</h2>
      <p>{keysOrElse[user.auth_type]}</p>
      <div>
        <ButtonLink to="/account/security-keys/only">{isOn ? t('Allow another way') : t('Use keys only')}</ButtonLink>
      </div>
    </section>
  );
}
