import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createCountry } from '../countries/country.ts';
import { examine } from '../operations/doctor/doctor.ts';
import type { Finding } from '../operations/doctor/finding.ts';
import { examineMove } from '../operations/doctor/moved-service.ts';
import { systemClock } from '../platform/clock.ts';
import { type Command, type Flags, print } from '../platform/command-line.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { SecretBox } from '../platform/secrets/secrets.ts';
import { getInstallationReadiness } from '../sending-domains/readiness/readiness.ts';
import { readConfig } from './read-config.ts';
import { KeyServer, readWholeKey } from './templates/key-server.ts';
import { printable } from './templates/report.ts';
import { withDatabase } from './with-database.ts';

const gcNotify = 'https://api.notification.canada.ca';

export const doctor: Command = {
  flags: {
    'gc-key-file': {
      value: '<file>',
      description: 'Check instead what applications with the API key in this file will miss when they move here',
    },
    email: {
      description: 'Check instead whether Gmail, Yahoo and Outlook will take the emails of EMAIL_DOMAIN',
    },
    url: { value: '<url>', description: `The server that the key is of (default: ${gcNotify})` },
  },
  run,
};

async function run(_: string[], flags: Flags): Promise<void> {
  const keyFile = flags['gc-key-file']?.at(-1);
  if (keyFile === undefined && flags.url) throw new OperatorError('Use --url together with --gc-key-file.');
  if (keyFile !== undefined && flags.email) throw new OperatorError('Use --email without --gc-key-file.');
  const config = readConfig();
  await withDatabase(config, async (url) => {
    if (flags.email) return examineEmail(config, url);
    const findings =
      keyFile === undefined
        ? await examine(config, url)
        : await examineKey(config, url, keyFile, flags.url?.at(-1) ?? gcNotify);
    for (const { name, ok, is_warning, description } of findings)
      print(printable(`${ok ? (is_warning ? 'warning' : 'ok     ') : 'PROBLEM'}  ${name.padEnd(12)} ${description}`));
    if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
  });
}

/** Prints each rule of the large mailbox providers, worst first. */
async function examineEmail(config: Config, databaseUrl: string): Promise<void> {
  const { db, close } = openDatabase({ url: databaseUrl, poolSize: 1, log: createLog('silent') });
  try {
    const country = createCountry(config.country.profile);
    const readiness = await getInstallationReadiness({ db, clock: systemClock, country, config });
    const { domain, nothing_is_sent, rows, verdict } = readiness;
    if (nothing_is_sent) print('Nothing is sent: the sandbox is on.');
    print(`Emails of ${domain}:`);
    for (const { row, verdict, evidence, advice } of rows) {
      print(printable(`${words[verdict]}  ${row.padEnd(14)} ${[evidence, advice].filter(Boolean).join(' ')}`));
    }
    if (verdict === 'fail') process.exitCode = 1;
  } finally {
    await close();
  }
}

const words = { pass: 'ok     ', warn: 'warning', fail: 'PROBLEM', unknown: 'unknown' };

/** Reads the key from a file, because other users of the machine can see the arguments of a command. */
async function examineKey(config: Config, databaseUrl: string, keyFile: string, url: string): Promise<Finding[]> {
  const key = await readFile(keyFile, 'utf8').catch(() => {
    throw new OperatorError(`${keyFile} cannot be read.`);
  });
  const { service, secret } = readWholeKey(key.trim());
  const templates = (await new KeyServer(url, key.trim()).list()).map(({ id, fields }) => ({ id, name: fields.name }));
  const { db, close } = openDatabase({ url: databaseUrl, poolSize: 1, log: createLog('silent') });
  try {
    const secrets = new SecretBox(config.encryption.keys);
    return await examineMove({ db, secrets }, { service_id: service, secret, templates });
  } finally {
    await close();
  }
}
