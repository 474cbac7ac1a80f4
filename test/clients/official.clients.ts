import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../src/operations/sandbox.ts';
import { platformUserId } from '../../src/users/platform-user.ts';
import { jwt } from '../kit/builders/jwt.ts';
import { firstPage, makePdf } from '../kit/samples/pdf-samples.ts';
import { blockOfGuide, languages } from './languages.ts';

/** The official clients, installed from their registries, against a sandbox; and the code in the guide. */

const folder = mkdtempSync(join(tmpdir(), 'pennypost-clients-'));
const credentials = 'mmg:of-the-client-tests';
const sandbox = spawn(process.execPath, ['dist/main.js', 'sandbox'], {
  env: { ...process.env, MMG_INBOUND_AUTH: credentials },
  stdio: ['pipe', 'pipe', 'inherit'],
});
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  const [line] = await once(createInterface(sandbox.stdout), 'line');
  const described: Sandbox = JSON.parse(line);
  const { base_url, api_keys, templates } = described;
  const LETTER_PDF = join(folder, 'letter.pdf');
  writeFileSync(LETTER_PDF, await makePdf([firstPage()]));
  const LANGUAGES_TEMPLATE = await setUpService(described);
  env = {
    ...process.env,
    ...{ PENNYPOST: base_url, API_KEY: api_keys.live, LETTER_PDF },
    LANGUAGES_TEMPLATE,
    ...{ SMS_TEMPLATE: templates.sms, EMAIL_TEMPLATE: templates.email, LETTER_TEMPLATE: templates.letter },
  };
});

afterAll(async () => {
  sandbox.stdin.end();
  if (sandbox.exitCode === null) await once(sandbox, 'exit');
  rmSync(folder, { recursive: true, force: true });
});

/** The service, which has a number in the sandbox, receives a text. Returns the id of a template in several languages. */
async function setUpService({ base_url, service_id, admin }: Sandbox): Promise<string> {
  const post = async (path: string, body: object, authorization: string) => {
    const response = await fetch(`${base_url}${path}`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${answer}`);
    return answer;
  };
  const token = jwt({ iss: admin.client_id, iat: Math.floor(Date.now() / 1_000) }, admin.client_secret);
  const permissions = ['sms', 'email', 'letter', 'inbound_sms', 'template_languages'];
  await post(`/service/${service_id}`, { permissions, contact_link: 'https://example.org/contact' }, `Bearer ${token}`);
  const basic = `Basic ${Buffer.from(credentials).toString('base64')}`;
  const text = { MSISDN: '447700900111', Number: '07700900900', Message: 'Hello+back', ID: '1', DateRecieved: '' };
  await post('/notifications/sms/receive/mmg', text, basic);
  const greeting = {
    ...{ name: 'Greeting', template_type: 'sms', content: 'Hello ((name))', created_by: platformUserId },
    languages: {
      ...{ default: 'en', field: 'language' },
      variants: [
        { language: 'fr', content: 'Bonjour ((name))' },
        { language: 'cy', content: 'Helo ((name))' },
      ],
    },
  };
  const { data } = JSON.parse(await post(`/service/${service_id}/template`, greeting, `Bearer ${token}`));
  return data.id;
}

const text = 'Hello Ada, see you on Friday.';

describe.each(languages)('the official client for $name', (language) => {
  beforeAll(() => language.install(folder));

  it('runs the code of the guide', async () => {
    const block = await blockOfGuide(language.mark);
    expect(await language.runBlock(folder, block, env)).toMatch(/^[0-9a-f-]{36}\n$/);
  });

  it('makes every call it offers', async () => {
    const reference = `uploaded by ${language.name.toLowerCase()}`;
    expect(await language.runRound(folder, env)).toEqual({
      text,
      email_subject: 'Welcome, Ada',
      has_link_to_file: true,
      letter_subject: 'A reminder',
      uploaded_letter: { reference, postage: 'first' },
      fetched: { type: 'sms', status: 'delivered', body: text },
      listed: [true],
      templates: ['Appointment', 'Greeting', 'Reminder', 'Welcome'],
      in_french: 'Bonjour Ada',
      preview_in_welsh: 'Helo Ada',
      in_other_language: 'Hello Ada',
      template: 'Welcome',
      first_version: 'Hello ((name)), see you on ((day)).',
      preview: text,
      received: ['Hello back'],
      pdf_of_letter: '%PDF-',
      pdf_of_uploaded_letter: '%PDF-',
      error: { status: 400, text: expect.stringContaining('Missing personalisation: day') },
    });
  });
});
