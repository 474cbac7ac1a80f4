import { english, type Language } from './language.ts';

/** The languages that people can choose in an installation. The first is the default. */
export class Languages {
  readonly offered: readonly Language[];

  constructor(offered: readonly Language[]) {
    this.offered = offered;
  }

  get default(): Language {
    return this.offered[0] ?? english;
  }

  /** Returns `fr` for `fr-CA`, unless `fr-CA` is offered. Returns undefined if neither is. */
  find(tag: string): Language | undefined {
    for (let known = tag.replaceAll('_', '-').toLowerCase(); known !== ''; known = known.replace(/-?[^-]*$/, '')) {
      const found = this.offered.find((language) => language.tag.toLowerCase() === known);
      if (found) return found;
    }
    return undefined;
  }

  /** Returns the first offered language in an `Accept-Language` header. */
  accepted(header: string | undefined): Language | undefined {
    const preferences = (header ?? '').slice(0, 500).split(',').map(readPreference);
    const sorted = preferences.filter(({ weight }) => weight > 0).sort((a, b) => b.weight - a.weight);
    for (const { tag } of sorted) {
      const found = this.find(tag);
      if (found) return found;
    }
    return undefined;
  }
}

function readPreference(text: string): { tag: string; weight: number } {
  const [tag = '', ...parameters] = text.trim().split(/\s*;\s*/);
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
  return { tag, weight: /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(tag) ? Number(weight) || 0 : 0 };
}
