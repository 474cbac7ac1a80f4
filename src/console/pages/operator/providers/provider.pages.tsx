import { readFile } from 'node:fs/promises';
import { Type } from 'typebox';
import {
  getProviderDetails,
  listProviderDetails,
  listProviderVersions,
  setProviderActive,
} from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import { T } from '../../../../language/sentence.tsx';
import { asIs, t } from '../../../../language/text.ts';
import { notFound } from '../../../../platform/failure.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { DocumentText } from '../../../parts/document-text.tsx';
import { Field } from '../../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../../parts/form.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import {
  healthOf,
  isInUse,
  NextMessage,
  providerAddress,
  providersPath,
  StateOfProvider,
  shareOf,
} from './provider-parts.tsx';
import { HowToConnect, printerGuide, SettingsOfProvider, setUpOf } from './provider-set-up.tsx';

const one = `${providersPath}/:provider_id`;
const crumbs = [{ label: t('Providers'), to: providersPath }];
const maxShown = 50;

const steps = {
  pause: {
    active: false,
    title: (name: string) => t('Pause {name}', { name }),
    action: t('Pause'),
    lead: t('The other providers share new messages. Messages that this provider already has are not affected.'),
    done: t('Provider paused.'),
  },
  resume: {
    active: true,
    title: (name: string) => t('Resume {name}', { name }),
    action: t('Resume'),
    lead: t('The provider will get its share of new messages again, within seconds.'),
    done: t('Provider resumed.'),
  },
} as const;

/** One provider: its state, settings and history, and a form to pause it. */
export function providerPages(pages: Pages, app: ConsoleApp): void {
  pages.add(one, {
    who: 'operator',
    below: 'Providers',
    async show({ param, visitor }) {
      const provider = await getProviderDetails(app, param('provider_id'));
      const [all, versions, { states }] = await Promise.all([
        listProviderDetails(app),
        listProviderVersions(app, provider.id),
        readProviderStates(app),
      ]);
      const setUp = setUpOf(app, provider);
      const health = healthOf(provider, states);
      const isUsed = isInUse(app, provider) && provider.notification_type !== 'letter';
      const step = provider.active ? 'pause' : 'resume';
      const here = providerAddress(provider.id);
      const now = app.clock.now();
      return {
        title: asIs(provider.display_name),
        crumbs,
        actions: visitor.user.platform_admin && isUsed && (
          <>
            <ButtonLink to={`${here}/${step}`}>{steps[step].action}</ButtonLink>
            <ButtonLink to={`${here}/test`}>{t('Send a test to me')}</ButtonLink>
          </>
        ),
        content: (
          <div class="stack">
            <section class="card measure" aria-label={t('State')}>
              <dl class="facts">
                <dt>{t('State')}</dt>
                <dd>
                  <StateOfProvider app={app} provider={provider} states={states} />
                </dd>
                <dt>{t('Share')}</dt>
                <dd>{shareOf(app, provider, all)}</dd>
                {health?.failing && (
                  <>
                    <dt>{t('Failed calls')}</dt>
                    <dd>
                      <T>
                        {{ errors: health.failing.errors }} of {{ calls: health.failing.calls }}, since{' '}
                        <Time at={health.failing.since} now={now} />
                      </T>
                    </dd>
                  </>
                )}
                <dt>{t('Last hour')}</dt>
                <dd>
                  <T>{{ count: count(health?.handed_over_last_hour ?? 0) }} messages</T>
                </dd>
                <dt>{t('Sends abroad')}</dt>
                <dd>{provider.supports_international ? t('Yes') : t('No')}</dd>
                <dt>{t('Name in settings')}</dt>
                <dd>
                  <code>{provider.identifier}</code>
                </dd>
                <dt>{t('Next message')}</dt>
                <dd>
                  <NextMessage app={app} channel={provider.notification_type} all={all} states={states} />
                </dd>
              </dl>
            </section>
            {setUp && <HowToConnect app={app} provider={provider} setUp={setUp} />}
            {setUp?.guide !== undefined && (
              <p>
                <T>
                  <a href={pageUrl(`${providersPath}/guides/${setUp.guide}`)}>
                    Read the guide to {{ displayName: provider.display_name }}
                  </a>
                  : what to do at the provider, and what its reports mean.
                </T>
              </p>
            )}
            {setUp && <SettingsOfProvider provider={provider} setUp={setUp} />}
            <section class="stack stack--tight" aria-labelledby="history">
              <h2 id="history">{t('History')}</h2>
              <Table
                caption={t('Changes, newest first')}
                rows={versions.slice(0, maxShown)}
                keyOf={({ version }) => String(version)}
                columns={[
                  {
                    head: t('When'),
                    cell: ({ updated_at }) => (updated_at ? <Time at={updated_at} now={now} /> : t('At the start')),
                  },
                  { head: t('Share'), cell: ({ priority }) => `${priority}%`, numeric: true },
                  { head: t('State'), cell: ({ active }) => (active ? t('Active') : t('Paused')) },
                  { head: t('Why'), cell: ({ reason }) => <span dir="auto">{reason ?? t('No reason given')}</span> },
                  {
                    head: t('Who'),
                    cell: ({ created_by }) => <span dir="auto">{created_by?.name ?? t('Nobody')}</span>,
                  },
                ]}
              />
              {versions.length > maxShown && (
                <p class="muted small">
                  <T>Only the newest {{ maxShown }} changes are shown.</T>
                </p>
              )}
            </section>
          </div>
        ),
      };
    },
  });

  for (const [name, { active, title, action, lead, done }] of Object.entries(steps)) {
    pages.add(`${one}/${name}`, {
      who: 'platform-admin',
      below: 'Providers',
      async show({ param }, formState) {
        const { id, display_name } = await getProviderDetails(app, param('provider_id'));
        return {
          title: title(display_name),
          lead,
          crumbs: [...crumbs, { label: asIs(display_name), to: providerAddress(id) }],
          content: (
            <SaveForm back={providerAddress(id)} action={action}>
              <Field
                formState={formState}
                name="reason"
                label={t('Reason')}
                hint={t('Shown in the history.')}
                autocomplete="off"
              />
            </SaveForm>
          ),
        };
      },
      form: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1000 }) }),
      needs: { reason: t('Enter a reason.') },
      async act({ param, visitor }, { reason }) {
        const id = param('provider_id');
        await setProviderActive(app, id, active, { reason, created_by_id: visitor.user.id });
        return { to: providerAddress(id), notice: done };
      },
    });
  }
}

const folder = 'docs/guides/providers/';
const files = new URL(`../../../../../${folder}`, import.meta.url);

/** Guides from the documentation: what to do at a provider, and what its reports mean. */
export function providerGuidePages(pages: Pages, app: ConsoleApp): void {
  const guides = [printerGuide, ...app.providers.map(({ guide }) => guide)];

  pages.add(`${providersPath}/guides/:guide`, {
    who: 'operator',
    below: 'Providers',
    async show({ param }) {
      const guide = guides.find((known) => known === param('guide'));
      if (guide === undefined) throw notFound();
      const [heading = '', ...lines] = (await readFile(new URL(`${guide}.md`, files), 'utf8')).split('\n');
      return {
        title: t('Guide: {heading}', { heading: heading.replace('# ', '') }),
        crumbs: [{ label: t('Providers'), to: providersPath }],
        content: (
          <div class="stack" lang="en">
            <DocumentText text={lines.join('\n')} folder={folder} caption={t('A table of the guide')} />
          </div>
        ),
      };
    },
  });
}
