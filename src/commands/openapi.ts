import { buildApp } from '../app.ts';
import { type Command, print } from '../platform/command-line.ts';
import { createLog } from '../platform/log.ts';
import { readConfig } from './read-config.ts';
import { buildHttp } from './start.ts';

export const openapi: Command = {
  run,
};

async function run(): Promise<void> {
  const app = buildApp(readConfig(), { databaseUrl: 'postgres://unused', log: createLog('silent') });
  const http = await buildHttp(app);
  await http.ready();
  print(JSON.stringify(http.swagger(), null, 2));
}
