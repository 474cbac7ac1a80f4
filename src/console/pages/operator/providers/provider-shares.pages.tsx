import { type TString, Type } from 'typebox';
import { listProviderDetails, setProviderShares } from '../../../../delivery/failover/provider-details.ts';
import { invalidField } from '../../../../platform/failure.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { providerName } from '../../../message-words.ts';
import type { Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { SaveForm } from '../../../parts/save-form.tsx';
import { providersPath, sharesPath } from './provider-parts.tsx';

const channels = { sms: 'texts', email: 'emails' } as const;

/** How much of a channel each provider is given. */
export function providerSharePages(pages: Pages, app: ConsoleApp): void {
  for (const channel of ['sms', 'email'] as const) {
    const names = app.config[channel].providers;
    pages.add(sharesPath(channel), {
      who: 'platform-admin',
      below: 'Providers',
      async show(_asked, formState) {
        const providers = await listProviderDetails(app);
        const shareOf = (name: string) =>
          providers.find(({ notification_type, identifier }) => notification_type === channel && identifier === name)
            ?.priority;
        return {
          title: `Shares of ${channels[channel]}`,
          lead: 'From 0 to 100 each, 100 together. They are also the shares that come back after a failure.',
          crumbs: [{ label: 'Providers', to: providersPath }],
          content: (
            <SaveForm back={providersPath}>
              {names.map((name) => (
                <Field
                  key={name}
                  formState={formState}
                  name={fieldOf(name)}
                  label={`${providerName(name)}, per cent`}
                  value={String(shareOf(name) ?? 0)}
                  inputmode="numeric"
                  short
                />
              ))}
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
      form: Type.Object<Record<string, TString>>({
        ...Object.fromEntries(names.map((name) => [fieldOf(name), Type.String({ maxLength: 20 })])),
        reason: Type.String({ minLength: 1, maxLength: 1000 }),
      }),
      needs: {
        ...Object.fromEntries(names.map((name) => [fieldOf(name), 'Enter a number from 0 to 100.'])),
        reason: 'Enter a reason.',
      },
      async act({ visitor }, form) {
        const shares = new Map(names.map((name) => [name, readShare(fieldOf(name), form[fieldOf(name)] ?? '')]));
        const why = { reason: form.reason ?? '', created_by_id: visitor.user.id };
        await setProviderShares(app, channel, shares, why);
        return { to: providersPath, notice: `The shares of ${channels[channel]} are changed.` };
      },
    });
  }
}

const fieldOf = (name: string) => `share_${name}`;

function readShare(field: string, text: string): number {
  const value = /^\d{1,3}$/.test(text) ? Number(text) : Number.NaN;
  if (value <= 100) return value;
  throw invalidField(field, 'Enter a whole number from 0 to 100.');
}
