import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { longestTurn_ms } from '../../../../test/kit/process/processor-time.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let person: string;
let browser: ConsoleVisitor;

beforeAll(async () => {
  person = (await aPerson(harness, { name: 'Grace Hopper' })).id;
  service = await aService(harness, { permissions: ['sms', 'email', 'letter', 'template_languages'] });
  await joinService(harness, service, person);
  browser = await signedIn(harness, person);
});

const pageOf = (template: string) => `/console/services/${service}/templates/${template}/history`;
const save = async (template: string, change: object) => {
  const saved = await harness.admin('POST', `/service/${service}/template/${template}`, {
    ...change,
    created_by: person,
  });
  expect(saved.status).toBe(200);
};
const comparisons = (text: string) =>
  [...text.matchAll(/<section class="diff" aria-label="([^"]*)"/g)].map(([, name]) => name);

describe('the history of a template', () => {
  it('404 for a version that there is not', async () => {
    const page = pageOf(await aTemplate(harness, service, { template_type: 'sms', content: 'Hello' }));
    for (const query of ['with=2', 'compare=0', 'with=99999999999', 'compare=-1', 'with=1e0', 'page=2']) {
      expect([query, (await browser.get(`${page}?${query}`)).status]).toEqual([query, 404]);
    }
  });

  it('lists 50 versions on a page, and compares any two', async () => {
    const template = await aTemplate(harness, service, { template_type: 'sms', content: 'Version 1' });
    for (let version = 2; version <= 53; version += 1) await save(template, { content: `Version ${version}` });
    const first = await browser.get(pageOf(template));
    expect(first.text).toContain('1 to 50 of 53');
    expect(first.text).toMatch(/<del>.*52.*<ins>.*53/s);
    const second = await browser.get(`${pageOf(template)}?page=2`);
    expect(second.text.match(/<a href="[^"]*compare=/g)).toHaveLength(5);
    expect(second.text).toMatch(/<del>.*2.*<ins>.*3/s);
    const far = await browser.get(`${pageOf(template)}?compare=1&with=53`);
    expect(far.text).toMatch(/<option value="1" selected.*<del>.*1.*<ins>.*53/s);
  });

  it('compares one language of those that differ', async () => {
    const template = await aTemplate(harness, service, { template_type: 'sms', content: 'Hello' });
    const texts = (words: Record<string, string>) => ({
      languages: {
        default: 'en',
        variants: Object.entries(words).map(([language, content]) => ({ language, content })),
      },
    });
    await save(template, texts({ fr: 'Bonjour', nl: 'Hallo', cy: 'Helo' }));
    await save(template, texts({ fr: 'Salut', nl: 'Dag', cy: 'Helo' }));
    const page = await browser.get(`${pageOf(template)}?language=nl`);
    expect(comparisons(page.text)).toEqual([
      ...['Name', 'Message', 'Text in Dutch'].map((label) => `${label}, v2 compared with v3`),
    ]);
    expect(page.text).toMatch(/<option value="nl" selected/);
    expect(page.text).not.toContain('value="cy"');
    expect((await browser.get(`${pageOf(template)}?language=cy`)).text).toContain('Text in French');
  });

  it('of long texts, in 49 languages, is compared without stopping the process', { timeout: 300_000 }, async () => {
    const template = await aTemplate(harness, service, { template_type: 'email', subject: 'S', content: 'Hello' });
    const words = (mark: string) =>
      Array.from({ length: 6_000 }, (_, index) => `${mark}${index.toString(36)}`).join(' ');
    const tags = Array.from({ length: 49 }, (_, index) => `en-x-${String(index).padStart(3, 'a')}`);
    for (const mark of ['a', 'b']) {
      const variants = tags.map((language, index) => ({ language, subject: 'S', content: words(mark + index) }));
      await save(template, { content: words(mark), languages: { default: 'en', variants } });
    }
    let text = '';
    const longest_ms = await longestTurn_ms(async () => {
      ({ text } = await browser.get(pageOf(template)));
    });
    expect(comparisons(text)).toHaveLength(4);
    expect(Buffer.byteLength(text)).toBeLessThan(300_000);
    expect(longest_ms).toBeLessThan(200);
  });
});
