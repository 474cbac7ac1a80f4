import { createCountry } from '../countries/country.ts';
import type { Command, Flags } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { isUuid } from '../platform/id.ts';
import { readClientSettings, readCountry } from './read-config.ts';
import { AdminServer } from './templates/admin-server.ts';
import { check } from './templates/check.ts';
import { diff } from './templates/diff.ts';
import { importTemplates } from './templates/import.ts';
import { KeyServer } from './templates/key-server.ts';
import { preview, readValues } from './templates/preview.ts';
import { pull } from './templates/pull.ts';
import { push } from './templates/push.ts';
import { exitCodes, fail } from './templates/report.ts';
import type { TemplateServer } from './templates/template.ts';

const actions = ['pull', 'diff', 'push', 'check', 'preview', 'import'];

export const templates: Command = {
  flags: {
    url: { value: '<url>', description: 'The server (default: BASE_URL, or localhost with PORT)' },
    key: {
      value: '<key>',
      description:
        'An API key that can manage templates. Other users of this machine can see it, so prefer PENNYPOST_API_KEY',
    },
    service: {
      value: '<id>',
      description: 'Use the admin API for this service, with PENNYPOST_ADMIN_SECRET (and PENNYPOST_ADMIN_CLIENT)',
    },
    user: { value: '<id>', description: 'push and import with the admin API: the author of the new versions' },
    'dry-run': { description: 'push and import: check everything, print what would change, change nothing' },
    force: { description: 'push: overwrite changes on the server; pull: overwrite changes in files' },
    new: {
      description: 'push: create templates whose id the service does not have, as after a pull from another server',
    },
    'keep-ids': { description: 'push --new: those templates keep the ids of their files' },
    prune: { description: 'push: archive templates without a file; pull: delete files without a template' },
    out: { value: '<folder>', description: 'preview: where to write the messages' },
    values: { value: '<file>', description: 'preview: a JSON object with the values of placeholders' },
    dialect: {
      value: '<gc>',
      description: 'preview: warn about what differs from GC Notify; check: count characters as there',
    },
    'service-name': {
      value: '<name>',
      description: 'preview and check: the start of text messages; preview: the top of emails',
    },
    strict: { description: 'check: exit with 1 if there are hints' },
  },
  more: [
    'docs/guides/templates-as-code.md describes the files.',
    'Exit codes of diff: 0 the same, 1 differences, 2 an error or a broken file.',
    'Exit codes of the others: 0 done, 1 an error, 2 a broken file and nothing was pushed or pulled, 3 a conflict: somebody changed',
    'a template on the server and nothing was pushed, or a file has changes and was not overwritten.',
    '',
  ],
  run,
};

async function run([action = '', folder = '']: string[], flags: Flags): Promise<void> {
  const last = (name: string) => flags[name]?.at(-1);
  const force = flags.force !== undefined;
  const prune = flags.prune !== undefined;
  const { profile, languages } = readCountry();
  const country = createCountry(profile);
  switch (action) {
    case 'pull':
      return pull(country, folder, connect(flags, false), { force, prune });
    case 'push':
      if (flags['keep-ids'] && !flags.new) throw new OperatorError('Use --keep-ids together with --new.');
      return push(country, folder, connect(flags, true), {
        dryRun: flags['dry-run'] !== undefined,
        createUnknown: flags.new !== undefined,
        keepIds: flags['keep-ids'] !== undefined,
        force,
        prune,
      });
    case 'diff':
      return diff(country, folder, connect(flags, false)).catch(failAsDiffDoes);
    case 'preview': {
      const out = last('out');
      if (out === undefined) throw new OperatorError('Add --out with the folder for the messages.');
      const values = await readValues(last('values'));
      const dialect = readDialect(last('dialect'));
      return preview({ country, languages }, folder, { out, values, serviceName: last('service-name'), dialect });
    }
    case 'check':
      return check(country, folder, {
        strict: flags.strict !== undefined,
        serviceName: last('service-name'),
        dialect: readDialect(last('dialect')),
      });
    case 'import':
      return importTemplates(folder, { dryRun: flags['dry-run'] !== undefined, serverOf: serversOf(flags) });
    default:
      throw new OperatorError(`Unknown action "${action}". Use one of ${actions.join(', ')}.`);
  }
}

function readDialect(name: string | undefined): 'gc' | 'govuk' | undefined {
  if (name === undefined || name === 'gc' || name === 'govuk') return name;
  throw new OperatorError(`Unknown dialect "${name}". Use gc or govuk.`);
}

function failAsDiffDoes(error: unknown): void {
  if (!(error instanceof OperatorError)) throw error;
  fail(exitCodes.problems, error.message);
}

/**
 * With an API key, connects only to its service, and the templates need not name it. With the admin API, connects to the service in
 * --service, or to every service.
 */
function serversOf(flags: Flags): (service: string | undefined) => TemplateServer | undefined {
  const key = flags.service ? undefined : (flags.key?.at(-1) ?? readClientSettings().apiKey);
  const only = key?.slice(-73, -37).toLowerCase() ?? flags.service?.at(-1)?.toLowerCase();
  return (service) => {
    if (only !== undefined) return service === undefined || service === only ? connect(flags, true) : undefined;
    if (service === undefined) throw new OperatorError('The templates do not name their service: add --service.');
    return connect({ ...flags, service: [service] }, true);
  };
}

function connect(flags: Flags, writes: boolean): TemplateServer {
  const last = (name: string) => flags[name]?.at(-1);
  const settings = readClientSettings();
  const url = last('url') ?? settings.url;
  const service = last('service');
  const user = last('user');
  if (service === undefined) {
    const key = last('key') ?? settings.apiKey;
    if (key) return new KeyServer(url, key);
    throw new OperatorError(
      'Set PENNYPOST_API_KEY to a key that can manage templates, or use --service and the admin API.',
    );
  }
  const { adminSecret: secret, adminClient: client } = settings;
  if (!isUuid(service)) throw new OperatorError(`${service} is not the id of a service. Give --service an id.`);
  if (!secret) throw new OperatorError('Set PENNYPOST_ADMIN_SECRET to the secret of the admin API.');
  if (writes && (user === undefined || !isUuid(user)))
    throw new OperatorError('Add --user with the id of the author of the new versions.');
  return new AdminServer({ url, client, secret, service, user });
}
