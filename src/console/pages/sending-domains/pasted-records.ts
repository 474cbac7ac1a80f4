import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';

interface PastedRecord {
  type: 'CNAME' | 'TXT' | 'MX';
  name: string;
  value: string;
  purpose: 'signature' | 'return-path';
}

const maxRecords = 20;

/** Records as providers show them: one per line, with type, name and value, between them spaces or tabs. */
export function readRecords(text: string): PastedRecord[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  if (lines.length > maxRecords)
    throw invalidField('records', t('Enter at most {maxRecords} records.', { maxRecords }));
  return lines.map((line, index) => {
    const [, type, name = '', value = ''] = /^\s*(CNAME|TXT|MX)\s+(\S{1,253})\s+(\S.{0,3999}?)\s*$/i.exec(line) ?? [];
    if (type === undefined) {
      throw invalidField(
        'records',
        t('Enter line {line} as type, name and value, such as CNAME em.council.example u1.provider.example.', {
          line: index + 1,
        }),
      );
    }
    const lower = name.toLowerCase().replace(/\.$/, '');
    return {
      type: type.toUpperCase() as PastedRecord['type'],
      name: lower,
      value: value.replace(/^"(.*)"$/, '$1'),
      purpose: lower.includes('._domainkey.') ? 'signature' : 'return-path',
    };
  });
}
