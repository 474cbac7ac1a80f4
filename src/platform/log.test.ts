import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function linesOf(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('debug', { write: (line) => void lines.push(line) }));
  return lines.join('');
}

describe('log lines', () => {
  it('redact sensitive fields, at the usual depths', () => {
    const text = linesOf((log) =>
      log.info(
        {
          personalisation: { name: 'canary' },
          row: { to: 'canary', email_address: 'canary' },
          a: { b: { token: 'canary' } },
        },
        'a line',
      ),
    );
    expect(text).toContain('a line');
    expect(text).not.toContain('canary');
  });

  it('contain database errors without quoted values', () => {
    const error = Object.assign(new Error('invalid input syntax for type uuid: "canary value"'), {
      code: '22P02',
      detail: 'Key (email_address)=(canary) already exists.',
      parameters: ['canary'],
    });
    const text = linesOf((log) => log.error({ err: error }, 'failed'));
    expect(text).toContain('22P02');
    expect(text).not.toContain('canary');
  });
});
