import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAst } from 'vitest/node';

/** The rules of docs/writing.md that a program can check, over every text that people read. */

interface Text {
  at: string;
  text: string;
}

const consoleFiles = sourceFiles('src/console', 'src/users/account-messages');
const commandFiles = sourceFiles('src/commands', 'src/operations');
const documents = ['README.md', ...markdownFiles('docs')].filter(
  (path) => !/^docs\/(decisions|sql)\/|writing\.md|configuration\.md/.test(path),
);

function sourceFiles(...folders: string[]): string[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.(test|sql)\.tsx?$/.test(name))
      .map((name) => `${folder}/${name.replaceAll('\\', '/')}`),
  );
}

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}

interface Node {
  type: string;
  start: number;
  end: number;
}

/** Texts of JSX, and strings that are sentences: they have a space and begin with a capital letter or a figure. */
function textsIn(path: string): Text[] {
  const code = readFileSync(path, 'utf8');
  const texts: Text[] = [];
  const visit = (node: Node): void => {
    const isRead = { JSXText: /\S/, Literal: sentence, TemplateLiteral: sentence }[node.type];
    const text = code
      .slice(node.start, node.end)
      .replaceAll(/\s+/g, ' ')
      .replaceAll(/^['"`\s]+|['"`\s]+$/g, '');
    if (isRead?.test(text)) texts.push({ at: `${path}:${code.slice(0, node.start).split('\n').length}`, text });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parseAst(code, { lang: path.endsWith('x') ? 'tsx' : 'ts' }) as Node);
  return texts;
}

const sentence = /^[“A-Z(\d…].* /;

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

/** Paragraphs without code. */
function paragraphsIn(path: string): Text[] {
  const lines = readFileSync(path, 'utf8')
    .replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/[^\n]/g, ''))
    .split('\n');
  return lines.map((line, index) => ({ at: `${path}:${index + 1}`, text: line.replaceAll(/`[^`]*`/g, '') }));
}

/** What the console recognises of the API, and says in its own words. */
const ofApi = ['Code is not valid'];
const shown = consoleFiles.flatMap(textsIn).filter(({ text }) => !ofApi.includes(text));
const printed = commandFiles.flatMap(textsIn);
const written = documents.flatMap(paragraphsIn);

const matching = (texts: Text[], pattern: RegExp) =>
  texts.filter(({ text }) => pattern.test(text)).map(({ at, text }) => `${at}: ${text}`);

describe('texts that people read', () => {
  it('are found', () => {
    expect(shown.length).toBeGreaterThan(2_000);
    expect(shown.map(({ text }) => text)).toContain('Skip to main content');
    expect(printed.length).toBeGreaterThan(200);
    expect(written.length).toBeGreaterThan(2_000);
  });

  const everywhere = [...shown, ...printed, ...written];
  const rules: { rule: string; texts?: Text[]; pattern: RegExp; examples: [wrong: string, right: string] }[] = [
    {
      rule: '3: say "can" for rights',
      pattern:
        /\b(you|they|he|she|who|people|members|operators|administrators|everybody|nobody|somebody|person) may\b(?! (be|have|still|not be)\b)/i,
      examples: ['You may edit templates.', 'People may be asleep.'],
    },
    {
      rule: '4: say what to do',
      texts: shown,
      pattern: /minimum length|maximum length|not a valid|is not valid|missing data|is required/i,
      examples: ['Shorter than minimum length 10.', 'Enter a token of at least 10 characters.'],
    },
    {
      rule: '7: say what has happened in a few words',
      pattern:
        /^(The|Your) [\w ]{1,40} (is|are|was|were) (saved|added|changed|removed|deleted|updated|revoked|archived|sent|cancelled)\.$/,
      examples: ['The setting is saved.', 'Setting saved.'],
    },
    {
      rule: '17: no filler',
      pattern: /\b(please|simply)\b|\bjust (try|press|enter|select|choose|use|run)\b/i,
      examples: ['Please try again.', 'Try again in a few minutes.'],
    },
    {
      rule: '19: count with the right form',
      pattern: /\w\(s\)/,
      examples: ['1 row(s)', '1 row'],
    },
  ];

  for (const { rule, texts = everywhere, pattern, examples } of rules) {
    it(`rule ${rule}`, () => {
      expect(examples.map((text) => pattern.test(text))).toEqual([true, false]);
      expect(matching(texts, pattern)).toEqual([]);
    });
  }

  /** By the name that is used instead. */
  const otherNames: Record<string, RegExp> = {
    'sign in': /\blog(ged|ging)?[ -](in|on|out)\b|\blogin\b/i,
    'guest list': /\b(white|allow)[ -]?list/i,
    'text message': /\bSMS\b(?!C)/,
    response: /\b(the|an|its|no|this|each) answers?\b/i,
    recipient: /\baddressees?\b/i,
    part: /\bfragments?\b/i,
    'phone number': /\bmobile phone\b/i,
    'email address': /\b(e-mail|mail address)\b/i,
  };

  for (const [name, pattern] of Object.entries(otherNames)) {
    it(`rule 8: one name per thing: ${name}`, () => {
      expect(matching(shown, pattern)).toEqual([]);
    });
  }
});
