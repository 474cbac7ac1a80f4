import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import { Uuid } from '../../../protocol/fields.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Confirm } from '../../parts/form.tsx';
import { Table } from '../../parts/table.tsx';
import { Time, ZoneName } from '../../parts/time.tsx';
import { endOtherSessions, endSession, listSessions } from '../../sessions/sessions.ts';

export function devicePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/account/devices', {
    who: 'signed-in',
    below: 'Your account',
    name: t('Devices'),
    async show({ visitor: { user, session: current } }) {
      const sessions = await listSessions(app, user.id);
      const now = app.clock.now();
      return {
        title: t('Devices'),
        lead: t('Where you are signed in. Sign out any device you do not recognise, then change your password.'),
        crumbs: [{ label: t('Your account'), to: '/account' }],
        content: (
          <div class="stack">
            <Table
              caption={t('Devices where you are signed in')}
              rows={sessions}
              keyOf={({ id }) => id}
              columns={[
                {
                  head: t('Device'),
                  cell: ({ id, device }) => (
                    <>
                      {deviceName(device)}
                      {id === current.id && <small>{t('This device')}</small>}
                    </>
                  ),
                },
                { head: t('Signed in'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
                { head: t('Last used'), cell: ({ last_used_at }) => <Time at={last_used_at} now={now} /> },
                {
                  head: t('Actions'),
                  hidden: true,
                  cell: ({ id, device }) =>
                    id === current.id ? null : (
                      <Confirm
                        label={
                          <T>
                            Sign out<span class="sr"> {{ deviceName: deviceName(device) }}</span>
                          </T>
                        }
                        action={t('Sign out this device')}
                        to={pageUrl('/account/devices')}
                        fields={{ session_id: id }}
                      >
                        {t('You will have to sign in again on that device.')}
                      </Confirm>
                    ),
                },
              ]}
            />
            {sessions.length > 1 && (
              <Confirm
                label={t('Sign out everywhere else')}
                action={t('Sign out other devices')}
                to={pageUrl('/account/devices/others')}
              >
                {t('You will stay signed in here.')}
              </Confirm>
            )}
            <p class="small muted">
              <T>
                Times are <ZoneName />.
              </T>
            </p>
          </div>
        ),
      };
    },
    form: Type.Object({ session_id: Uuid }),
    async act({ visitor }, { session_id }) {
      await endSession(app, visitor.user.id, session_id);
      return { to: '/account/devices', notice: t('Device signed out.') };
    },
  });

  pages.add('/account/devices/others', {
    who: 'signed-in',
    show: () => ({ to: '/account/devices' }),
    form: Type.Object({}),
    async act({ visitor }) {
      await endOtherSessions(app, visitor.user.id, visitor.session.id);
      return { to: '/account/devices', notice: t('Other devices signed out.') };
    },
  });
}

/** Tried in this order, because the user agents of earlier ones also contain the names of later ones. */
const browsers = [
  [asIs('Edge'), /Edg(e|A|iOS)?\//],
  [asIs('Opera'), /OPR\//],
  [asIs('Samsung Internet'), /SamsungBrowser\//],
  [asIs('Firefox'), /(Firefox|FxiOS)\//],
  [asIs('Chrome'), /(Chrome|CriOS|Chromium)\//],
  [asIs('Safari'), /Safari\//],
] as const;

const systems = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  [asIs('Android'), /Android/],
  [asIs('Windows'), /Windows/],
  ['ChromeOS', /CrOS/],
  ['macOS', /Mac OS X|Macintosh/],
  [asIs('Linux'), /Linux/],
] as const;

/** Returns a name for the device from its user agent. */
export function deviceName(userAgent: string): Text {
  const [browser] = browsers.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  const [system] = systems.find(([, pattern]) => pattern.test(userAgent)) ?? [];
  if (!browser) return system ? t('A browser on {system}', { system }) : t('Unknown browser');
  return system ? t('{browser} on {system}', { browser, system }) : asIs(browser);
}
