import { describe, expect, it } from 'vitest';
import { casesOf } from '../../test/kit/vectors.ts';
import { inEnglish } from '../language/text.ts';
import { isSwitchedOn, type ListStyle, type Personalisation } from './personalisation.ts';
import {
  compileText,
  describeMissing,
  fillText,
  highlightPlaceholder,
  highlightRedacted,
  htmlSlots,
  keepPlaceholder,
  redactPlaceholder,
  textSlots,
} from './placeholders.ts';
import { countExtensionCharacters, smsAlphabet } from './sms/gsm.ts';
import { isEmpty, isTooLong } from './sms/sms.ts';
import { compileTemplate, type TemplateSource } from './template.ts';

const { downgrade, needsUcs2 } = smsAlphabet('gsm-welsh');

/** Booleans and objects are printed as JSON (`true`), not as in Python. */
const overruled = new Set(['placeholders-043', 'placeholders-044', 'placeholders-046']);

interface Vector {
  id: string;
  kind: string;
}

/** Those that are not overruled. */
function followedCases<T extends Vector>(file: string): T[] {
  return casesOf<T>(file).filter(({ id }) => !overruled.has(id));
}

type Gsm = Vector & { input: string; output: string; forces_ucs2: boolean; lost_characters?: string[] };
describe('gsm.json', () => {
  it.each(followedCases<Gsm>('gsm.json'))('$id $input', ({ input, output, forces_ucs2, lost_characters }) => {
    expect(downgrade(input)).toBe(output);
    expect(needsUcs2(input)).toBe(forces_ucs2);
    if (lost_characters) {
      const lost = new Set([...input].filter((character) => downgrade(character) === '?'));
      expect([...lost].sort()).toEqual([...lost_characters].sort());
    }
  });
});

type Sms = Vector & {
  content: string;
  values?: Personalisation;
  prefix?: string;
  message: string;
  encoding: string;
  character_count: number;
  character_count_without_prefix: number;
  extended_characters: number;
  fragment_count: number;
  too_long: boolean;
  empty: boolean;
};
describe('sms-fragments.json', () => {
  it.each(followedCases<Sms>('sms-fragments.json'))('$id', (vector) => {
    const template = compileTemplate({ template_type: 'sms', content: vector.content });
    const message = template.render(vector.values, { prefix: vector.prefix });
    expect(message).toEqual({
      text: vector.message,
      encoding: vector.encoding,
      character_count: vector.character_count,
      character_count_without_prefix: vector.character_count_without_prefix,
      fragments: vector.fragment_count,
    });
    expect(countExtensionCharacters(message.text)).toBe(vector.extended_characters);
    expect(isTooLong(message)).toBe(vector.too_long);
    expect(isEmpty(message)).toBe(vector.empty);
  });
});

type Extract = Vector & { content: string; placeholders: string[] };
type Render = Vector & {
  mode: 'escape' | 'passthrough' | 'plain';
  lists: ListStyle;
  content: string;
  values: Personalisation;
  rendered: string;
  redact_missing?: boolean;
};
type Truth = Vector & { value: unknown; shown: boolean };
type Template = Vector & {
  template: TemplateSource;
  contact_block?: string;
  values: Personalisation | null;
  placeholders: string[];
  missing: string[];
  error?: string;
  body?: string;
  rendered_subject?: string;
};
describe('placeholders.json', () => {
  const vectors = followedCases<Vector>('placeholders.json');
  const ofKind = <T extends Vector>(kind: string) => vectors.filter((vector): vector is T => vector.kind === kind);

  it.each(ofKind<Extract>('extract'))('$id $content', ({ content, placeholders }) => {
    expect(compileText(content, textSlots()).slots.names).toEqual(placeholders);
  });

  it.each(ofKind<Render>('render'))('$id $content', ({ mode, lists, content, values, rendered, redact_missing }) => {
    const slots = mode === 'escape' ? htmlSlots() : textSlots();
    const shown = mode === 'plain' ? keepPlaceholder : highlightPlaceholder;
    const hidden = mode === 'plain' ? redactPlaceholder : highlightRedacted;
    const unfilled = redact_missing ? hidden : shown;
    const text = fillText(compileText(content, slots), values, { lists, unfilled });
    expect(text).toBe(rendered);
  });

  it.each(ofKind<Truth>('conditional-truth'))('$id $value', ({ value, shown }) => {
    expect(isSwitchedOn(value)).toBe(shown);
  });

  it.each(ofKind<Template>('template'))('$id', (vector) => {
    const { contact_block, placeholders, missing, error } = vector;
    const values = vector.values ?? {};
    const template = compileTemplate({ ...vector.template, contact_block });
    expect(template.placeholders).toEqual(placeholders);
    expect(template.missing(values)).toEqual(missing);
    if (error) expect(inEnglish(describeMissing(template.missing(values)))).toBe(error);
    const body = template.template_type === 'sms' ? template.render(values).text : template.body(values);
    if (vector.body !== undefined) expect(body).toBe(vector.body);
    if (vector.rendered_subject !== undefined && template.template_type !== 'sms') {
      expect(template.subject(values)).toBe(vector.rendered_subject);
    }
  });
});

