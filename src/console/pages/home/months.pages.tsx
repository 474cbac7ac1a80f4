import { getMonthlyStatistics } from '../../../services/service-statistics.ts';
import { countByTemplateAndMonth } from '../../../templates/template-statistics.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { chosenYear, FinancialYears, yearInWords } from '../../financial-years.tsx';
import type { Pages } from '../../page.ts';
import { Months } from './months.tsx';

/** Messages and templates by month of a financial year. */
export function monthsPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/months', {
    who: { service: 'activity' },
    below: 'Home',
    async show({ service, query }) {
      const now = app.clock.now();
      const year = chosenYear(query('year'), now);
      const [months, templates] = await Promise.all([
        getMonthlyStatistics(app, service.id, String(year)),
        countByTemplateAndMonth(app, service.id, String(year)),
      ]);
      return {
        title: 'Messages by month',
        lead: yearInWords(year),
        crumbs: [{ label: 'Home', to: `/services/${service.id}` }],
        actions: <FinancialYears year={year} path={`/console/services/${service.id}/months`} now={now} />,
        content: <Months months={months} templates={templates} />,
      };
    },
  });
}
