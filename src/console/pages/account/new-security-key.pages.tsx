import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { beginRegistration, registerKey } from '../../../users/sign-in/security-keys.ts';
import { keySiteOf } from '../../../users/sign-in/webauthn.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Field } from '../../parts/field.tsx';
import { ButtonLink, TouchKey } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { EncryptedCookie } from '../../sessions/cookies.ts';
import {
  CurrentPassword,
  changePage,
  checkOwnPassword,
  currentPassword,
  needsPassword,
  withPassword,
} from './change-page.tsx';

const home = '/account/security-keys';
const newPage = `${home}/new`;
const touchPage = `${home}/new/touch`;
const crumbs = [
  { label: t('Your account'), to: '/account' },
  { label: t('Security keys'), to: home },
];

const newKey = new EncryptedCookie<{ user_id: string; key_name: string }>('newKey');

/** Two steps: a name and the password, then the key itself. */
export function newSecurityKeyPages(pages: Pages, app: ConsoleApp): void {
  function findName({ http, visitor }: Pick<PageRequest<'signed-in'>, 'http' | 'visitor'>): string | undefined {
    const kept = newKey.read(app, http);
    return kept?.user_id === visitor.user.id ? kept.key_name : undefined;
  }

  pages.add(newPage, {
    who: 'signed-in',
    below: 'Your account',
    show(request, formState) {
      const title = t('Add a security key');
      if (!keySiteOf(app.config)) return { title, crumbs, content: <NoKeysHere address={app.config.urls.api} /> };
      const fields = (
        <>
          <Field
            formState={formState}
            name="name"
            label={t('Name of the key')}
            hint={t('Use a name you will recognise, for example “Blue key at work”.')}
            autocomplete="off"
          />
          <CurrentPassword formState={formState} />
        </>
      );
      return withPassword(app, request, { ...changePage(title, t('Continue'), fields, home), crumbs });
    },
    form: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 100, format: 'name' }),
      current_password: currentPassword,
    }),
    needs: { name: t('Enter a name.'), ...needsPassword },
    async act({ visitor, reply }, form) {
      await checkOwnPassword(app, visitor.user.id, form);
      newKey.set(app, reply, { user_id: visitor.user.id, key_name: form.name });
      return { to: touchPage };
    },
  });

  pages.add(touchPage, {
    who: 'signed-in',
    below: 'Your account',
    show(request, formState) {
      const name = findName(request);
      if (name === undefined) return { to: newPage };
      return {
        title: t('Add “{name}”', { name }),
        lead: t('Plug in your key or hold it near, press the button, then touch the key.'),
        crumbs,
        scripts: ['security-key'],
        content: (
          <TouchKey formState={formState} task="create" options={`${touchPage}/options`} label={t('Register the key')}>
            <ButtonLink to={home} look="quiet">
              {t('Cancel')}
            </ButtonLink>
          </TouchKey>
        ),
      };
    },
    form: Type.Object({ response: Type.String({ maxLength: 20_000 }) }),
    needs: { response: t('Press the button, then touch your security key.') },
    async act(request, { response }) {
      const name = findName(request);
      if (name === undefined) return { to: newPage };
      await registerKey(app, request.visitor.user.id, { name, response });
      newKey.clear(app, request.reply);
      return { to: home, notice: t('Security key added. You can now sign in with “{name}”.', { name }) };
    },
  });

  pages.add(`${touchPage}/options`, {
    who: 'signed-in',
    show: () => ({ to: touchPage }),
    form: Type.Object({}),
    async act(request) {
      if (findName(request) === undefined) return { to: newPage };
      return { sent: request.reply.send(await beginRegistration(app, request.visitor.user)) };
    },
  });
}

function NoKeysHere({ address }: { address: string }) {
  return (
    <div class="measure">
      <Notice tone="amber">
        <T>
          Browsers only allow security keys at an address with https and a name. The address of this Pennypost is{' '}
          <code>{{ address }}</code>. The people who run it can change it with <code>BASE_URL</code>.
        </T>
      </Notice>
    </div>
  );
}
