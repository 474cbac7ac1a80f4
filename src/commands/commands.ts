import type { ListedCommand } from '../platform/command-line.ts';

/** Every command, in the order of the help text. A command is loaded when it runs, because loading the whole application takes seconds. */
export const commands: Record<string, ListedCommand> = {
  serve: {
    description: 'Run the API and the worker in one process (the default setup)',
    load: async () => (await import('./serve.ts')).serve,
  },
  api: {
    description: 'Run only the HTTP API',
    load: async () => (await import('./serve.ts')).api,
  },
  worker: {
    description: 'Run only the worker; serves /livez, /readyz and /metrics over HTTP',
    load: async () => (await import('./serve.ts')).worker,
  },
  migrate: {
    description: 'Apply database migrations, then exit',
    load: async () => (await import('./database.ts')).migrateCommand,
  },
  backup: {
    description: 'Back up to a new folder while the service runs',
    takes: '<folder>',
    load: async () => (await import('./database.ts')).backupCommand,
  },
  restore: {
    description: 'Restore a backup into an unused database',
    takes: '<folder>',
    load: async () => (await import('./database.ts')).restoreCommand,
  },
  demo: {
    description: 'Print a ready-made curl command for a first message, with the API key and templates of the demo',
    load: async () => (await import('./demo.ts')).demo,
  },
  'console-link': {
    description: 'Print a link that sets up the console, or that signs in a person who is locked out',
    load: async () => (await import('./admins.ts')).consoleLink,
  },
  'create-admin': {
    description: 'Create the first platform administrator and print a link to set the password',
    takes: '<name> <email> <mobile>',
    load: async () => (await import('./admins.ts')).createAdmin,
  },
  country: {
    description:
      'Show the country of this installation and where each value comes from, or change its time zone or its slots of postage',
    takes: '<show|change>',
    load: async () => (await import('./country.ts')).country,
  },
  rates: {
    description: 'Import what texts to other countries cost',
    takes: '<import> <file>',
    load: async () => (await import('./rates.ts')).rates,
  },
  rekey: {
    description: 'Re-encrypt everything with the first key of SECRET_KEYS, while the service runs',
    load: async () => (await import('./database.ts')).rekeyCommand,
  },
  doctor: {
    description:
      'Check settings, disk, database, clock and providers, and suggest fixes; or check a move from GC Notify',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  sandbox: {
    description: 'Start a disposable instance for a test suite: prints its keys as JSON, exits with its parent',
    load: async () => (await import('./sandbox.ts')).sandbox,
  },
  send: {
    description: 'Send a file of recipients through the API, and show its progress',
    takes: '<file>',
    load: async () => (await import('./send.ts')).send,
  },
  templates: {
    description: 'Keep templates in files: pull, compare, push and preview them; import an export of another server',
    takes: '<pull|diff|push|preview|import> <folder>',
    load: async () => (await import('./templates.ts')).templates,
  },
  'import-key': {
    description: 'Create an API key with the secret that it had on another server',
    takes: '<file>',
    load: async () => (await import('./import-key.ts')).importKey,
  },
  letters: {
    description: 'Write a page with the outline of the address window, to try with a real envelope',
    takes: '<grid> <file>',
    load: async () => (await import('./letters.ts')).letters,
  },
  holidays: {
    description: 'Import days on which letters are not printed from a calendar file (.ics)',
    takes: '<import> <file>',
    load: async () => (await import('./letters.ts')).holidays,
  },
  config: {
    description: 'Print every setting and its value, without secrets',
    load: async () => (await import('./config.ts')).config,
  },
  openapi: {
    description: 'Print the OpenAPI document of the API',
    load: async () => (await import('./openapi.ts')).openapi,
  },
};
