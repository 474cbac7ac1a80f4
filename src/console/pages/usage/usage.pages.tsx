import { getAllowance } from '../../../billing/allowance.ts';
import { listMonthlyUsage, listYearlyUsage } from '../../../billing/usage.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { chosenYear, FinancialYears, yearInWords } from '../../financial-years.tsx';
import type { Pages } from '../../page.ts';
import { Usage } from './usage.tsx';

/** What a service has sent in a financial year, and what it costs. */
export function usagePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/usage', {
    who: { service: 'manage', organisation: true },
    menu: 'Usage',
    async show({ service, query }) {
      const now = app.clock.now();
      const year = chosenYear(query('year'), now);
      const [totals, months, { free_sms_fragment_limit }] = await Promise.all([
        listYearlyUsage(app, service.id, year),
        listMonthlyUsage(app, service.id, year),
        getAllowance(app.db, service.id, year, now),
      ]);
      return {
        title: 'Usage',
        lead: yearInWords(year),
        actions: <FinancialYears year={year} path={`/console/services/${service.id}/usage`} now={now} />,
        content: <Usage totals={totals} months={months} free={free_sms_fragment_limit} />,
      };
    },
  });
}
