import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../test/kit/world/console-people.ts';
import { ConsoleVisitor } from '../../test/kit/world/console-visitor.ts';

const harness = useHarness({ environment: { LANGUAGES: 'en,en-XA,ar-XB' } });

describe('the language of a page', () => {
  const htmlOf = (text: string) => /<html[^>]*>/.exec(text)?.[0];
  const signInPage = (headers: Record<string, string>) => new ConsoleVisitor(harness).get('/console/sign-in', headers);

  it('is that of the browser, then of its cookie, for people who are not signed in', async () => {
    const plain = await signInPage({});
    expect([htmlOf(plain.text), plain.headers.vary]).toEqual(['<html lang="en-GB">', 'accept-language, cookie']);
    const pseudo = await signInPage({ 'accept-language': 'de, ar-XB;q=0.5' });
    expect(htmlOf(pseudo.text)).toBe('<html lang="ar-XB" dir="rtl">');
    const chosen = await signInPage({ 'accept-language': 'ar-XB', cookie: 'pennypost_language=en-XA' });
    expect(chosen.h1).toMatch(/^\[Šîĝñ îñ ~+\]$/);
    expect((await signInPage({ 'accept-language': '\u0000;'.repeat(9), cookie: 'pennypost_language=xx' })).h1).toBe(
      'Sign in',
    );
  });

  it('is the one that a person has chosen, from the notice about it on', async () => {
    const { id } = await aPerson(harness);
    const visitor = await signedIn(harness, id);
    const path = '/console/account/language-and-time';
    expect((await visitor.get(path)).text).toContain('<option value="en-XA" lang="en-XA">');
    const account = await visitor.follow(await visitor.post(path, { language: 'en-XA' }));
    expect(account.text).toMatch(/role="status".*?\[Ļåñĝ/s);
    expect((await harness.admin('GET', `/user/${id}`)).body.data.language).toBe('en-XA');
    const problem = await visitor.post(path, { language: 'fr' });
    expect([problem.status, Object.keys(problem.problems)]).toEqual([400, ['language']]);
    expect(problem.problems.language).toMatch(/^\[/);
    await visitor.post(path, { language: '' });
    expect((await harness.admin('GET', `/user/${id}`)).body.data).not.toHaveProperty('language');
    expect((await visitor.get(path)).h1).toBe('Language and time');
  });

  it('is that of each viewer in a live part that open pages share', async () => {
    const service = await aService(harness);
    const visitors = [];
    for (const language of [null, 'en-XA', 'ar-XB', null]) {
      const { id } = await aPerson(harness);
      await joinService(harness, service, id);
      await harness.admin('POST', `/user/${id}`, { language });
      visitors.push(await signedIn(harness, id));
    }
    const lists = [];
    for (const visitor of visitors) {
      const part = await visitor.get(`/console/services/${service}/messages/list`, { 'x-live-part': 'true' });
      lists.push([part.status, part.text]);
    }
    const [english, ...others] = lists;
    expect(new Set(others.map(String)).size).toBe(3);
    expect(others.at(-1)).toEqual(english);
    expect(english?.[0]).toBe(200);
  });

  it.each(['not a language', ''])('400 for %j in the admin API', async (language) => {
    const { id } = await aPerson(harness);
    const answer = await harness.admin('POST', `/user/${id}`, { language });
    expect([answer.status, answer.body.message]).toEqual([
      400,
      { language: ['Not a language tag, such as fr or fr-CA'] },
    ]);
    expect((await harness.admin('GET', `/user/${id}`)).body.data).not.toHaveProperty('language');
  });
});

describe('a language of the operator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'pennypost-languages-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const translations = { 'Sign in': 'Ynlogge', 'Language and time': 'Taal en tiid', 'Email address': 'E-postadres' };
  const entries = Object.entries(translations).map(([text, own]) => `msgid "${text}"\nmsgstr "${own}"\n`);
  writeFileSync(join(folder, 'fy.po'), entries.join('\n'));
  const frisian = useHarness({ environment: { LANGUAGES: 'en,nl,fr,cy,fy', LANGUAGES_DIR: folder } });

  it('is a file and nothing else: people find it, choose it and read it', async () => {
    const door = await new ConsoleVisitor(frisian).get('/console/sign-in', { 'accept-language': 'fy-NL, nl;q=0.5' });
    expect([door.h1, /<html[^>]*>/.exec(door.text)?.[0]]).toEqual(['Ynlogge', '<html lang="fy">']);
    expect(door.text).toContain('E-postadres');
    // What it lacks is English.
    expect(door.text).toContain('Password');
    const { id } = await aPerson(frisian);
    const visitor = await signedIn(frisian, id);
    const path = '/console/account/language-and-time';
    expect((await visitor.get(path)).text).toContain('<option value="fy" lang="fy">Frysk</option>');
    await visitor.post(path, { language: 'fy' });
    expect((await visitor.get(path)).h1).toBe('Taal en tiid');
  });
});
