import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { storedMessage } from '../../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import type { ApiRequest } from './api-request.ts';
import { buildSnippets, languages } from './snippets.ts';

const harness = useHarness({ now: new Date().toISOString() });
const execute = promisify(execFile);
const hostile = `O'Hara "the" $HOME \\ #{1} \`x\` ((day))\n%s`;

let baseUrl: string;
let apiKey: string;
let requests: ApiRequest[];

beforeAll(async () => {
  baseUrl = await harness.http.listen({ port: 0, host: '127.0.0.1' });
  const service = await aService(harness);
  apiKey = await anApiKey(harness, service);
  const request = async (channel: ApiRequest['channel'], to: string): Promise<ApiRequest> => ({
    channel,
    template_id: await aTemplate(harness, service, {
      template_type: channel,
      subject: channel === 'sms' ? null : 'Hi',
    }),
    to,
    values: { name: hostile },
  });
  requests = [
    await request('sms', '07700 900123'),
    await request('email', "o'hara@example.org"),
    await request('letter', 'Ada Lovelace\n12 St James’s Square\nSW1Y 4JH'),
  ];
});

const codeOf = (request: ApiRequest, language: string) =>
  buildSnippets({ baseUrl, apiKey, request }).find(({ id }) => id === language)?.code ?? '';

async function run(request: ApiRequest, language: 'curl' | 'node'): Promise<string> {
  const code = codeOf(request, language);
  const { stdout } =
    language === 'curl'
      ? await execute('sh', ['-c', code])
      : await execute(process.execPath, ['--input-type=module', '-e', code]);
  return language === 'curl' ? JSON.parse(stdout).id : stdout.trim();
}

describe('the code of Quick start', () => {
  it.each(['curl', 'node'] as const)('sends what was typed with %s', async (language) => {
    for (const request of requests) {
      const stored = await storedMessage(harness, await run(request, language));
      expect(stored).toMatchObject({ notification_type: request.channel, template_id: request.template_id });
      expect(stored?.personalisation).toMatchObject({ name: hostile });
    }
  });

  it('has the address, the key, the template and the recipient in every language', () => {
    for (const request of requests) {
      const snippets = buildSnippets({ baseUrl, apiKey, request });
      expect(snippets.map(({ id }) => id)).toEqual([...languages]);
      for (const { id, code } of snippets) {
        for (const part of [baseUrl, apiKey, request.template_id])
          expect([id, code.includes(part)]).toEqual([id, true]);
      }
    }
  });

  it('ends no text of a language early', () => {
    const [request] = requests;
    if (!request) throw new Error('No request');
    expect(codeOf(request, 'php')).toContain(`'name' => 'O\\'Hara "the" $HOME \\\\ #{1} \`x\` ((day))\n%s',`);
    expect(codeOf(request, 'ruby')).toContain(`'name' => 'O\\'Hara "the" $HOME \\\\ #{1} \`x\` ((day))\n%s',`);
    for (const language of ['python', 'java', 'dotnet', 'go']) {
      expect(codeOf(request, language)).toContain(JSON.stringify(hostile));
    }
  });
});
