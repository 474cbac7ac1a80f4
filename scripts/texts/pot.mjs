// Writes `languages/messages.pot`: every text once, in the order of the files, without line numbers, so that changes of
// different files merge.
export const contextEnd = '\u0004';

export function formatPot(texts) {
  const entries = new Map();
  for (const { path, text, context, role, note } of texts) {
    const key = context === undefined ? text : `${context}${contextEnd}${text}`;
    const entry = entries.get(key) ?? { text, context, paths: new Set(), roles: new Set(), notes: new Set() };
    entry.paths.add(path);
    if (role) entry.roles.add(role);
    if (note) entry.notes.add(note);
    entries.set(key, entry);
  }
  return [head, ...[...entries.values()].map(formatEntry)].join('\n');
}

const head = `msgid ""
msgstr ""
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
`;

function formatEntry({ text, context, paths, roles, notes }) {
  return [
    ...[...notes].sort().map((note) => `#. ${note.replaceAll(/\s+/g, ' ')}`),
    ...(roles.size > 0 ? [`#. ${[...roles].sort().join(', ')}`] : []),
    ...[...paths].map((path) => `#: ${path}`),
    ...(context === undefined ? [] : [`msgctxt ${quote(context)}`]),
    `msgid ${quote(text)}`,
    'msgstr ""',
    '',
  ].join('\n');
}

function quote(text) {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t')}"`;
}
