import { Type } from 'typebox';
import {
  getProviderDetails,
  listProviderDetails,
  listProviderVersions,
  setProviderActive,
} from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
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
import { Guide, HowToConnect, readGuide, SettingsOfProvider, setUpOf } from './provider-set-up.tsx';

const one = `${providersPath}/:provider_id`;
const crumbs = [{ label: 'Providers', to: providersPath }];
const maxShown = 50;

const steps = {
  pause: {
    active: false,
    action: 'Pause',
    lead: 'The other providers share new messages. Messages that this provider already has are not affected.',
    done: 'Provider paused.',
  },
  resume: {
    active: true,
    action: 'Resume',
    lead: 'The provider will get its share of new messages again, within seconds.',
    done: 'Provider resumed.',
  },
} as const;

/** One provider: its state, its settings, its history, and pausing it. */
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
      const guide = setUp && (await readGuide(setUp));
      const health = healthOf(provider, states);
      const isUsed = isInUse(app, provider) && provider.notification_type !== 'letter';
      const step = provider.active ? 'pause' : 'resume';
      const here = providerAddress(provider.id);
      const now = app.clock.now();
      return {
        title: provider.display_name,
        crumbs,
        actions: visitor.user.platform_admin && isUsed && (
          <>
            <ButtonLink to={`${here}/${step}`}>{steps[step].action}</ButtonLink>
            <ButtonLink to={`${here}/test`}>Send a test to me</ButtonLink>
          </>
        ),
        content: (
          <div class="stack">
            <section class="card measure" aria-label="State">
              <dl class="facts">
                <dt>State</dt>
                <dd>
                  <StateOfProvider app={app} provider={provider} states={states} />
                </dd>
                <dt>Share</dt>
                <dd>{shareOf(app, provider, all)}</dd>
                {health?.failing && (
                  <>
                    <dt>Failed calls</dt>
                    <dd>
                      {health.failing.errors} of {health.failing.calls}, since{' '}
                      <Time at={health.failing.since} now={now} />
                    </dd>
                  </>
                )}
                <dt>Last hour</dt>
                <dd>{count(health?.handed_over_last_hour ?? 0)} messages</dd>
                <dt>Sends abroad</dt>
                <dd>{provider.supports_international ? 'Yes' : 'No'}</dd>
                <dt>Name in settings</dt>
                <dd>
                  <code>{provider.identifier}</code>
                </dd>
                <dt>Next message</dt>
                <dd>
                  <NextMessage app={app} channel={provider.notification_type} all={all} states={states} />
                </dd>
              </dl>
            </section>
            {setUp && <HowToConnect app={app} provider={provider} setUp={setUp} />}
            {guide !== undefined && <Guide text={guide} />}
            {setUp && <SettingsOfProvider provider={provider} setUp={setUp} />}
            <section class="stack stack--tight" aria-labelledby="history">
              <h2 id="history">History</h2>
              <Table
                caption="Changes, newest first"
                rows={versions.slice(0, maxShown)}
                keyOf={({ version }) => String(version)}
                columns={[
                  {
                    head: 'When',
                    cell: ({ updated_at }) => (updated_at ? <Time at={updated_at} now={now} /> : 'At the start'),
                  },
                  { head: 'Share', cell: ({ priority }) => `${priority}%`, numeric: true },
                  { head: 'State', cell: ({ active }) => (active ? 'Active' : 'Paused') },
                  { head: 'Why', cell: ({ reason }) => <span dir="auto">{reason ?? 'No reason given'}</span> },
                  { head: 'Who', cell: ({ created_by }) => <span dir="auto">{created_by?.name ?? 'Nobody'}</span> },
                ]}
              />
              {versions.length > maxShown && <p class="muted small">Only the newest {maxShown} changes are shown.</p>}
            </section>
          </div>
        ),
      };
    },
  });

  for (const [name, { active, action, lead, done }] of Object.entries(steps)) {
    pages.add(`${one}/${name}`, {
      who: 'platform-admin',
      below: 'Providers',
      async show({ param }, formState) {
        const { id, display_name } = await getProviderDetails(app, param('provider_id'));
        return {
          title: `${action} ${display_name}`,
          lead,
          crumbs: [...crumbs, { label: display_name, to: providerAddress(id) }],
          content: (
            <SaveForm back={providerAddress(id)} action={action}>
              <Field
                formState={formState}
                name="reason"
                label="Reason"
                hint="Shown in the history."
                autocomplete="off"
              />
            </SaveForm>
          ),
        };
      },
      form: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1000 }) }),
      needs: { reason: 'Enter a reason.' },
      async act({ param, visitor }, { reason }) {
        const id = param('provider_id');
        await setProviderActive(app, id, active, { reason, created_by_id: visitor.user.id });
        return { to: providerAddress(id), notice: done };
      },
    });
  }
}
