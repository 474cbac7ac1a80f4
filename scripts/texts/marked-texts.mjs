// Finds the texts that are marked for translation: `t('...')` and `<T>...</T>`.
import { jsxText, literalText, walk } from './walk.mjs';

const noteMark = /^\s*i18n:\s*(.*?)\s*$/s;

/** Each text of a file in its order: `text`, `context`, `role` (where it stands), `note` for translators. */
export function findMarkedTexts({ path, source, program, comments }) {
  const texts = [];
  const problems = [];
  const lineOf = (offset) => source.slice(0, offset).split('\n').length;
  const notes = new Map(
    comments.flatMap(({ value, end }) => (noteMark.test(value) ? [[lineOf(end), noteMark.exec(value)[1]]] : [])),
  );
  const add = (node, ancestors, text, context) => {
    const line = lineOf(node.start);
    texts.push({ path, text, context, role: roleOf(ancestors), note: notes.get(line) ?? notes.get(line - 1) });
  };
  walk(program, (node, ancestors) => {
    if (isCallOfT(node)) {
      const text = literalText(node.arguments[0]);
      if (text === undefined) problems.push(`${path}:${lineOf(node.start)}: t takes the text itself, not a variable`);
      else add(node, ancestors, text, contextOf(node.arguments[1]));
    }
    if (node.type === 'JSXElement' && node.openingElement.name.name === 'T') {
      try {
        add(node, ancestors, sentenceKey(node.children, new Set()), contextOfAttribute(node));
      } catch (error) {
        problems.push(`${path}:${lineOf(node.start)}: ${error.message}`);
      }
    }
    if (isProfile.test(path) && isOfProfile(node, ancestors)) add(node.value, ancestors.concat(node), node.value.value);
    return undefined;
  });
  return { texts, problems };
}

/** Profiles of countries are data: pages show their words and labels with `declared`. */
const isProfile = /^src\/countries\/\w+\.ts$/;

function isOfProfile(node, ancestors) {
  if (node.type !== 'Property' || literalText(node.value) === undefined) return false;
  const isInWords = ancestors.some((above) => above.type === 'Property' && above.key.name === 'words');
  return isInWords || ['label', 'choice'].includes(node.key.name);
}

function isCallOfT({ type, callee }) {
  return type === 'CallExpression' && callee.type === 'Identifier' && callee.name === 't';
}

function contextOf(values) {
  const found = values?.properties?.find(({ key }) => key?.name === 'context');
  return found && literalText(found.value);
}

function contextOfAttribute({ openingElement }) {
  const found = openingElement.attributes.find(({ name }) => name?.name === 'context');
  return found && literalText(found.value);
}

/** As `T` makes it at run time, from the same children. */
function sentenceKey(children, names) {
  return children.map((child) => childKey(child, names)).join('');
}

function childKey(child, names) {
  if (child.type === 'JSXText') return escapeSyntax(jsxText(child.value));
  if (child.type === 'JSXElement') {
    const name = child.openingElement.name.name.toLowerCase();
    let tag = name;
    for (let number = 2; names.has(tag); number++) tag = `${name}${number}`;
    names.add(tag);
    return `<${tag}>${sentenceKey(child.children, names)}</${tag}>`;
  }
  if (child.type === 'JSXExpressionContainer') {
    const { expression } = child;
    const text = literalText(expression);
    if (text !== undefined) return escapeSyntax(text);
    if (expression.type === 'JSXEmptyExpression') return '';
    const [property, ...others] = expression.properties ?? [];
    if (property?.type === 'Property' && others.length === 0) return `{${property.key.name}}`;
  }
  throw new Error('a sentence has texts, elements and values such as {{ name }} alone');
}

function escapeSyntax(text) {
  return text.replaceAll(/[<{}]/g, "'$&'");
}

/** What the text is on the page, for translators: `label`, `<h2>`, `notice`. */
function roleOf(ancestors) {
  for (const node of ancestors.toReversed()) {
    if (node.type === 'JSXElement') return `<${node.openingElement.name.name}>`;
    if (node.type === 'JSXAttribute') return String(node.name.name);
    if (node.type === 'Property') return String(node.key.name ?? node.key.value);
    if (node.type === 'CallExpression') return `${node.callee.property?.name ?? node.callee.name}()`;
  }
  return undefined;
}
