import * as setting from '../../platform/setting.ts';
import type { ProviderDescriptor } from './descriptor.ts';

type Intersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/** The choice of providers, and the settings of each. */
export function providerSettings<P extends ProviderDescriptor>(providers: readonly P[]) {
  const choice = {
    SMS_PROVIDERS: setting.listOf<string>(
      'Text message providers. With several, the traffic is shared between them, with failover.',
      namesOf(providers, 'sms'),
      { fallback: ['sandbox'] },
    ),
    EMAIL_PROVIDERS: setting.listOf<string>('Email providers.', namesOf(providers, 'email'), {
      fallback: ['sandbox'],
    }),
  };
  const ofEach = Object.assign({}, ...providers.map(({ settings }) => settings)) as Intersection<P['settings']>;
  return Object.assign(choice, ofEach);
}

/** Problems of the settings of providers, most of them only if the provider is active. A setting that could not be read is undefined. */
export function providerProblems(
  providers: readonly ProviderDescriptor[],
  values: { SMS_PROVIDERS?: string[]; EMAIL_PROVIDERS?: string[] } & { [name: string]: unknown },
): string[] {
  const active = [
    ...named(providers, 'sms', values.SMS_PROVIDERS),
    ...named(providers, 'email', values.EMAIL_PROVIDERS),
  ];
  return [
    ...active.flatMap(({ name, required = [] }) =>
      required
        .filter((needed) => values[needed] === undefined)
        .map((needed) => `${needed} must be set for the provider ${name}`),
    ),
    ...active.flatMap((provider) => provider.problems?.(values) ?? []),
    ...providers.flatMap(({ together = [] }) => setting.problemsOfGroup(values, together)),
  ];
}

function namesOf(providers: readonly ProviderDescriptor[], channel: ProviderDescriptor['channel']): string[] {
  return providers.filter((provider) => provider.channel === channel).map(({ name }) => name);
}

function named(
  providers: readonly ProviderDescriptor[],
  channel: ProviderDescriptor['channel'],
  names: string[] = [],
): ProviderDescriptor[] {
  return names.flatMap(
    (name) => providers.find((provider) => provider.channel === channel && provider.name === name) ?? [],
  );
}
