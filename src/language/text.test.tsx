import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { Language } from './language.ts';
import { T } from './sentence.tsx';
import { asIs, forApi, inEnglish, inLanguage, joined, list, t, within } from './text.ts';

const dutch = languageOf('nl', {
  Templates: 'Sjablonen',
  '{count, plural, one {# template} other {# templates}}': '{count, plural, one {# sjabloon} other {# sjablonen}}',
  'Remove {name} from <b>the team</b>': '<b>Uit het team</b> {name} verwijderen',
  'verb\u0004Open': 'Openen',
  Open: 'Open',
  'Hello {name}': 'Hallo {name}',
});
const welsh = languageOf('cy', {
  '{count, plural, one {# template} other {# templates}}':
    '{count, plural, zero {# templed} one {# templed} two {# dempled} few {# templed} many {# thempled} other {# templed}}',
});
const arabic = languageOf('ar', { 'Hello {name}': 'مرحبا {name}' });

function languageOf(tag: string, messages: Record<string, string>) {
  return new Language({ tag, catalogue: new Map(Object.entries(messages)) });
}

const templates = (count: number) => t('{count, plural, one {# template} other {# templates}}', { count });

describe('forApi', () => {
  it('keeps the sentence of the contract for programs, also within other texts, and says another one to people', () => {
    const text = forApi('Not valid.', t('Templates'));
    expect([text, joined([text, t('Hello {name}', { name: text })])].map(inEnglish)).toEqual([
      'Not valid.',
      'Not valid. Hello Not valid.',
    ]);
    expect([String(text), inLanguage(dutch, () => String(text))]).toEqual(['Templates', 'Sjablonen']);
  });
});

describe('t', () => {
  it('is written when it is read, in the language of that moment', () => {
    const text = t('Templates');
    expect(inLanguage(dutch, () => String(text))).toBe('Sjablonen');
    expect(String(text)).toBe('Templates');
    expect(inLanguage(dutch, () => inEnglish(text))).toBe('Templates');
  });

  it.each([
    [dutch, 1, '1 sjabloon'],
    [dutch, 1_204, '1.204 sjablonen'],
    [welsh, 2, '2 dempled'],
    [welsh, 6, '6 thempled'],
  ])('has the plural forms and numbers of the language: %o %i', (language, count, written) => {
    expect(inLanguage(language, () => String(templates(count)))).toBe(written);
  });

  it('writes English where a translation is missing, and tells equal texts apart by their context', () => {
    const texts = [t('Settings'), t('Open'), t('Open', { context: 'verb' })];
    expect(inLanguage(dutch, () => texts.map(String))).toEqual(['Settings', 'Open', 'Openen']);
  });

  it('keeps values apart from what is around them in languages from right to left', () => {
    const text = t('Hello {name}', { name: 'Anna' });
    expect(inLanguage(arabic, () => String(text))).toBe('مرحبا \u2068Anna\u2069');
    expect(arabic.direction).toBe('rtl');
  });

  it('keeps a phone number in order, also within elements and lists', () => {
    const number = '+33 6 12 34 56 78';
    const write = () => [
      renderToString(
        <T>
          Text <b>{{ number }}</b>
        </T>,
      ),
      String(list([number, '60006'])),
    ];
    expect(inLanguage(arabic, write)).toEqual([
      `Text <b><bdi>${number}</bdi></b>`,
      `\u2068${number}\u2069 و\u206860006\u2069`,
    ]);
    expect(write()).toEqual([`Text <b>${number}</b>`, `${number} and 60006`]);
  });

  it('never takes a value for a message', () => {
    expect(inLanguage(dutch, () => String(t('Hello {name}', { name: '{count} <b>Templates' })))).toBe(
      'Hallo {count} <b>Templates',
    );
    expect(inLanguage(dutch, () => asIs('Templates'))).toBe('Templates');
  });

  it('says which value a message lacks', () => {
    expect(() => String(t('Hello {name}'))).toThrow('lacks the value name');
  });

  it('works as a child and an attribute, escaped, and keeps nothing of the page', () => {
    const text = t('Hello {name}', { name: '<Anna> & "Bob"' });
    const html = inLanguage(dutch, () => renderToString(<p title={text}>{text}</p>));
    expect(html).toBe('<p title="Hallo &lt;Anna> &amp; &quot;Bob&quot;">Hallo &lt;Anna> &amp; &quot;Bob&quot;</p>');
    expect(Object.keys(text)).toEqual(['write', 'message']);
  });

  it('has the methods of a string, for what is written, and is text in JSON', () => {
    expect(inLanguage(dutch, () => t('Templates').toUpperCase())).toBe('SJABLONEN');
    expect(JSON.stringify({ text: t('Templates') })).toBe('{"text":"Templates"}');
    expect(`${t('Templates')}!`).toBe('Templates!');
  });
});

describe('T', () => {
  const sentence = (
    <T>
      Remove {{ name: <i>Anna</i> }} from <b>the team</b>
    </T>
  );

  it('writes the sentence with its elements where the language has them', () => {
    expect(renderToString(sentence)).toBe('Remove <i>Anna</i> from <b>the team</b>');
    expect(inLanguage(dutch, () => renderToString(sentence))).toBe('<b>Uit het team</b> <i>Anna</i> verwijderen');
  });

  it('shows brackets and values of a page as they are', () => {
    const name = '{x} <b>';
    const page = (
      <T>
        In {'{braces}'} {{ name }} <b>{{ name }}</b>
      </T>
    );
    expect(renderToString(page)).toBe('In {braces} {x} &lt;b> <b>{x} &lt;b></b>');
  });
});

describe('lists', () => {
  it('are those of the language', () => {
    const names = ['a', 'b', 'c'];
    expect(String(list(names))).toBe('a, b and c');
    expect(inLanguage(dutch, () => String(list(names, 'disjunction')))).toBe('a, b of c');
    expect(inLanguage(dutch, () => String(joined([t('Templates'), 'b'], ', ')))).toBe('Sjablonen, b');
    expect(String(within(t('Templates')))).toBe('templates');
    expect(inLanguage(dutch, () => String(within(t('Templates'))))).toBe('Sjablonen');
  });
});

it('refuses to wait while it writes', () => {
  expect(() => inLanguage(dutch, async () => 'later')).toThrow('cannot wait');
});
