import { Type } from 'typebox';
import {
  getProviderDetails,
  listProviderDetails,
  listProviderVersions,
  setProviderActive,
} from '../../../../delivery/failover/provider-details.ts';
import { readProviderStates } from '../../../../delivery/failover/provider-states.ts';
import { sendTestMessage, type TestResult } from '../../../../delivery/providers/test-message.ts';
import { invalidField, notFound } from '../../../../platform/failure.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { parsePhoneNumber } from '../../../../recipients/phone-number.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { FormState, Pages, View } from '../../../page.ts';
import { Choices, Field } from '../../../parts/field.tsx';
import { SaveForm } from '../../../parts/form.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { Time } from '../../../parts/time.tsx';
import { healthOf, isInUse, providerAddress, providersPath, StateOfProvider, shareOf } from './provider-parts.tsx';

const one = `${providersPath}/:provider_id`;
const crumbs = [{ label: 'Providers', to: providersPath }];
const maxShown = 50;

const steps = {
  pause: {
    active: false,
    action: 'Pause',
    lead: 'It gets no new messages; the other providers share them. Messages that it has are not affected.',
    done: 'The provider is paused.',
  },
  resume: {
    active: true,
    action: 'Resume',
    lead: 'It gets its share of new messages again, within seconds.',
    done: 'The provider gets messages again.',
  },
} as const;

/** One provider: its history, and pausing it. */
export function providerPages(pages: Pages, app: ConsoleApp): void {
  pages.add(one, {
    who: 'operator',
    below: 'Providers',
    async show({ param, visitor }) {
      const provider = await getProviderDetails(app, param('provider_id'));
      const versions = await listProviderVersions(app, provider.id);
      const { states } = await readProviderStates(app);
      const health = healthOf(provider, states);
      const isUsed = isInUse(app, provider) && provider.notification_type !== 'letter';
      const step = provider.active ? 'pause' : 'resume';
      const here = pageUrl(providerAddress(provider.id));
      const now = app.clock.now();
      return {
        title: provider.display_name,
        crumbs,
        actions: visitor.user.platform_admin && isUsed && (
          <>
            <a class="button" href={`${here}/${step}`}>
              {steps[step].action}
            </a>
            <a class="button" href={`${here}/test`}>
              Send a test
            </a>
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
                <dd>{shareOf(app, provider, await listProviderDetails(app))}</dd>
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
                <dd>{(health?.handed_over_last_hour ?? 0).toLocaleString('en-GB')} messages</dd>
                <dt>Sends abroad</dt>
                <dd>{provider.supports_international ? 'Yes' : 'No'}</dd>
                <dt>Name in settings</dt>
                <dd>
                  <code>{provider.identifier}</code>
                </dd>
              </dl>
            </section>
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
                  { head: 'Why', cell: ({ reason }) => reason ?? 'No reason given' },
                  { head: 'Who', cell: ({ created_by }) => created_by?.name ?? 'Nobody' },
                ]}
              />
              {versions.length > maxShown && <p class="muted small">The newest {maxShown} changes.</p>}
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

const nobody = { sms: '447700900000', email: 'simulate-delivered@notifications.service.gov.uk' };

interface Person {
  mobile_number: string | null;
  email_address: string;
}

/** One message through one provider, and what the provider said. */
export function providerTestPages(pages: Pages, app: ConsoleApp): void {
  async function viewOf(id: string, user: Person, formState: FormState, result?: TestResult): Promise<View> {
    const provider = await testable(id);
    const own = provider.channel === 'sms' ? user.mobile_number : user.email_address;
    return {
      title: `Test ${provider.display_name}`,
      lead: 'Sends one message through this provider only. Providers may charge for it; services do not see it.',
      crumbs: [
        { label: 'Providers', to: providersPath },
        { label: provider.display_name, to: providerAddress(id) },
      ],
      content: (
        <div class="stack">
          {result && <Result result={result} name={provider.display_name} />}
          <SaveForm back={providerAddress(id)} action={result ? 'Send another test' : 'Send a test'}>
            <Choices
              formState={formState}
              name="recipient"
              legend="To"
              kind="one"
              choices={[
                ...(own ? [{ value: 'own', label: `You: ${own}` }] : []),
                {
                  value: 'nobody',
                  label: `Nobody: ${nobody[provider.channel]}`,
                  hint: 'Belongs to no person. A provider may refuse it.',
                },
              ]}
              chosen={[own ? 'own' : 'nobody']}
            />
          </SaveForm>
        </div>
      ),
    };
  }

  pages.add(`${providersPath}/:provider_id/test`, {
    who: 'platform-admin',
    below: 'Providers',
    show: ({ param, visitor }, formState) => viewOf(param('provider_id'), visitor.user, formState),
    form: Type.Object({ recipient: OneOf(['own', 'nobody']) }),
    needs: { recipient: 'Choose who gets the test.' },
    async act({ param, visitor }, { recipient }) {
      const id = param('provider_id');
      const { channel, identifier } = await testable(id);
      const to = recipient === 'own' ? ownRecipient(channel, visitor.user) : nobody[channel];
      const result = await sendTestMessage(app, { notification_type: channel, identifier }, to);
      const typed = new Map([['recipient', recipient]]);
      return viewOf(id, visitor.user, { typed, problems: new Map() }, result);
    },
  });

  async function testable(id: string) {
    const provider = await getProviderDetails(app, id);
    const { notification_type: channel, identifier, display_name } = provider;
    if (channel === 'letter' || !isInUse(app, provider)) throw notFound();
    return { channel, identifier, display_name };
  }
}

function ownRecipient(channel: 'sms' | 'email', user: Person): string {
  if (channel === 'email') return user.email_address;
  const parsed = parsePhoneNumber(user.mobile_number ?? '');
  if (!parsed.ok) throw invalidField('recipient', 'Add a mobile number to your account first.');
  return parsed.number.normalised;
}

function Result({ result: { outcome, reason, took_ms }, name }: { result: TestResult; name: string }) {
  const took = `after ${took_ms.toLocaleString('en-GB')} ms`;
  if (outcome === 'accepted') {
    return (
      <Notice tone="green">
        <b>{name} took the message</b>, {took}.
      </Notice>
    );
  }
  const said = outcome === 'refused' ? 'refused the message' : outcome === 'retry' ? 'asks to try again' : 'failed';
  return (
    <Notice tone="red">
      <b>
        {name} {said}
      </b>
      , {took}. {reason}
    </Notice>
  );
}
