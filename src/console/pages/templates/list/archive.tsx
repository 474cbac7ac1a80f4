import { getLastUsed } from '../../../../templates/template-statistics.ts';
import { updateTemplate } from '../../../../templates/template-update.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { View } from '../../../page.ts';
import { dayAndMonth } from '../../../parts/time.tsx';
import { getEditableTemplate, type Reader } from '../library.ts';

/** "last used on 3 Nov", for the question before archiving. */
export async function lastUsedInWords(app: ConsoleApp, serviceId: string, templateId: string): Promise<string> {
  const last = await getLastUsed(app, serviceId, templateId);
  return last === null ? 'never used' : `last used on ${dayAndMonth(new Date(last))}`;
}

/** Asks, and says when each was last used. */
export async function confirmArchive(app: ConsoleApp, reader: Reader, ids: string[], action: string): Promise<View> {
  const templates = await Promise.all(
    ids.map(async (id) => {
      const { name } = await getEditableTemplate(app, reader, id);
      return { id, name, used: await lastUsedInWords(app, reader.service.id, id) };
    }),
  );
  const count = templates.length;
  return {
    title: count === 1 ? 'Archive this?' : `Archive these ${count}?`,
    content: (
      <form class="stack measure" method="post" action={action}>
        <ul class="card list">
          {templates.map(({ id, name, used }) => (
            <li key={id}>
              <input type="hidden" name="templates[]" value={id} />
              <b>{name}</b>
              <span class="muted">{used}</span>
            </li>
          ))}
        </ul>
        <p>Nobody can send an archived template any more, neither here nor through the API. It stays readable.</p>
        <div class="row">
          <button class="button button--danger" type="submit" name="do" value="archive-all">
            Archive
          </button>
          <a class="button button--quiet" href={action}>
            Cancel
          </a>
        </div>
      </form>
    ),
  };
}

export async function archiveChosen(app: ConsoleApp, reader: Reader, ids: string[]): Promise<string> {
  for (const id of ids) {
    await getEditableTemplate(app, reader, id);
    await updateTemplate(app, reader.service.id, id, { archived: true, created_by: reader.visitor.user.id });
  }
  return ids.length === 1 ? 'The template is archived.' : `${ids.length} templates are archived.`;
}
