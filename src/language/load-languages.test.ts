import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Language } from './language.ts';
import { Languages } from './languages.ts';
import { findUnknownKeys, loadLanguages } from './load-languages.ts';
import { inLanguage, t } from './text.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-languages-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(tag: string, entries: Record<string, string>) {
  const lines = Object.entries(entries).map(
    ([text, translation]) => `msgid ${JSON.stringify(text)}\nmsgstr ${JSON.stringify(translation)}\n`,
  );
  writeFileSync(join(folder, `${tag}.po`), lines.join('\n'));
}

const load = (tags: string[], isNamed = true) => loadLanguages({ tags, isNamed, locale: 'nl-NL', folder });

describe('LANGUAGES_DIR', () => {
  it('adds a language with one file and nothing else', () => {
    write('fy', { Templates: 'Sjabloanen' });
    const { languages, problems } = load(['fy', 'en']);
    expect(problems).toEqual([]);
    expect(languages.offered.map(({ tag, ownName }) => [tag, ownName])).toEqual([
      ['fy', 'Frysk'],
      ['en', 'English'],
    ]);
    expect(inLanguage(languages.default, () => [t('Templates'), t('Settings')].map(String))).toEqual([
      'Sjabloanen',
      'Settings',
    ]);
  });

  it('replaces single texts, also English ones, and completes a dialect from its language', () => {
    write('en', { Templates: 'Drafts' });
    write('de', { Templates: 'Vorlagen', Settings: 'Einstellungen' });
    write('de-AT', { Settings: 'Einrichten' });
    const { languages } = load(['de-AT', 'en']);
    const texts = languages.offered.map((language) =>
      inLanguage(language, () => [t('Templates'), t('Settings')].map(String)),
    );
    expect(texts).toEqual([
      ['Vorlagen', 'Einrichten'],
      ['Drafts', 'Settings'],
    ]);
  });

  it('refuses what would break a page, and names its line', () => {
    write('fr', {
      'Hello {name}': 'Bonjour {nom}',
      'Remove <b>it</b>': 'Retirer <i>cela</i>',
      '{count, plural, one {# row} other {# rows}}': '{count, plural, one {# ligne} other {# lignes}}',
      Templates: '{Modèles',
      'Hello ((name)) ((given??They wrote:))': 'Bonjour ((nom)) ((given??Message :))',
    });
    const { problems } = load(['fr']);
    expect(problems).toEqual([
      'LANGUAGES_DIR: fr.po, line 1 lacks the value {name}',
      'LANGUAGES_DIR: fr.po, line 1 invents the value {nom}',
      'LANGUAGES_DIR: fr.po, line 4 lacks the tag <b>',
      'LANGUAGES_DIR: fr.po, line 4 invents the tag <i>',
      'LANGUAGES_DIR: fr.po, line 7 lacks the plural form many',
      expect.stringContaining('LANGUAGES_DIR: fr.po, line 10 has a wrong syntax: '),
      'LANGUAGES_DIR: fr.po, line 13 lacks the placeholder ((name))',
      'LANGUAGES_DIR: fr.po, line 13 invents the placeholder ((nom))',
    ]);
  });

  it('names texts that do not exist', () => {
    write('it', { Templates: 'Modelli', 'No such text': 'Niente' });
    expect(findUnknownKeys(folder, ['it', 'en'])).toEqual(['it: No such text']);
  });

  it('must exist, and have readable files', () => {
    writeFileSync(join(folder, 'pl.po'), 'msgid Templates');
    expect(load(['pl']).problems).toEqual([
      `${join(folder, 'pl.po')} cannot be read: line 1 is neither a comment nor a text in quotes`,
      'LANGUAGES names pl, and there is no file pl.po',
    ]);
    const missing = join(folder, 'nowhere');
    expect(loadLanguages({ tags: ['en'], isNamed: false, locale: 'en-GB', folder: missing }).problems).toEqual([
      `LANGUAGES_DIR is ${missing}, which does not exist`,
    ]);
  });
});

describe('offered languages', () => {
  it('are only those with texts, and English where there is none', () => {
    const choose = (tags: string[], isNamed: boolean) => loadLanguages({ tags, isNamed, locale: 'en-GB' });
    expect(choose(['zu', 'en'], false).languages.offered.map(({ tag }) => tag)).toEqual(['en']);
    expect(choose(['zu'], false).languages.default.tag).toBe('en');
    expect(choose(['zu', 'en'], true).problems).toEqual(['LANGUAGES names zu, and there is no file zu.po']);
    expect(choose(['en', 'en-XA', 'ar-XB'], true).languages.offered.map(({ direction }) => direction)).toEqual([
      'ltr',
      'ltr',
      'rtl',
    ]);
  });

  it('are chosen by Accept-Language', () => {
    const language = (tag: string) => new Language({ tag, catalogue: new Map() });
    const languages = new Languages(['en', 'fr', 'fr-CA', 'nl'].map(language));
    const accepted = (header?: string) => languages.accepted(header)?.tag;
    expect(accepted('fr-CH, fr;q=0.9, en;q=0.8, *;q=0.5')).toBe('fr');
    expect(accepted('FR-ca')).toBe('fr-CA');
    expect(accepted('de, en;q=0.1, nl;q=0.7')).toBe('nl');
    expect(accepted('nl;q=0, en;q=x')).toBeUndefined();
    expect(accepted('de')).toBeUndefined();
    expect(accepted('x'.repeat(100_000))).toBeUndefined();
    expect(accepted(undefined)).toBeUndefined();
  });
});
