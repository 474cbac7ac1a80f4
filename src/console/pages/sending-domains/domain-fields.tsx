import { type Text, t } from '../../../language/text.ts';
import { hour_ms } from '../../../platform/clock.ts';
import { invalidField } from '../../../platform/failure.ts';
import type { SendingDomain } from '../../../sending-domains/sending-domains.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { providerName } from '../../message-labels.ts';
import type { FormState } from '../../page.ts';
import { Choices, Field, TextArea } from '../../parts/field.tsx';
import { wayLabels } from './domain-labels.ts';

type App = Pick<ConsoleApp, 'config' | 'domainProviders'>;

export function signer(way: SendingDomain['way'], provider: string | null): Text {
  return provider === null ? wayLabels[way] : t('{name} signs the emails', { name: providerName(provider) });
}

export function holdLabel({ config }: App): Text {
  return t('Emails wait until the domain is verified again, at most {hours, plural, one {# hour} other {# hours}}', {
    hours: config.delivery.expiry_ms / hour_ms,
  });
}

export function fallbackLabel({ config }: App): Text {
  return t('Emails come from {fallback}', { fallback: config.email.domain });
}

interface AddFieldsProps {
  app: App;
  formState: FormState;
}

/** Fields of a new domain. They depend on the providers in use. */
export function AddFields({ app, formState }: AddFieldsProps) {
  const { sign, withKeys } = app.domainProviders;
  const here = { value: 'signed-here', label: wayLabels['signed-here'], hint: t('Pennypost creates the key.') };
  const relay = { value: 'relay', label: wayLabels.relay, hint: t('It has the key, and you know its selector.') };
  const choices = [
    ...(sign ? [here, relay] : []),
    ...withKeys.map((name) => ({ value: `provider ${name}`, label: signer('provider', name) })),
  ];
  return (
    <>
      <Field
        formState={formState}
        name="name"
        label={t('Domain')}
        hint={t('Such as notify.council.example. Use one that has no other mail.')}
        autocomplete="off"
      />
      {choices.length > 1 && (
        <Choices
          formState={formState}
          name="way"
          legend={t('Who signs the emails?')}
          kind="one"
          choices={choices}
          chosen={[choices[0]?.value ?? '']}
        />
      )}
      {sign && (
        <Field
          formState={formState}
          name="selector"
          label={t('Selector of your mail server')}
          hint={t('Only if your mail server signs. In “s1._domainkey.council.example” the selector is s1.')}
          autocomplete="off"
        />
      )}
      {withKeys.length > 0 && (
        <ProviderRecords
          formState={formState}
          hint={t('Only if the provider signs and we cannot read them there. One per line: type, name and value.')}
        />
      )}
    </>
  );
}

/** Fields of an existing domain. */
export function ChangeFields({ app, domain, formState }: AddFieldsProps & { domain: SendingDomain }) {
  const ofProvider = domain.records.filter(({ purpose }) => purpose === 'signature' || purpose === 'return-path');
  return (
    <>
      <Field
        formState={formState}
        name="return_path_domain"
        label={t('Bounces go to (optional)')}
        hint={t('One of your domains. Its MX record must point to the mail server that receives our bounces.')}
        value={domain.return_path_domain ?? undefined}
        autocomplete="off"
      />
      {domain.way === 'provider' && (
        <ProviderRecords
          formState={formState}
          hint={t('One per line: type, name and value.')}
          value={ofProvider.map(({ type, name, value }) => `${type} ${name} ${value}`).join('\n')}
        />
      )}
      <Choices
        formState={formState}
        name="suspended"
        legend={t('If the domain is suspended')}
        kind="one"
        choices={[
          { value: 'fall-back', label: fallbackLabel(app) },
          { value: 'hold', label: holdLabel(app) },
        ]}
        chosen={[domain.hold ? 'hold' : 'fall-back']}
      />
    </>
  );
}

function ProviderRecords({ formState, hint, value }: { formState: FormState; hint: Text; value?: string }) {
  return (
    <TextArea
      formState={formState}
      name="records"
      label={t('Records of the provider')}
      hint={hint}
      rows={4}
      {...(value === undefined ? {} : { value })}
    />
  );
}

interface PastedRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  purpose: 'signature' | 'return-path';
}

const maxRecords = 20;

/** Parses records as providers show them: one per line, with type, name and value separated by spaces or tabs. */
export function readRecords(text: string): PastedRecord[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > maxRecords)
    throw invalidField('records', t('Enter at most {maxRecords} records.', { maxRecords }));
  return lines.map((line, index) => {
    const [, type, name = '', value = ''] = /^\s*(CNAME|TXT|MX)\s+(\S{1,253})\s+(\S.{0,3999}?)\s*$/i.exec(line) ?? [];
    if (type === undefined) {
      throw invalidField(
        'records',
        t('Enter line {line} as type, name and value, such as CNAME em.council.example u1.provider.example.', {
          line: index + 1,
        }),
      );
    }
    const lower = name.toLowerCase().replace(/\.$/, '');
    return {
      type: type.toUpperCase() as PastedRecord['type'],
      name: lower,
      value: value.replace(/^"(.*)"$/, '$1'),
      purpose: lower.includes('._domainkey.') ? 'signature' : 'return-path',
    };
  });
}
