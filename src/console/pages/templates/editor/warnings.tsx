import { diffWords } from '../../../../templates/word-diff.ts';
import { Diff } from '../../../parts/diff.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Time } from '../../../parts/time.tsx';
import { templatePath } from '../library.ts';
import type { Editing } from './editor-fields.ts';
import { type BreakingChanges, isBreaking } from './save.ts';

/** What the writer should know before saving. */
export function Warnings({ editing, changes, now }: { editing: Editing; changes: BreakingChanges; now: Date }) {
  return (
    <div id="warnings" class="stack">
      <ChangedMeanwhile editing={editing} now={now} />
      <WhatBreaks changes={changes} />
    </div>
  );
}

export function WhatBreaks({ changes }: { changes: BreakingChanges }) {
  const { added, keys, filesGoing } = changes;
  if (!isBreaking(changes)) return null;
  return (
    <Notice tone="amber">
      {added.length > 0 && (
        <p>
          <b>
            {added.map((name) => (
              <span key={name}>
                <i class="placeholder">(({name}))</i>{' '}
              </span>
            ))}
            {added.length === 1 ? 'is' : 'are'} new.
          </b>{' '}
          Programs that send this template must supply {added.length === 1 ? 'it' : 'them'} as soon as you save.{' '}
          {keys.length === 1 ? 'One API key' : `${keys.length} API keys`} can send it: {keys.slice(0, 5).join(', ')}
          {keys.length > 5 && '…'}
        </p>
      )}
      {filesGoing.map(({ id, filename }) => (
        <p key={id}>
          <b>{filename} goes.</b> Its placeholder is no longer in the message, so saving removes the file.
        </p>
      ))}
    </Notice>
  );
}

/** Somebody else saved first: shows both texts, and that saving keeps the writer's. */
function ChangedMeanwhile({ editing, now }: { editing: Editing; now: Date }) {
  const { template, version, draft } = editing;
  if (!template || version === template.version) return null;
  return (
    <section class="card stack stack--tight" aria-label="Changed meanwhile">
      <h2>{template.created_by_name} saved this template while you were writing</h2>
      <p>
        Version {template.version} was saved <Time at={template.updated_at ?? template.created_at} now={now} />. Your
        text is still in the form: nothing is lost. This is what saving would change in version {template.version}:
      </p>
      {template.name !== editing.name && (
        <Diff label="Changes of the name" changes={diffWords(template.name, editing.name)} />
      )}
      {draft.subject !== null && (
        <Diff label="Changes of the subject" changes={diffWords(template.subject ?? '', draft.subject)} />
      )}
      <Diff label="Changes of the message" changes={diffWords(template.content, draft.content)} />
      <p>
        <a href={`/console${templatePath(template.service, template.id)}`} target="_blank" rel="noopener">
          Open version {template.version} in a new tab
        </a>
      </p>
    </section>
  );
}
