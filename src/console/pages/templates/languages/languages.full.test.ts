import { beforeAll, describe, expect, it } from 'vitest';
import { aQueuedMessage } from '../../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let template: string;
let ada: ConsoleVisitor;

beforeAll(async () => {
  service = await aService(harness, { permissions: ['sms', 'email', 'letter', 'template_languages'] });
  template = await aTemplate(harness, service, { content: 'Hello ((name))' });
  const { id } = await aPerson(harness, { name: 'Ada' });
  const permissions = [{ permission: 'manage_templates' }, { permission: 'view_activity' }];
  await harness.admin('POST', `/service/${service}/users/${id}`, { permissions });
  ada = await signedIn(harness, id);
});

const path = (rest = '', of = template) => `/console/services/${service}/templates/${of}/languages${rest}`;
const stored = async () => (await harness.admin('GET', `/service/${service}/template/${template}`)).body.data;
const version = async () => String((await stored()).version);

describe('the languages of a template', () => {
  it('are added beside the text of the template, with a warning about placeholders', async () => {
    const form = { version: await version(), language: 'fr_ca', content: 'Bonjour ((nom))' };
    const preview = await ada.post(path('/new'), { ...form, do: 'preview' });
    expect(preview.text).toContain('This text does not have these placeholders: ((name)).');
    expect(preview.text).toContain('Only this text has these placeholders: ((nom)).');
    expect((await stored()).languages).toBeUndefined();
    const saved = await ada.post(path('/new'), form);
    expect([saved.status, saved.location]).toEqual([303, path()]);
    const variants = [{ language: 'fr-CA', subject: null, content: 'Bonjour ((nom))' }];
    expect((await stored()).languages).toEqual({ default: 'en', field: 'language', refuse_unknown: false, variants });
    const page = await ada.get(path());
    expect(page.text).toContain('Canadian French');
    expect(page.text).toContain('Different placeholders');
  });

  it('are refused twice, without a text, without a tag and after a change by somebody else', async () => {
    const good = { version: await version(), language: 'cy', content: 'Helo' };
    const attempt = async (change: object) => {
      const { status, text } = await ada.post(path('/new'), { ...good, ...change });
      expect(status).toBe(400);
      return text;
    };
    expect(await attempt({ language: 'fr-CA' })).toContain('The template has a text in this language already.');
    expect(await attempt({ language: 'en' })).toContain('The template has a text in this language already.');
    expect(await attempt({ content: ' ' })).toContain('Enter the message.');
    expect(await attempt({ language: 'not a language' })).toContain('Enter a language tag, such as fr or fr-CA.');
    expect(await attempt({ version: '1' })).toContain('Somebody has changed the template in the meantime');
    expect((await stored()).languages.variants).toHaveLength(1);
  });

  it('are those of the messages that have them', async () => {
    const of = {
      template_id: template,
      template_version: Number(await version()),
      personalisation: { name: 'Ada', nom: 'Ada' },
    };
    const own = await aQueuedMessage(harness, service, of);
    const other = await aQueuedMessage(harness, service, { ...of, language: 'fr-CA' });
    const shown = async (id: string) => (await ada.get(`/console/services/${service}/messages/${id}`)).text;
    expect(await shown(own)).toContain('<p class="bubble">Hello Ada</p>');
    expect(await shown(other)).toContain('<p class="bubble" lang="fr-CA">Bonjour Ada</p>');
  });

  it('are edited, refused for others, and removed', async () => {
    await ada.post(path('/fr-CA'), { version: await version(), content: 'Salut ((name))' });
    const { text } = await ada.get(path('/fr-CA'));
    // Read aloud in its own language, each: the text beside it, the field and the preview.
    expect(
      text
        .match(/<[^>]* lang="(?!en-GB)[^>]*>/g)
        ?.map((tag) => tag.replaceAll(/^<(\w+).* lang="([^"]*)".*$/gs, '$1 $2')),
    ).toEqual(['pre en', 'textarea fr-CA', 'p fr-CA']);
    const form = { version: await version(), default: 'en-GB', field: 'langue', refuse: 'yes' };
    expect((await ada.post(path(), form)).status).toBe(303);
    expect((await stored()).languages).toMatchObject({ default: 'en-GB', field: 'langue', refuse_unknown: true });
    await ada.post(path('/fr-CA'), { version: await version(), do: 'remove' });
    expect((await stored()).languages).toBeUndefined();
  });

  it('have no pages without the permission, for another language or in a letter in Welsh', async () => {
    expect((await ada.get(path('/de'))).status).toBe(404);
    const letter = await aTemplate(harness, service, {
      ...{ template_type: 'letter', subject: 'News', letter_languages: 'welsh_then_english' },
      ...{ letter_welsh_subject: 'Helo', letter_welsh_content: 'Helo' },
    });
    expect((await ada.get(path('', letter))).status).toBe(404);
    await harness.admin('POST', `/service/${service}`, { permissions: ['sms', 'email', 'letter'] });
    expect((await ada.get(path())).status).toBe(404);
  });
});

describe('the preview of a template in several languages', () => {
  const texts = { letter: 'Twee\n\n***\n\nBladen', email: 'Hallo ((naam))' };

  async function aTemplateIn(template_type: 'letter' | 'email'): Promise<{ page: string; files: string; id: string }> {
    const owner = await aService(harness, { permissions: ['letter', 'email', 'template_languages'] });
    const { id: user } = await aPerson(harness, { name: 'Bob' });
    await joinService(harness, owner, user);
    bob = await signedIn(harness, user);
    const { status, body } = await harness.admin('POST', `/service/${owner}/template`, {
      ...{ name: 'Notice', template_type, subject: 'Hello', content: 'One ((name))', created_by: user },
      languages: { default: 'en', variants: [{ language: 'nl', subject: 'Hallo', content: texts[template_type] }] },
    });
    expect(status, JSON.stringify(body)).toBe(201);
    const { id } = body.data;
    const services = `/console/services/${owner}`;
    return {
      page: `${services}/templates/${id}`,
      files: `${services}/${template_type}-templates/${id}/versions/1`,
      id,
    };
  }
  let bob: ConsoleVisitor;

  it('shows the pages of a letter in the language that was chosen', async () => {
    const { page, files } = await aTemplateIn('letter');
    const own = await bob.get(page);
    expect(own.text).toContain(`href="${page}?language=nl"`);
    expect(own.text).not.toContain('/pages/2');
    const dutch = await bob.get(`${page}?language=nl`);
    expect(dutch.text).toMatch(/<a href="[^"]*language=nl" aria-current="page">Dutch<\/a>/);
    for (const file of ['pages/1', 'pages/2', 'pdf']) {
      expect(dutch.text).toContain(`"${files}/${file}?language=nl"`);
      expect((await bob.get(`${files}/${file}?language=nl`)).status).toBe(200);
    }
    expect((await bob.get(`${files}/pages/2`)).status).toBe(404);
    expect((await bob.get(`${page}?language=de`)).status).toBe(404);
    expect((await bob.get(`${files}/pdf?language=de`)).status).toBe(404);
  });

  it('shows an email, also below the text that is being written', async () => {
    const { page, files } = await aTemplateIn('email');
    const frame = `src="${files}/email?language=nl"`;
    expect((await bob.get(`${page}?language=nl`)).text).toContain(frame);
    const editor = await bob.get(`${page}/languages/nl`);
    expect(editor.text).toContain(frame);
    expect(editor.text).toContain('Preview of the saved text');
    const sent = await bob.get(`${files}/email?language=nl`);
    expect(sent.text).toContain('<html lang="nl">');
    expect(sent.text).toContain('Hallo');
  });

  it('the history compares every text', async () => {
    const { page } = await aTemplateIn('email');
    const form = { version: '1', subject: 'Hallo', content: 'Dag ((naam))' };
    expect((await bob.post(`${page}/languages/nl`, form)).status).toBe(303);
    const history = await bob.get(`${page}/history`);
    expect(history.text).toContain('Text in Dutch');
    expect(history.text).toMatch(/<ins>.*Dag/s);
  });
});
