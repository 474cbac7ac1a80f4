import { wordsIn } from '../../countries/answers/answers.ts';
import type { Country } from '../../countries/country.ts';

/** Returns the reply to a keyword where the service has not written one. `help` is the operator's help text, if any. */
export function defaultReply(
  country: Pick<Country, 'answers'>,
  action: 'stop' | 'help',
  { language, service, help }: { language: string; service: string; help: string | undefined },
): string {
  const { stopReply, helpReply, helpText } = wordsIn(country, language);
  const values: Record<string, string> = { service, help: help ?? helpText };
  return (action === 'stop' ? stopReply : helpReply).replaceAll(/\{(service|help)\}/g, (_, name) => values[name] ?? '');
}
