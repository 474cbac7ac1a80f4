import { type ComponentChildren, cloneElement, isValidElement, toChildArray, type VNode } from 'preact';
import { writeParts } from './message.ts';
import { currentReader } from './text.ts';

interface Collected {
  elements: Map<string, VNode<{ children?: ComponentChildren }>>;
  values: Record<string, ComponentChildren>;
}

/**
 * Translates a sentence with elements or values: `<T>Remove {{ name: person.name }} from <b>the team</b></T>`. The key is the text with the
 * elements as tags: "Remove {name} from <b>the team</b>". The second element with the same name is `b2`. `context` has the same meaning as
 * in `t`.
 */
export function T({ children, context }: { children: ComponentChildren; context?: string }) {
  const collected: Collected = { elements: new Map(), values: {} };
  const language = currentReader();
  const parts = language.read(collect(children, collected), context);
  if (typeof parts === 'string') return <>{parts}</>;
  const pieces = writeParts<ComponentChildren, ComponentChildren>(language, parts, {
    values: collected.values,
    // A phone number or a name keeps its own direction, as it does in `t`.
    write: (value) => (language.direction === 'rtl' ? <bdi>{value}</bdi> : value),
    wrap: (tag, inner) => {
      const element = collected.elements.get(tag);
      if (!element) throw new Error(`A sentence has no element ${tag}`);
      return inner.length > 0 ? cloneElement(element, {}, ...toChildArray(inner)) : element;
    },
  });
  return <>{pieces}</>;
}

/** Returns the key of the children. scripts/texts/ finds it in the source by the same rules. */
function collect(children: ComponentChildren, collected: Collected): string {
  return [children]
    .flat()
    .map((child) => {
      if (child === null || child === undefined || typeof child === 'boolean') return '';
      if (typeof child !== 'object') return escapeSyntax(String(child));
      if (isValidElement(child))
        return collectElement(child as Collected['elements'] extends Map<string, infer V> ? V : never, collected);
      Object.assign(collected.values, child);
      return `{${Object.keys(child)[0]}}`;
    })
    .join('');
}

function collectElement(element: VNode<{ children?: ComponentChildren }>, collected: Collected): string {
  const { type, props } = element;
  const name = (typeof type === 'string' ? type : type.name).toLowerCase();
  let tag = name;
  for (let number = 2; collected.elements.has(tag); number++) tag = `${name}${number}`;
  collected.elements.set(tag, element);
  return `<${tag}>${collect(props.children, collected)}</${tag}>`;
}

/** Escapes characters of a page's text that have a meaning in message syntax. */
function escapeSyntax(text: string): string {
  return text.replaceAll(/[<{}]/g, "'$&'");
}
