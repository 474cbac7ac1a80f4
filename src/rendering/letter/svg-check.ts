import { SaxesParser, type SaxesTagPlain } from 'saxes';

export type SvgProblem =
  | 'not-an-svg'
  | 'has-script'
  | 'has-event-handler'
  | 'has-foreign-content'
  | 'has-picture'
  | 'has-animation'
  | 'has-reference'
  | 'has-entities';

const refusedElements = new Map<string, SvgProblem>([
  ['script', 'has-script'],
  ['handler', 'has-script'],
  ['listener', 'has-script'],
  ['foreignobject', 'has-foreign-content'],
  ['iframe', 'has-foreign-content'],
  ['embed', 'has-foreign-content'],
  ['object', 'has-foreign-content'],
  ['audio', 'has-foreign-content'],
  ['video', 'has-foreign-content'],
  ['image', 'has-picture'],
  ['feimage', 'has-picture'],
  ['animate', 'has-animation'],
  ['animatecolor', 'has-animation'],
  ['animatemotion', 'has-animation'],
  ['animatetransform', 'has-animation'],
  ['set', 'has-animation'],
]);

const maxDepth = 100;

class Refused extends Error {
  readonly problem: SvgProblem;
  constructor(problem: SvgProblem) {
    super(problem);
    this.problem = problem;
  }
}

/**
 * A logo is shapes and text: whatever could run, load or embed something else is refused, whether or not it would do so
 * here. A logo travels: it is also shown in browsers and given to printers.
 */
export function findSvgProblem(svg: string): SvgProblem | null {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('opentag', (tag: SaxesTagPlain) => {
    depth += 1;
    const name = localName(tag.name);
    if (depth > maxDepth || (depth === 1 && name !== 'svg')) throw new Refused('not-an-svg');
    const problem = refusedElements.get(name) ?? problemOfAttributes(tag.attributes);
    if (problem) throw new Refused(problem);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('text', refuseReferences);
  parser.on('cdata', refuseReferences);
  parser.on('doctype', (text) => {
    if (text.includes('[')) throw new Refused('has-entities');
  });
  parser.on('processinginstruction', ({ target }) => {
    if (target.toLowerCase() !== 'xml') throw new Refused('has-reference');
  });
  try {
    parser.write(svg.replace(/^\uFEFF/, '')).close();
    return null;
  } catch (error) {
    return error instanceof Refused ? error.problem : 'not-an-svg';
  }
}

function problemOfAttributes(attributes: Record<string, string>): SvgProblem | undefined {
  for (const [name, value] of Object.entries(attributes)) {
    const local = localName(name);
    if (local.startsWith('on')) return 'has-event-handler';
    if (/j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:/i.test(value)) return 'has-script';
    if ((local === 'href' || local === 'src') && !value.trim().startsWith('#')) return 'has-reference';
    if (hasReference(value)) return 'has-reference';
  }
  return undefined;
}

function refuseReferences(text: string): void {
  if (hasReference(text)) throw new Refused('has-reference');
}

/** Style sheets may hide a word behind escapes, which no program writes into a logo. */
function hasReference(text: string): boolean {
  return /url\(\s*(?!['"]?\s*#)|@import|\\[0-9a-f]/i.test(text);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
