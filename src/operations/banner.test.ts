import { afterEach, describe, expect, it, vi } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { printBanner } from './banner.ts';

const harness = useHarness();
const secret = '1b4e28ba-2fa1-11d2-883f-0016d3cca427';
const demo = {
  service_id: '6ce466d0-fd6a-11e5-82f5-e0accb9d11a6',
  api_key: `demo-6ce466d0-fd6a-11e5-82f5-e0accb9d11a6-${secret}`,
  templates: { sms: 'a', email: 'b', letter: 'c' },
};

const isTerminal = process.stdout.isTTY;
afterEach(() => {
  process.stdout.isTTY = isTerminal;
  harness.app.config.demo = { enabled: false, isOnlyHere: true };
  vi.restoreAllMocks();
});

function banner(
  isTTY: boolean,
  adminAddress = 'http://127.0.0.1:6011',
  setUpPath?: string,
  npmScript?: string,
): string {
  process.stdout.isTTY = isTTY;
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const facts = {
    app: harness.app,
    roles: { api: true },
    address: 'http://127.0.0.1:6011',
    databaseLocation: undefined,
    generated: [],
  };
  printBanner({ ...facts, adminAddress, demo, setUpPath, npmScript });
  return write.mock.calls.map(([text]) => String(text)).join('');
}

describe('printBanner', () => {
  it('prints the command with the key on a terminal', () => {
    expect(banner(true)).toContain(`Authorization: Bearer ${demo.api_key}`);
    expect(banner(true)).toContain('See it at http://localhost:6011/console/sandbox');
  });

  it('prints how to show the key if stdout is not a terminal', () => {
    expect(banner(false)).not.toContain(secret);
    expect(banner(false)).toMatch(
      /^node \S+ demo shows a ready-made curl command that sends a text message \(nothing/m,
    );
    expect(banner(false, undefined, undefined, 'start')).toMatch(/^npm run demo shows a ready-made curl command/m);
  });

  it('names the console as the links in messages do', () => {
    const { urls } = harness.app.config;
    expect(banner(true)).toContain(`Console         ${urls.api}/console\n`);
    expect(banner(true)).not.toContain('127.0.0.1');
  });

  it('prints the console first, and its set-up link on a terminal only', () => {
    expect(banner(true)).toMatch(/^\n.*\n\n {2}Console +http:\/\/localhost:6011\/console\n/);
    expect(banner(true)).not.toContain('Set it up');
    const path = '/start#K7QF-9MDX-2TRA';
    expect(banner(true, undefined, path)).toMatch(
      /Set it up +http:\/\/localhost:6011\/console\/start#K7QF-9MDX-2TRA\n/,
    );
    harness.app.config.demo.enabled = true;
    expect(banner(false, undefined, path)).toMatch(/Set it up +run: node \S+ console-link\n/);
    expect(banner(false, undefined, path, 'start')).toMatch(/Set it up +run: node \S+ console-link\n/);
  });

  it('says that others can read the sandbox, only if they can', () => {
    expect(banner(true)).not.toContain('/outbox');
    Object.assign(harness.app.config.demo, { enabled: true, isOnlyHere: false });
    expect(banner(true)).toContain(
      `\nAnyone who can reach ${harness.app.config.urls.api} can read the sandbox at /outbox without signing in, because DEMO is on.\n`,
    );
  });

  it('prints the port of the admin API if it is separate', () => {
    expect(banner(false)).not.toContain('Admin API');
    const text = banner(false, 'http://0.0.0.0:6013');
    expect(text).toMatch(/Admin API +http:\/\/localhost:6013\n/);
    expect(text).toMatch(/Metrics +http:\/\/localhost:6013\/metrics\n/);
    expect(text).toMatch(/Status +http:\/\/localhost:6011\/status\n/);
  });
});
