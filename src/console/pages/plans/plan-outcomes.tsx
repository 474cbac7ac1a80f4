import { type Text, t } from '../../../language/text.ts';
import type { PlanFigures } from '../../../plans/channel-plans.ts';
import { channelLabels } from '../../message-labels.ts';
import { count } from '../../money.ts';
import { Table } from '../../parts/table.tsx';
import { percent } from '../home/attention.ts';

interface Row {
  outcome: Text;
  messages: number;
  /** Of the messages that ended. */
  hasShare: boolean;
}

interface Props {
  figures: PlanFigures;
  /** The address of the list of its messages, for those who may open it. */
  messages: string | undefined;
}

/** How the messages of a plan ended. */
export function PlanOutcomes({ figures, messages: list }: Props) {
  const { delivered, failed, cancelled, ended, open } = figures;
  if (ended + open === 0) return null;
  const rows: Row[] = [
    ...delivered.map(({ step, channel, messages }) => ({
      ...{ messages, hasShare: true },
      outcome: t('Delivered by step {step}: {channel}', { step, channel: channelLabels[channel].name }),
    })),
    { outcome: t('Not delivered by any step'), messages: failed, hasShare: true },
    { outcome: t('Cancelled'), messages: cancelled, hasShare: true },
    { outcome: t('Not ended yet'), messages: open, hasShare: false },
  ];
  const table = (
    <Table
      caption={t('How messages ended')}
      rows={rows}
      keyOf={({ outcome }) => outcome}
      columns={[
        { head: t('How messages ended'), cell: ({ outcome }) => outcome },
        { head: t('Messages'), cell: ({ messages }) => count(messages), numeric: true },
        {
          head: t('Share'),
          cell: ({ messages, hasShare }) => (hasShare && ended > 0 ? percent(messages / ended) : '–'),
          numeric: true,
        },
      ]}
    />
  );
  if (list === undefined) return table;
  return (
    <div class="stack stack--tight">
      {table}
      <p class="small">
        <a href={list}>{t('Messages of this plan')}</a>
      </p>
    </div>
  );
}
