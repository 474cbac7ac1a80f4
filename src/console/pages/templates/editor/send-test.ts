import { sendDraftToWriter } from '../../../../notifications/one-off/send-draft.ts';
import { Failure, invalid } from '../../../../platform/failure.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import type { Reader } from '../library.ts';
import { type Editing, valuesOf } from './editor-fields.ts';
import { problemsOf } from './save.ts';

/** Returns what to tell the writer. A refusal is shown with the form, so that the text is not lost. */
export async function sendTest(app: ConsoleApp, { service, visitor }: Reader, editing: Editing): Promise<string> {
  const { name: _, ...problems } = problemsOf(editing, undefined);
  if (Object.keys(problems).length > 0) throw invalid(problems);
  try {
    const { to } = await sendDraftToWriter(app, service.id, visitor.user, editing.draft, valuesOf(editing));
    return `A test is on its way to ${to}. It counts as a message of the service.`;
  } catch (error) {
    const isRefusal = error instanceof Failure && ['forbidden', 'too-many'].includes(error.kind);
    throw isRefusal ? invalid(error.detail) : error;
  }
}
