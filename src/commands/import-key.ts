import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';
import { keyTypes } from '../protocol/key-types.ts';
import { readClientSettings } from './read-config.ts';
import { JsonRequests, signedToken } from './templates/json-requests.ts';
import { readWholeKey } from './templates/key-server.ts';
import { printable } from './templates/report.ts';

export const importKey: Command = {
  flags: {
    url: { value: '<url>', description: 'The server (default: BASE_URL, or localhost with PORT)' },
    user: { value: '<id>', description: 'The person who is responsible for the key' },
    type: { value: '<type>', description: `One of ${keyTypes.join(', ')} (default: normal)` },
  },
  more: [
    'The file has the whole key; - reads standard input. Needs PENNYPOST_ADMIN_SECRET here, and IMPORT_KEYS=on at the server.',
    '',
  ],
  run,
};

/** Reads the key from a file, because other users of the machine can see the arguments of a command. */
async function run([file = '']: string[], flags: Flags): Promise<void> {
  const { adminSecret, adminClient, url } = readClientSettings();
  if (!adminSecret) throw new OperatorError('Set PENNYPOST_ADMIN_SECRET to the secret of the admin API.');
  const user = flags.user?.at(-1);
  if (!isUuid(user)) throw new OperatorError('Add --user with the id of the person who is responsible for the key.');
  const given = flags.type?.at(-1) ?? 'normal';
  const key_type = keyTypes.find((type) => type === given);
  if (!key_type) throw new OperatorError(`Unknown type "${given}". Use one of ${keyTypes.join(', ')}.`);
  const key = (await readKey(file)).trim();
  const { service, secret } = readWholeKey(key);
  const name = key.slice(0, -`-${service}-${secret}`.length).replace(/^gcntfy-/, '') || 'imported';
  const requests = new JsonRequests(flags.url?.at(-1) ?? url, () => signedToken(adminClient, adminSecret));
  await requests.post(`/service/${service}/api-key`, { name, key_type, created_by: user, secret });
  print(printable(`Imported the key "${name}" of service ${service}.`));
  print('Revoke it at the other server on the day of the move, and replace it here within 30 days.');
}

function readKey(file: string): Promise<string> {
  if (file === '-') return text(process.stdin);
  return readFile(file, 'utf8').catch(() => {
    throw new OperatorError(`${file} cannot be read.`);
  });
}
