import fc from 'fast-check';
import { describe, inject, it } from 'vitest';
import { anOrganisation, aService, aTemplate } from './kit/builders.ts';
import { FigureComparison } from './kit/compare-figures.ts';
import { useHarness } from './kit/harness.ts';
import { NaiveFigures } from './kit/naive-figures.ts';
import { NaiveStatistics } from './kit/naive-statistics.ts';
import { world } from './kit/random-world.ts';
import { StoredWorld } from './kit/stored-world.ts';

/**
 * Every figure of billing and statistics equals a naive count over the messages: random messages on days
 * around the financial year end and clock changes; statuses in any order, late and repeated; rates that
 * begin at any moment; stored and default allowances; counts that are still appended rows, partly or
 * fully added up, or folded in between; services in one database or spread over three.
 */

describe.each([
  { databases: 'one database', stores: 0, runs: 12 },
  { databases: 'three databases', stores: 2, runs: inject('stores') > 0 ? 20 : 3 },
])('every figure, with the messages in $databases', ({ stores, runs }) => {
  const harness = useHarness({ now: '2026-11-15T12:00:00Z', stores });

  it('equals a naive count over the messages', async () => {
    const organisation = await anOrganisation(harness, { name: 'An organisation' });
    const services = [
      await aService(harness, { name: 'b', organisation_id: organisation, organisation_type: 'central' }),
      await aService(harness, { name: 'A', organisation_id: organisation, organisation_type: 'nhs_gp' }),
      await aService(harness, { name: 'c', active: false, organisation_id: organisation }),
      await aService(harness, { name: 'd', organisation_type: 'local' }),
    ];
    const [first = ''] = services;
    // Messages that other services send with them do not appear on the pages of those others.
    const templates = [
      await aTemplate(harness, first),
      await aTemplate(harness, first),
      await aTemplate(harness, first),
    ];
    const stored = new StoredWorld(harness, services, templates);
    const figures = new FigureComparison(harness, templates);
    await fc.assert(
      fc.asyncProperty(world, async (random) => {
        await stored.replace(random);
        const raw = await stored.read();
        const naive = new NaiveFigures(raw);
        const pages = new NaiveStatistics(raw.messages, raw.services);
        await Promise.all([
          ...[2024, 2025, 2026].flatMap((year) => [
            ...services.map((service) => figures.service(naive, service, year)),
            figures.organisation(naive, organisation, year),
          ]),
          ...random.ranges.flatMap((days) => [figures.reports(naive, days), figures.lists(pages, days)]),
          ...services.map((service) => figures.servicePages(pages, service)),
          figures.templatesOf(pages, first),
          figures.jobs(raw.messages),
        ]);
        // This one stores the default allowance, so it comes last.
        for (const service of services) await figures.allowance(naive, service);
      }),
      { numRuns: Number(process.env.FIGURES_RUNS ?? runs) },
    );
  }, 1_200_000);
});
