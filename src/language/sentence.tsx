import { type ComponentChildren, cloneElement, isValidElement, toChildArray, type VNode } from 'preact';
import { writeParts } from './message.ts';
import { currentReader } from './text.ts';

interface Collected {
  elements: Map<string, VNode<{ children?: ComponentChildren }>>;
  values: Record<string, ComponentChildren>;
}

/**
 * A sentence with elements or values: `<T>Remove {{ name: person.name }} from <b>the team</b></T>`. Its key is what it shows, with the
 * elements as tags: "Remove {name} from <b>the team</b>". The second element of a name is `b2`. `context` is as that of `t`.
 */
export function T({ children, context }: { children: ComponentChildren; context?: string }) {
  const collected: Collected = { elements: new Map(), values: {} };
  const language = currentReader();
  const parts = language.read(collect(children, collected), context);
  if (typeof parts === 'string') return <>{parts}</>;
  const pieces = writeParts<ComponentChildren, ComponentChildren>(language, parts, {
    values: collected.values,
    write: (value) => value,
    wrap: (tag, inner) => {
      const element = collected.elements.get(tag);
      if (!element) throw new Error(`A sentence has no element ${tag}`);
      return inner.length > 0 ? cloneElement(element, {}, ...toChildArray(inner)) : element;
    },
  });
  return <>{pieces}</>;
}

/** The key of the children, which scripts/texts/ finds in the source by the same rules. */
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

/** What the text of a page has in common with the syntax of messages. */
function escapeSyntax(text: string): string {
  return text.replaceAll(/[<{}]/g, "'$&'");
}
