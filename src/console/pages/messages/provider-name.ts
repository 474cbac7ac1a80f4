import { providers } from '../../../delivery/providers/providers.ts';

const names = new Map<string, string>(providers.map(({ name, details }) => [name, details.display_name]));

/** As people know it. Letters have a printer instead. */
export function providerName(identifier: string): string {
  return names.get(identifier) ?? (identifier === 'dvla' ? 'Printer' : identifier);
}
