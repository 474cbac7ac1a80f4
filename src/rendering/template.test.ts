import { describe, expect, it } from 'vitest';
import { compileTemplate, type TemplateSource } from './template.ts';

describe('compileTemplate', () => {
  it.each<[TemplateSource, string[]]>([
    [{ template_type: 'sms', content: '((b)) ((a)) ((B))', subject: '((ignored))' }, ['b', 'a']],
    [{ template_type: 'email', content: '((a)) ((b))', subject: '((B))' }, ['B', 'a']],
    [
      {
        template_type: 'letter',
        content: '((e)) ((a))',
        subject: '((d))',
        letter_welsh_subject: '((b))',
        letter_welsh_content: '((c))',
        contact_block: '((a))',
      },
      ['a', 'b', 'c', 'd', 'e'],
    ],
    [{ template_type: 'letter', content: '((a))', letter_welsh_subject: null, letter_welsh_content: null }, ['a']],
  ])('lists placeholders in the order of their texts: %#', (source, expected) => {
    expect(compileTemplate(source).placeholders).toEqual(expected);
  });

  it('reports missing values', () => {
    const template = compileTemplate({ template_type: 'email', content: '((Name)) ((x??y))', subject: '((ref))' });
    expect(template.missing({ name: '', X: null })).toEqual(['ref', 'x']);
    expect(template.missing({ name: 'a', X: false, REF: 0 })).toEqual([]);
  });

  it('returns the renderer of the type', () => {
    const sms = compileTemplate({ template_type: 'sms', content: 'Hi ((name))' });
    expect(sms.render({ name: 'Jo' }, { prefix: 'Surgery' }).text).toBe('Surgery: Hi Jo');
    const source: TemplateSource = { template_type: 'email', content: 'Hi', subject: '((a))' };
    const template = compileTemplate(source);
    expect(template.template_type === 'email' && template.subject({ a: '<1>' })).toBe('<1>');
  });
});
