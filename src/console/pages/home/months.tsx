import type { Channel } from '../../../protocol/channels.ts';
import type { getMonthlyStatistics } from '../../../services/service-statistics.ts';
import type { countByTemplateAndMonth } from '../../../templates/template-statistics.ts';
import { Icon } from '../../layout/icon.tsx';
import { count } from '../../money.ts';
import { Meter } from '../../parts/meter.tsx';
import { Table } from '../../parts/table.tsx';

type Statistics = Awaited<ReturnType<typeof getMonthlyStatistics>>;
type Used = Awaited<ReturnType<typeof countByTemplateAndMonth>>[number];

const shownTemplates = 20;

export function Months({ months, templates }: { months: Statistics; templates: Used[] }) {
  const newestFirst = Object.entries(months).toReversed();
  const cell = (channel: Channel) => ({
    head: { email: 'Emails', sms: 'Texts', letter: 'Letters' }[channel],
    numeric: true as const,
    cell: ([, counts]: (typeof newestFirst)[number]) => (
      <>
        {count(counts[channel].requested)}
        {counts[channel].failed > 0 && <small>{count(counts[channel].failed)} failed</small>}
      </>
    ),
  });
  return (
    <div class="stack stack--loose">
      <Table
        caption="Messages by month"
        rows={newestFirst}
        keyOf={([month]) => month}
        columns={[
          { head: 'Month', cell: ([month]) => monthInWords(month) },
          cell('email'),
          cell('sms'),
          cell('letter'),
        ]}
      />
      <section class="stack stack--tight" aria-labelledby="templates">
        <h2 id="templates">Templates by month</h2>
        {newestFirst.map(([month], index) => (
          <TemplatesOf key={month} month={month} templates={templates} isOpen={index === 0} />
        ))}
      </section>
    </div>
  );
}

function TemplatesOf({ month, templates, isOpen }: { month: string; templates: Used[]; isOpen: boolean }) {
  const [year, number] = month.split('-').map(Number);
  const used = templates
    .filter((one) => one.year === year && one.month === number)
    .toSorted((one, other) => other.count - one.count);
  const most = used[0]?.count ?? 1;
  return (
    <details class="more" open={isOpen}>
      <summary>
        {monthInWords(month)}
        <Icon name="chevron" small />
      </summary>
      {used.length === 0 ? (
        <p class="muted">Nothing was sent.</p>
      ) : (
        <ul class="bars card measure">
          {used.slice(0, shownTemplates).map(({ template_id, name, count: times }) => (
            <li key={template_id}>
              <span>{name}</span>
              <span class="num">{count(times)}</span>
              <Meter share={times / most} />
            </li>
          ))}
          {used.length > shownTemplates && <li class="muted">and {count(used.length - shownTemplates)} more</li>}
        </ul>
      )}
    </details>
  );
}

const inWords = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function monthInWords(month: string): string {
  return inWords.format(new Date(`${month}-01T00:00:00Z`));
}
