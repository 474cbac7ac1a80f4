import { sampleMessages } from '../../../jobs/uploads/stored-rows.ts';
import type { UploadRow } from '../../../jobs/uploads/uploads.ts';
import { sheetsOf } from '../../../rendering/letter/length.ts';
import type { ReadyTemplate } from '../../../templates/compiled-templates.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { costOfLetter, costOfTexts } from '../send/cost.ts';

/**
 * About what the good rows of a file cost, from its first rows: to render all of them would take seconds. A letter is
 * counted as one sheet: how many it has is known once it is drawn.
 */
export async function costOfFile(
  app: ConsoleApp,
  { compiled, row }: ReadyTemplate,
  upload: Pick<UploadRow, 'id'>,
  messages: number,
  prefix: string | null,
): Promise<number | undefined> {
  if (compiled.template_type === 'email') return 0;
  const sample = await sampleMessages(app.db, upload.id);
  if (sample.length === 0) return undefined;
  if (compiled.template_type === 'letter') {
    const cost = await costOfLetter(app, sheetsOf(1), sample[0]?.postage ?? row.postage ?? 'second');
    return cost === undefined ? undefined : cost * messages;
  }
  const parts = sample.map(
    ({ personalisation, rate_multiplier }) => compiled.render(personalisation, { prefix }).fragments * rate_multiplier,
  );
  const average = parts.reduce((sum, count) => sum + count, 0) / parts.length;
  return costOfTexts(app, average * messages);
}
