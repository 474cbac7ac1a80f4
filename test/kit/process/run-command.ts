import { vi } from 'vitest';
import { clientSettings } from '../../../src/commands/settings.ts';
import { main } from '../../../src/main.ts';
import { OperatorError } from '../../../src/platform/failure.ts';

const variables = Object.values(clientSettings).flatMap(({ name }) => [name, `${name}_FILE`]);

/** As the operator runs it, in this process: starting another takes longer than most commands. */
export async function runCommand(args: string[], environment: Record<string, string> = {}) {
  const written = { out: '', err: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name === 'stdout' ? 'out' : 'err'] += String(text);
      return true;
    }),
  );
  for (const name of [...variables, ...Object.keys(environment)]) vi.stubEnv(name, environment[name]);
  process.exitCode = 0;
  try {
    await main(args);
    return { code: Number(process.exitCode), ...written };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return { code: 1, out: written.out, err: `${written.err}${error.message}` };
  } finally {
    process.exitCode = 0;
    vi.unstubAllEnvs();
    for (const spy of spies) spy.mockRestore();
  }
}
