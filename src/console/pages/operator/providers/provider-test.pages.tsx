import { Type } from 'typebox';
import { getProviderDetails } from '../../../../delivery/failover/provider-details.ts';
import { sendTestMessage, type TestResult } from '../../../../delivery/providers/test-message.ts';
import { invalidField, notFound } from '../../../../platform/failure.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { parsePhoneNumber } from '../../../../recipients/phone-number.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { FormState, Pages, View } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { SaveForm } from '../../../parts/save-form.tsx';
import { isInUse, providerAddress, providersPath } from './provider-parts.tsx';

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
