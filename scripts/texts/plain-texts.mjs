// Finds texts for people that are not marked for translation.
import { jsxText, walk } from './walk.mjs';

/** Attributes and properties whose value people read, even if it is one word. */
const textNames = new Set(
  `label hint title legend alt placeholder aria-label aria-description caption head heading lead text notice what action summary found
  empty searchLabel zoneName word words explanation problem note button`.split(/\s+/),
);

/** What is never for people: ids, addresses, the names of menus and of permissions. */
const codeNames = new Set(
  `menu below class className path to href src id name type value method for form scripts frame key kind tone look format pattern
  content rel role autocomplete inputmode dateTime viewBox d transform encType accept scope code description example data-copies
  property purpose month weekday day hour minute locale timeZone`.split(/\s+/),
);

/** Functions whose arguments are code. */
const codeCalls =
  /^(Error|TypeError|RegExp|EncryptedCookie|pageUrl|withQuery|fetch|header|headers|setting|sql|assetPath|toLocaleString|localeCompare|split|join|replace|replaceAll|startsWith|endsWith|includes|match|test|exec|has|get|query|param|padStart|createHash|update|digest|encrypt|decrypt|debug|info|warn|error|asIs|OneOf|describe|csvLine|csvText|sendCsv)$/;

const codeElements = new Set(['code', 'kbd', 'pre', 'script', 'style', 'samp']);

const hasLetter = (text) => /\p{L}/u.test(text.replaceAll(/\(\([^)]*\)\)/g, ''));

/** Begins as a sentence does and has several words, or ends as a sentence does. */
const looksLikeProse = (text) =>
  /^[“‘(]?\p{Lu}/u.test(text.trim()) && /\p{L}[’”)]*[,:;]?\s+\S/u.test(text) && !/^[A-Z_0-9]+$/.test(text);
const isWord = (text, parent) =>
  /^\p{Lu}[\p{Ll}’]+$/u.test(text) && text !== 'Pennypost' && parent.type !== 'NewExpression';
const isSentence = (text) => /\p{L}\S* .*[.?…]$/u.test(text) && /^\p{Lu}|^[“‘]/u.test(text);

/** Files that write code for other programs, or documentation, which stays English. */
export const codeFiles = ['src/console/pages/quick-start/snippets.ts', 'src/console/settings.ts'];

/** Calls `found(node, kind)` for each: JSX text, and literals. */
export function findPlainTexts(program, found) {
  walk(program, (node, ancestors) => {
    const parent = ancestors.at(-1);
    if (node.type.startsWith('TS') && !/^TS(AsExpression|SatisfiesExpression|NonNullExpression)$/.test(node.type))
      return false;
    if (/^(Import|ExportAll)/.test(node.type)) return false;
    if (node.type === 'TaggedTemplateExpression') return false;
    if (isMarked(node)) return false;
    if (node.type === 'JSXElement' && codeElements.has(node.openingElement.name.name)) return false;
    if (node.type === 'JSXText') {
      if (hasLetter(jsxText(node.value))) found(node, 'jsx', ancestors);
      return undefined;
    }
    if (isCode(node, parent) || isKeyOfMap(node, ancestors)) return false;
    const text = node.type === 'Literal' && typeof node.value === 'string' ? node.value : templateText(node);
    if (text === undefined || !hasLetter(text) || isAddress(text)) return undefined;
    if (parent.type === 'JSXAttribute' || parent.type === 'Property' || !isConcatenated(parent)) {
      if (textNames.has(nameAbove(ancestors)) || looksLikeProse(text) || isSentence(text) || isWord(text, parent))
        found(node, 'literal', ancestors);
    }
    return undefined;
  });
}

/** A path, an address of an email, the name of a cookie. */
function isAddress(text) {
  return /^\S*[/@_]\S*$/.test(text);
}

function isConcatenated(parent) {
  return parent.type === 'BinaryExpression' && parent.operator !== '+';
}

function templateText(node) {
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked).join('…') : undefined;
}

function isMarked(node) {
  if (node.type === 'JSXElement') return node.openingElement.name.name === 'T';
  return node.type === 'CallExpression' && node.callee.type === 'Identifier' && node.callee.name === 't';
}

function isCode(node, parent) {
  if (node.type === 'JSXAttribute')
    return codeNames.has(node.name.name) || /^data-(?!label|say-)/.test(String(node.name.name));
  if (node.type === 'Property')
    return !node.computed && codeNames.has(node.key.name ?? node.key.value) && !isTextual(node.value);
  if (node.type === 'CallExpression' || node.type === 'NewExpression') {
    const callee = node.callee.property?.name ?? node.callee.name ?? '';
    const owner = node.callee.object?.name;
    return codeCalls.test(callee) || owner === 'Type';
  }
  if (node.type === 'BinaryExpression') return node.operator !== '+';
  if (parent?.type === 'Property' && parent.key === node) return true;
  if (parent?.type === 'MemberExpression' && parent.property === node) return true;
  return parent?.type === 'SwitchCase' && parent.test === node;
}

/** The first of a pair in `new Map([[key, value]])`. */
function isKeyOfMap(node, ancestors) {
  const [map, , pair] = ancestors.slice(-3);
  return map?.type === 'NewExpression' && map.callee.name === 'Map' && pair.elements?.[0] === node;
}

/** Such as `content: <p>…</p>` and `value: cond ? 'A text' : …`: some names have both. */
function isTextual(node) {
  return node.type !== 'Literal' && node.type !== 'TemplateLiteral';
}

/** The name of the property or attribute whose value a literal is, also in a condition. */
function nameAbove(ancestors) {
  for (const node of ancestors.toReversed()) {
    if (node.type === 'Property') return node.key.name ?? node.key.value;
    if (node.type === 'JSXAttribute') return node.name.name;
    if (
      !/^(ConditionalExpression|LogicalExpression|JSXExpressionContainer|TemplateLiteral|ArrowFunctionExpression)$/.test(
        node.type,
      )
    )
      return '';
  }
  return '';
}
