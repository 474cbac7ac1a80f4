import { type Answer, plainName, type Resolver } from '../../../src/sending-domains/checks/resolver.ts';

/** `TXT name` and its records, of which one can be in several strings; or how the name server fails. */
export type Zone = Record<string, (string | string[])[] | 'SERVFAIL' | 'TIMEOUT'>;

/**
 * A name that is not listed does not exist; one that is listed with other types has no such record. Aliases are followed, unless the
 * alias itself is asked for.
 */
export class FakeDns implements Resolver {
  readonly asked: string[] = [];
  readonly zone: Zone;

  constructor(zone: Zone = {}) {
    this.zone = zone;
  }

  async query(type: string, name: string): Promise<Answer> {
    this.asked.push(`${type} ${name}`);
    const answer = this.zone[`${type} ${name}`];
    if (answer === 'SERVFAIL' || answer === 'TIMEOUT') return { outcome: 'failure' };
    if (answer) return { outcome: 'records', records: answer.map((record) => recordText(type, record)) };
    const alias = this.zone[`CNAME ${name}`];
    if (type !== 'CNAME' && Array.isArray(alias)) return this.query(type, plainName(String(alias[0])));
    const isKnown = Object.keys(this.zone).some((question) => question.endsWith(` ${name}`));
    return { outcome: isKnown ? 'nodata' : 'nxdomain' };
  }
}

function recordText(type: string, record: string | string[]): string {
  const text = [record].flat().join('');
  return type === 'TXT' ? text : plainName(text);
}
