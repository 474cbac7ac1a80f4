import { Fragment } from 'preact';
import { asIs, type Text } from '../../language/text.ts';
import { Table } from './table.tsx';

interface DocumentTextProps {
  /** A document from the documentation, without its heading. */
  text: string;
  /** Its folder, such as `docs/guides/providers/`, to resolve file names in it. */
  folder: string;
  /** The accessible name of its tables. */
  caption: Text;
}

/**
 * A page of the documentation, in the Markdown that these documents use: headings, paragraphs, lists, tables, code, bold words and links.
 * The Markdown of templates has neither tables nor code.
 */
export function DocumentText({ text, folder, caption }: DocumentTextProps) {
  return (
    <>
      {splitBlocks(text).map((block, index) => (
        <Block key={index} block={block} folder={folder} caption={caption} />
      ))}
    </>
  );
}

const fence = /^```\w*\n([\s\S]*?)^```$/m;
const item = /^(?:- |\d+\. )/;

interface Part {
  kind: 'code' | 'h2' | 'h3' | 'list' | 'steps' | 'table' | 'paragraph';
  text: string;
}

function splitBlocks(text: string): Part[] {
  return text.split(fence).flatMap((part, index): Part[] => {
    if (index % 2 === 1) return [{ kind: 'code', text: part.trimEnd() }];
    return part
      .split(/\n{2,}|(?<=^#.*)\n/m)
      .map((block) => block.trim())
      .filter(Boolean)
      .map((block) => ({ kind: kindOf(block), text: block }));
  });
}

function kindOf(block: string): Part['kind'] {
  if (block.startsWith('### ')) return 'h3';
  if (block.startsWith('## ')) return 'h2';
  if (block.startsWith('|')) return 'table';
  if (block.startsWith('- ')) return 'list';
  return item.test(block) ? 'steps' : 'paragraph';
}

function Block({ block: { kind, text }, folder, caption }: { block: Part } & Omit<DocumentTextProps, 'text'>) {
  const inline = (source: string) => <Inline text={source} folder={folder} />;
  const items = () => text.split(/\n(?=- |\d+\. )/).map((line) => <li key={line}>{inline(line.replace(item, ''))}</li>);
  switch (kind) {
    case 'code':
      return (
        <div class="code code--wrapped">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard */}
          <pre tabIndex={0}>{text}</pre>
        </div>
      );
    case 'h2':
      return <h2>{inline(text.slice('## '.length))}</h2>;
    case 'h3':
      return <h3>{inline(text.slice('### '.length))}</h3>;
    case 'list':
      return <ul class="bullets">{items()}</ul>;
    case 'steps':
      return <ol class="bullets">{items()}</ol>;
    case 'table': {
      const [heads = [], , ...rows] = text.split('\n').map(splitRow);
      return (
        <Table<string[]>
          caption={caption}
          rows={rows}
          keyOf={(row) => row.join('|')}
          columns={heads.map((head, column) => ({
            head: asIs(head.replaceAll('`', '')),
            cell: (row) => inline(row[column] ?? ''),
          }))}
        />
      );
    }
    case 'paragraph':
      return <p>{inline(text)}</p>;
  }
}

function splitRow(line: string): string[] {
  return line
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim());
}

const mark = /`([^`]+)`|\*\*([^*]+)\*\*|\[([^\]]+)\]\(([^)]+)\)/g;

function Inline({ text, folder }: { text: string; folder: string }) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(mark)) {
    const [whole, code, bold, label, target = ''] = match;
    parts.push(text.slice(end, match.index));
    if (code !== undefined) parts.push(<code>{code}</code>);
    else if (bold !== undefined) parts.push(<b>{bold}</b>);
    else if (target.startsWith('https://')) parts.push(<a href={target}>{label}</a>);
    // The console does not serve other documents, so it shows their file names.
    else parts.push(<code>{new URL(target, `https://documents.invalid/${folder}`).pathname.slice(1)}</code>);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return (
    <>
      {parts.map((part, index) => (
        <Fragment key={index}>{part}</Fragment>
      ))}
    </>
  );
}
