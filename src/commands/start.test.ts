import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { changedConfig } from '../../test/kit/fakes/changed-config.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { claimPort } from '../../test/kit/process/claim-port.ts';
import { start } from './start.ts';

const harness = useHarness();

const isListening = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1').on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });

it.each([
  ['api', true],
  ['worker', false],
] as const)('%s: whether the SMTP inlet listens is %s', async (role, expected) => {
  const { config, log, pool } = harness.app;
  const [port, smtpPort] = [await claimPort(), await claimPort()];
  const changed = changedConfig(config, {
    http: { host: '127.0.0.1', port },
    inlet: { listen: { host: '127.0.0.1', port: smtpPort }, plainLoopback: true },
  });
  const roles = { api: role === 'api', worker: role === 'worker' };
  const started = await start(changed, log, pool.options.connectionString ?? '', roles);
  const listening = [await isListening(port), await isListening(smtpPort)];
  await started.stop();
  expect(listening).toEqual([true, expected]);
});
