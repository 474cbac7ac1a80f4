import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { isSuspended } from '../../../services/service-fields.ts';
import type { Service } from '../../../services/services.ts';
import { reachable } from '../../access/find-page.ts';
import { type GivenRight, may, rightNames } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { areStepsHidden, hideSteps } from '../../marks/marks.ts';
import type { PageRequest, Pages } from '../../page.ts';
import { Live, sendFragment } from '../../parts/live.tsx';
import { Status } from '../../parts/status.tsx';
import type { Visitor } from '../../sessions/sessions.ts';
import { ShortLivedCache } from '../../short-lived-cache.ts';
import { guardNotice } from '../settings/guard-notice.tsx';
import { delayReader } from './delays.tsx';
import { type Figures, readFigures } from './figures.ts';
import { selectSetUpProgress } from './home.sql.ts';
import { Home } from './home.tsx';

type Seen = PageRequest<{ service: 'any' }>;

/** Shorter than the polling interval of a page. */
const sharedFor_ms = 8_000;

/** People without access to the activity see the first of these that they can open. */
const others = ['/templates', '/messages', '/usage'];

/** The first page of a service: what needs attention, then figures. */
export function homePages(pages: Pages, app: ConsoleApp): void {
  const shared = new ShortLivedCache<Figures>(sharedFor_ms);
  const readDelays = delayReader(app);

  pages.add('/services/:service_id', {
    who: { service: 'any', organisation: true },
    menu: 'Home',
    listedFor: { service: 'activity' },
    async show(request) {
      const { service, visitor } = request;
      if (may({ service: 'activity' }, visitor.user, service) !== 'yes') return elsewhere(request);
      const link = linkTo(request);
      const send = link('/send');
      const figures = await readFigures(app, service);
      const steps = await readFirstSteps(app, service, visitor, figures);
      return {
        title: t('Home'),
        actions: (
          <>
            <span data-live-controls />
            {send && !isSuspended(service) && (
              <a class="button button--primary" href={send}>
                {t('Send a message')}
              </a>
            )}
          </>
        ),
        content: (
          <div class="stack stack--loose">
            {await guardNotice(app, service, visitor)}
            {steps && <FirstSteps steps={steps} serviceId={service.id} link={link} />}
            <Live from={pageUrl(`/services/${service.id}/figures`)} every={10}>
              {await home(request, figures)}
            </Live>
          </div>
        ),
      };
    },
  });

  pages.add('/services/:service_id/figures', {
    who: { service: 'activity' },
    live: true,
    async show(request) {
      const figures = await shared.get(request.service.id, () => readFigures(app, request.service));
      return sendFragment(request.http, request.reply, <div data-live>{await home(request, figures)}</div>);
    },
  });

  pages.add('/services/:service_id/first-steps/hide', {
    who: { service: 'activity' },
    show: ({ service }) => ({ to: `/services/${service.id}` }),
    form: Type.Object({}),
    async act({ service, visitor }) {
      await hideSteps(app, visitor.user, service.id);
      return { to: `/services/${service.id}`, notice: t('Steps hidden.') };
    },
  });

  async function home(request: Seen, figures: Figures) {
    const { service, viewer } = request;
    return (
      <Home
        figures={figures}
        delays={await readDelays(service)}
        viewer={viewer}
        service={service}
        link={linkTo(request)}
        money={app.country.money}
        now={app.clock.now()}
      />
    );
  }

  /** Links to other pages of the console only if they exist and the visitor can open them. */
  function linkTo({ service, visitor }: { service: Service; visitor: Seen['visitor'] }) {
    return (path: string) => reachable(pages.all, visitor.user, `/services/${service.id}${path}`, service);
  }

  function elsewhere(request: Seen) {
    const link = linkTo(request);
    const [first] = others.flatMap((path) => link(path) ?? []);
    if (first) return { to: first.slice('/console'.length) };
    return {
      title: t('Home'),
      content: (
        <p>
          <T>
            You cannot see what this service sends. Ask someone who manages it for “{{ activity: rightNames.activity }}
            ”.
          </T>
        </p>
      ),
    };
  }
}

interface Step {
  text: string;
  isDone: boolean;
  /** The page for this step, relative to the service. */
  path: string;
  /** The right that the step needs. */
  right: GivenRight;
}

/** Returns the first steps of a new service, in order. Undefined once it is live and sends, or if the person has dismissed the steps. */
async function readFirstSteps(
  app: ConsoleApp,
  service: Service,
  { user }: Visitor,
  { week, usual }: Figures,
): Promise<Step[] | undefined> {
  const counts = [...Object.values(week), ...Object.values(usual)];
  const hasSent = counts.some(({ requested }) => requested > 0);
  if ((hasSent && !service.restricted) || (await areStepsHidden(app.db, user, service.id))) return undefined;
  const { has_template, has_team, has_key } = await selectSetUpProgress(app.db, service.id);
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
  /** Returns the URL of a page of the service if the visitor can open it. */
  link(path: string): string | undefined;
}

function FirstSteps({ steps, serviceId, link }: FirstStepsProps) {
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
