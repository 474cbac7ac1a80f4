import type { ComponentChildren } from 'preact';
import type { ShownMessage } from '../../../notifications/history/shown-message.ts';
import { valueToText } from '../../../rendering/personalisation.ts';
import { printDay } from '../../letter-days.ts';
import { price } from '../../money.ts';
import { Copy } from '../../parts/copy.tsx';
import { postageNames } from '../sandbox/inbox-list.tsx';

interface FactsProps {
  message: ShownMessage;
  pageCount: number | null;
  /** The page of its template, where the visitor may open one. */
  templatePage: string | undefined;
}

/** Template, values, reference, sender, size and cost. */
export function MessageFacts({ message, pageCount, templatePage }: FactsProps) {
  const { record } = message;
  const template = `${record.template.name}, v${record.template_version}`;
  const rows: [string, ComponentChildren][] = [
    ['Template', templatePage ? <a href={templatePage}>{template}</a> : template],
    ...Object.entries(record.personalisation).map(([name, value]): [string, ComponentChildren] => [
      name,
      valueToText(value, 'inline'),
    ]),
    ...(record.client_reference === null ? [] : [['Reference', record.client_reference] as [string, string]]),
    ['Sent by', sentBy(message)],
    ...sizeAndCost(message, pageCount),
    ...letterDays(message),
    [
      'Id',
      <>
        <code id="message-id">{record.id}</code> <Copy of="message-id" what="id" />
      </>,
    ],
  ];
  return (
    <dl class="facts">
      {rows.map(([label, value]) => [<dt key={label}>{label}</dt>, <dd key={`${label} value`}>{value}</dd>])}
    </dl>
  );
}

function sentBy({ record }: ShownMessage): string {
  const { job, job_row_number, key_name, created_by_name } = record;
  if (job) return `${job.original_file_name}${job_row_number === null ? '' : `, row ${job_row_number + 1}`}`;
  return key_name === null ? (created_by_name ?? 'Pennypost') : `Key “${key_name}”`;
}

function sizeAndCost({ record, response }: ShownMessage, pageCount: number | null): [string, string][] {
  const { cost_in_pounds, is_cost_data_ready } = response;
  const cost = is_cost_data_ready && cost_in_pounds !== null ? price(cost_in_pounds) : 'not known yet';
  switch (record.notification_type) {
    case 'email':
      return [];
    case 'sms': {
      const parts = record.billable_units;
      return [['Size', parts === 0 ? 'not known yet' : `${parts === 1 ? '1 part' : `${parts} parts`}, ${cost}`]];
    }
    case 'letter': {
      const pages = pageCount === null ? [] : [pageCount === 1 ? '1 page' : `${pageCount} pages`];
      const postage = record.postage ? [postageNames[record.postage]] : [];
      return [['Size', [...pages, ...postage, cost].join(', ')]];
    }
  }
}

function letterDays({ record, response }: ShownMessage): [string, string][] {
  if (record.notification_type !== 'letter' || response.estimated_delivery === undefined) return [];
  return [
    ['Print run', printDay(record.created_at)],
    ['Arrives', `about ${dayInWords.format(new Date(response.estimated_delivery))}`],
  ];
}

const dayInWords = new Intl.DateTimeFormat('en-GB', {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  timeZone: 'Europe/London',
});