type Email = Vector & {
  markdown: string;
  values?: Personalisation;
  html: string;
  html_skeleton: string;
  plain_text: string;
  preheader: string;
};
describe('markdown-email.json', () => {
  it.each(followedCases<Email>('markdown-email.json'))('$id $markdown', (vector) => {
    const { markdown, values = {} } = vector;
    const email = compileTemplate({ template_type: 'email', content: markdown, subject: 'Subject' });
    expect(email.htmlFragment(values)).toBe(vector.html);
    expect(email.plainText(values)).toBe(vector.plain_text);
    expect(email.preheader(values)).toBe(vector.preheader);
  });
});

/** What is tested of an email: what its parts are, not how they look. */
const skeletonOf = (html: string) =>
  html
    .replaceAll(/<\/?(?:table|tr|td)[^>]*>| style="[^"]*"/g, '')
    .replaceAll('<br>', '<br />')
    .replaceAll('\u200B', '');

interface Expected {
  html?: string;
  text?: string;
  html_contains?: string[];
  html_contains_no?: string[];
  text_contains_no?: string[];
}
type GcRender = Vector & {
  what: string;
  template: string;
  values: Personalisation;
  gc: { html: string; text: string };
  pennypost: 'same' | (Expected & { 'service dialect gc'?: 'same'; otherwise?: string });
};
describe('gc/render.json', () => {
  it.each(followedCases<GcRender>('gc/render.json'))('$id $what', ({ template, values, gc, pennypost }) => {
    const email = (dialect: 'govuk' | 'gc') => {
      const compiled = compileTemplate({ template_type: 'email', content: template, subject: 's', dialect });
      return { html: skeletonOf(compiled.htmlFragment(values)), text: compiled.plainText(values) };
    };
    if (pennypost === 'same') {
      expect([email('govuk').html, email('gc').html]).toEqual([gc.html, gc.html]);
      return;
    }
    if (pennypost['service dialect gc'] === 'same') {
      expect(email('gc')).toEqual({ html: gc.html, text: gc.text });
      const { html } = email('govuk');
      expect(html).toBe(pennypost.otherwise === 'literal' ? `<p>${template}</p>` : '');
      return;
    }
    for (const dialect of ['govuk', 'gc'] as const) {
      const { html, text } = email(dialect);
      if (pennypost.html === 'same') expect(html).toBe(gc.html);
      for (const part of pennypost.html_contains ?? []) expect(html).toContain(part);
      for (const part of pennypost.html_contains_no ?? []) expect(html).not.toContain(part);
      for (const part of pennypost.text_contains_no ?? []) expect(text).not.toContain(part);
    }
  });
});

type GcSms = Vector & {
  what: string;
  template: string;
  gc: { text: string; units: number; parts: number; too_long: boolean };
  pennypost: 'same' | { 'service dialect gc': 'same' };
};
/** `a*612` is so many letters. */
const written = (text: string) => {
  const [, character = '', count] = /^(.)\*(\d+)$/u.exec(text) ?? [];
  return count === undefined ? text : character.repeat(Number(count));
};
describe('gc/sms.json', () => {
  // The ruling keeps what GOV.UK Notify keeps.
  const vectors = followedCases<GcSms>('gc/sms.json').filter(({ id }) => id !== 'gc-sms-014');
  it.each(vectors)('$id $what', ({ template, gc, pennypost }) => {
    for (const dialect of ['gc', ...(pennypost === 'same' ? (['govuk'] as const) : [])] as const) {
      const compiled = compileTemplate({ template_type: 'sms', content: written(template), dialect });
      const message = compiled.render();
      expect([message.text, message.fragments]).toEqual([written(gc.text), gc.parts]);
      expect(isTooLong(message, dialect)).toBe(gc.too_long);
    }
  });
});
