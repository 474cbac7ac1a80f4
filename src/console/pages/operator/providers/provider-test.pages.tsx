import { Type } from 'typebox';
import type { PhoneRules } from '../../../../countries/phone-rules.ts';
import { getProviderDetails } from '../../../../delivery/failover/provider-details.ts';
import { sendTestMessage, type TestResult } from '../../../../delivery/providers/test-message.ts';
import { T } from '../../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../../language/text.ts';
import { invalid, notFound } from '../../../../platform/failure.ts';
import { parsePhoneNumber } from '../../../../recipients/phone-number.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import type { Pages, View } from '../../../page.ts';
import { SaveForm } from '../../../parts/form.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { isInUse, providerAddress, providersPath } from './provider-parts.tsx';

interface Person {
  mobile_number: string | null;
  email_address: string;
}

/** Sends one message to the operator through one provider, and shows the provider's response. */
export function providerTestPages(pages: Pages, app: ConsoleApp): void {
  async function viewOf(id: string, user: Person, result?: TestResult): Promise<View> {
    const { channel, display_name } = await testable(id);
    const own = ownRecipient(app.country.phone, channel, user);
    return {
      title: t('Test {displayName}', { displayName: display_name }),
      lead: t('Sends one message through this provider only. The provider may charge for it. Services do not see it.'),
      crumbs: [
        { label: t('Providers'), to: providersPath },
        { label: asIs(display_name), to: providerAddress(id) },
      ],
      content: (
        <div class="stack">
          {result && <Result result={result} name={display_name} />}
          {own === undefined ? (
            <p>
              <T>
                A test goes to your own number.{' '}
                <a href={pageUrl('/account/mobile')}>Add a mobile number to your account</a>
              </T>
            </p>
          ) : (
            <SaveForm
              back={providerAddress(id)}
              action={result ? t('Send another test to me') : t('Send a test to me')}
            >
              <p>
                <T>
                  The message goes to <b>{{ own }}</b>.
                </T>
              </p>
            </SaveForm>
          )}
        </div>
      ),
    };
  }

  pages.add(`${providersPath}/:provider_id/test`, {
    who: 'platform-admin',
    below: 'Providers',
    show: ({ param, visitor }) => viewOf(param('provider_id'), visitor.user),
    form: Type.Object({}),
    async act({ param, visitor }) {
      const id = param('provider_id');
      const { channel, identifier } = await testable(id);
      const own = ownRecipient(app.country.phone, channel, visitor.user);
      if (own === undefined) throw invalid(t('Add a mobile number to your account first.'));
      const result = await sendTestMessage(app, { id, notification_type: channel, identifier }, own);
      return viewOf(id, visitor.user, result);
    },
  });

  async function testable(id: string) {
    const provider = await getProviderDetails(app, id);
    const { notification_type: channel, identifier, display_name } = provider;
    if (channel === 'letter' || !isInUse(app, provider)) throw notFound();
    return { channel, identifier, display_name };
  }
}

/** Returns undefined if the person has no number. */
function ownRecipient(phone: PhoneRules, channel: 'sms' | 'email', user: Person): string | undefined {
  if (channel === 'email') return user.email_address;
  const parsed = parsePhoneNumber(phone, user.mobile_number ?? '');
  return parsed.ok ? parsed.number.normalised : undefined;
}

function describe(outcome: TestResult['outcome'], took_ms: number, name: string): Text {
  return t(
    '{outcome, select, accepted {{name} accepted the message} refused {{name} refused the message} retry {{name} did not accept the message} other {{name} could not be called}} after {took, number} ms.',
    { outcome, name, took: took_ms },
  );
}

function Result({ result: { outcome, reason, response, took_ms }, name }: { result: TestResult; name: string }) {
  // The response already contains the status.
  const why = response === undefined ? reason : reason?.replace(/^answered \d+(: )?/, '');
  return (
    <Notice tone={outcome === 'accepted' ? 'green' : 'red'}>
      <p>
        <b>{describe(outcome, took_ms, name)}</b>
      </p>
      {why && <p dir="auto">{why}</p>}
      {response !== undefined && (
        <p>
          <T>
            Its response: <code dir="auto">{{ response }}</code>
          </T>
        </p>
      )}
    </Notice>
  );
}
