import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { Service } from '../../../services/services.ts';
import { type GivenRight, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { areStepsHidden } from '../../marks/marks.ts';
import { Status } from '../../parts/status.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import type { Figures } from './figures.ts';
import { selectBeginnings } from './first-steps.sql.ts';

interface Step {
  text: string;
  isDone: boolean;
  /** Where to do it, below the service. */
  path: string;
  /** Who can do it. */
  right: GivenRight;
}

/** What a new service needs, in order. Undefined once it is live and sends, or when the person has dismissed the steps. */
export async function readFirstSteps(
  app: ConsoleApp,
  service: Service,
  { user }: Visitor,
  { week, usual }: Figures,
): Promise<Step[] | undefined> {
  const counts = [...Object.values(week), ...Object.values(usual)];
  const hasSent = counts.some(({ requested }) => requested > 0);
  if ((hasSent && !service.restricted) || (await areStepsHidden(app.db, user, service.id))) return undefined;
  const { has_template, has_team, has_key } = await selectBeginnings(app.db, service.id);
  return [
    { text: t('Write a template'), isDone: has_template, path: '/templates/new', right: 'templates' },
    { text: t('Send a test to yourself'), isDone: hasSent, path: '/send', right: 'send' },
    { text: t('Invite your team'), isDone: has_team, path: '/team/invite', right: 'manage' },
    { text: t('Create an API key'), isDone: has_key, path: '/integration/keys', right: 'api' },
    { text: t('Go live'), isDone: !service.restricted, path: '/going-live', right: 'manage' },
  ];
}

interface FirstStepsProps {
  steps: readonly Step[];
  serviceId: string;
  /** The address of a page of the service, where the visitor can open it. */
  link(path: string): string | undefined;
}

export function FirstSteps({ steps, serviceId, link }: FirstStepsProps) {
  return (
    <section class="card stack stack--tight" aria-labelledby="first-steps">
      <h2 id="first-steps">{t('Your first message in five steps')}</h2>
      <ol class="list">
        {steps.map(({ text, isDone, path, right }) => {
          const to = link(path);
          return (
            <li key={path}>
              {to && !isDone ? <a href={to}>{text}</a> : <span>{text}</span>}
              {!to && !isDone && (
                <span class="muted">
                  <T>Ask someone with the permission “{{ rightNames: rightNames[right] }}”.</T>
                </span>
              )}
              <Status kind={isDone ? 'delivered' : 'accepted'}>{isDone ? t('Done') : t('To do')}</Status>
            </li>
          );
        })}
      </ol>
      <form method="post" action={pageUrl(`/services/${serviceId}/first-steps/hide`)}>
        <button class="button button--quiet button--small" type="submit">
          {t('Hide these steps')}
        </button>
      </form>
    </section>
  );
}
