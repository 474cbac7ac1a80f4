import { expect } from 'vitest';
import { addDays, londonInstant } from '../../src/platform/calendar.ts';
import { timestamp } from '../../src/platform/clock.ts';
import type { Harness } from './harness.ts';
import type { NaiveFigures, RawMessage } from './naive-figures.ts';
import type { NaiveStatistics } from './naive-statistics.ts';

const today = '2026-11-15';

interface TemplateRow {
  template_id: string;
  status: string;
  count: number;
  year: number;
  month: number;
}

/** Compares what endpoints say with the naive count. */
export class FigureComparison {
  private readonly harness: Harness;
  private readonly templates: readonly string[];

  constructor(harness: Harness, templates: readonly string[]) {
    this.harness = harness;
    this.templates = templates;
  }

  // biome-ignore lint/suspicious/noExplicitAny: a failed expectation says more than a type error
  private async get(path: string): Promise<any> {
    const { status, body } = await this.harness.admin('GET', path);
    expect(status, JSON.stringify(body)).toBe(200);
    return body;
  }

  async service(naive: NaiveFigures, service: string, year: number): Promise<void> {
    const billing = `/service/${service}/billing`;
    expect(await this.get(`${billing}/monthly-usage?year=${year}`)).toEqual(naive.monthlyUsage(service, year));
    expect(await this.get(`${billing}/yearly-usage-summary?year=${year}`)).toEqual(naive.yearlyUsage(service, year));
  }

  async organisation(naive: NaiveFigures, organisation: string, year: number): Promise<void> {
    const { services } = await this.get(`/organisations/${organisation}/services-with-usage?year=${year}`);
    expect(services).toEqual(naive.servicesWithUsage(organisation, year));
  }

  async reports(naive: NaiveFigures, asked: { first: string; last: string }): Promise<void> {
    const { first, last } = asked;
    const report = (name: string, days = asked) =>
      this.get(`/platform-stats${name}?start_date=${days.first}&end_date=${days.last}`);
    expect(await report('')).toEqual(naive.counters(first, last));
    expect(await report('/daily-volumes-report')).toEqual(naive.dailyVolumes(first, last));
    expect(await report('/daily-sms-provider-volumes-report')).toEqual(naive.dailyProviderVolumes(first, last));
    expect(await report('/volumes-by-service')).toEqual(naive.volumesByService(first, last));
    const year = withinOneYear(asked);
    expect(await report('/data-for-billing-report', year)).toEqual(naive.billingReport(year.first, year.last));
    expect(await report('/data-for-dvla-billing-report', year)).toEqual(naive.printerReport(year.first, year.last));
  }

  /** The figures on the pages of a service. */
  async servicePages(naive: NaiveStatistics, service: string): Promise<void> {
    const of = (path: string) => this.get(`/service/${service}${path}`);
    for (const back of [0, 7, 300]) {
      const { data } = await of(`/statistics?limit_days=${back}`);
      expect(data).toEqual(naive.statistics(service, addDays(today, -back), today));
    }
    const { data: detailed } = await of('?detailed=true');
    expect(detailed.statistics).toEqual(naive.statistics(service, addDays(today, -7), today));
    for (const year of [2024, 2025, 2026]) {
      expect((await of(`/notifications/monthly?year=${year}`)).data).toEqual(naive.months(service, year, today));
    }
  }

  /** Templates belong to one service. */
  async templatesOf(naive: NaiveStatistics, service: string): Promise<void> {
    const of = (path: string) => this.get(`/service/${service}${path}`);
    const sorted = (rows: (string | number)[][]) => rows.map((row) => row.join(' ')).sort();
    const { data } = await of('/template-statistics?whole_days=7');
    expect(sorted(data.map((row: TemplateRow) => [row.template_id, row.status, row.count]))).toEqual(
      sorted(naive.templateStatuses(service, addDays(today, -7), today)),
    );
    for (const year of [2024, 2025, 2026]) {
      const { stats } = await of(`/notifications/templates_usage/monthly?year=${year}`);
      expect(sorted(stats.map((row: TemplateRow) => [row.year, row.month, row.template_id, row.count]))).toEqual(
        sorted(naive.templateMonths(service, year)),
      );
    }
    for (const template of this.templates) {
      const { last_date_used } = await of(`/template-statistics/last-used/${template}`);
      const day = naive.lastUsed(service, template);
      expect(last_date_used).toBe(day === undefined ? null : timestamp(londonInstant(day)));
    }
  }

  async jobs(messages: RawMessage[]): Promise<void> {
    const naive = messages.flatMap(({ job_id, status }) =>
      job_id === null ? [] : [{ key: `${job_id} ${status}`, count: 1 }],
    );
    const counted = await this.harness.app.stores.collect(async ({ pool }) => {
      const { rows } = await pool.query<{ key: string; count: number }>(
        `select job_id || ' ' || status as key, sum(count)::bigint as count from job_statuses
        group by 1 having sum(count) <> 0`,
      );
      return rows;
    });
    expect(totals(counted)).toEqual(totals(naive));
  }

  async allowance(naive: NaiveFigures, service: string): Promise<void> {
    const { free_sms_fragment_limit } = await this.get(`/service/${service}/billing/free-sms-fragment-limit`);
    expect(free_sms_fragment_limit).toBe(naive.allowance(service, 2026));
  }

  async lists(naive: NaiveStatistics, { first, last }: { first: string; last: string }): Promise<void> {
    const days = `start_date=${first}&end_date=${last}`;
    for (const withTestKeys of [true, false]) {
      const { data } = await this.get(`/service?detailed=true&${days}&include_from_test_key=${withTestKeys}`);
      const listed = data.map(({ id, statistics }: { id: string; statistics: object }) => [id, statistics] as const);
      expect(new Map(listed)).toEqual(naive.listed(first, last, withTestKeys, today));
    }
    expect(await this.get(`/service/monthly-data-by-service?${days}`)).toEqual(naive.monthsOfServices(first, last));
    const { notifications_by_type, ...ever } = await this.get(`/performance-dashboard?${days}`);
    expect(ever.email_notifications).toBe(naive.ever('email'));
    expect(ever.sms_notifications).toBe(naive.ever('sms'));
    expect(ever.letter_notifications).toBe(naive.ever('letter'));
    const byDay = notifications_by_type.flatMap((row: Record<string, string | number>) =>
      [
        [row.date, 'email', row.emails],
        [row.date, 'letter', row.letters],
        [row.date, 'sms', row.sms],
      ].filter(([, , count]) => count !== 0),
    );
    expect(byDay).toEqual(naive.byDay(first, last));
  }
}

function totals(rows: { key: string; count: number }[]): Map<string, number> {
  const sums = new Map<string, number>();
  for (const { key, count } of rows) sums.set(key, (sums.get(key) ?? 0) + count);
  return sums;
}

/** The part of a range within the financial year of its first day. */
function withinOneYear({ first, last }: { first: string; last: string }) {
  const year = Number(first.slice(0, 4)) - (first.slice(5) < '04-01' ? 1 : 0);
  const end = `${year + 1}-03-31`;
  return { first, last: last < end ? last : end };
}
