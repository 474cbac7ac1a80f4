import { runCommand } from './processes.ts';

/** The settings of an installation with these databases as further message stores, which it also prepares. */
export async function addStores(
  environment: Record<string, string>,
  urls: readonly string[],
): Promise<Record<string, string>> {
  const numbered = urls.map((url, index) => `${index + 1}=${url}`);
  const settings = { ...environment, MESSAGE_STORES: numbered.join(' ') };
  for (const [index] of urls.entries()) await runCommand(settings, 'stores', 'add', String(index + 1));
  return settings;
}
