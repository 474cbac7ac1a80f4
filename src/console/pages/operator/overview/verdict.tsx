import type { Overview } from '../../../../operations/overview/overview.ts';
import type { Problem } from '../../../../operations/overview/verdict.ts';
import { Icon } from '../../../layout/icon.tsx';
import { ClockTime, Time } from '../../../parts/time.tsx';

/** The address of a page of the operator, where the visitor may open it. */
export type Link = (address: string) => string | undefined;

const shownProblems = 5;
const actions = {
  providers: { address: '/operator/providers', label: 'See providers' },
  system: { address: '/operator/system', label: 'See the checks' },
  letters: { address: '/operator/letters', label: 'See letters' },
} as const;

/** What is wrong, since when, and what was done about it. */
export function Verdict({ overview, link }: { overview: Overview; link: Link }) {
  const { problems, now } = overview;
  return (
    <div class="stack">
      {problems.length === 0 && <AllIsWell overview={overview} />}
      {problems.slice(0, shownProblems).map((problem) => (
        <OneProblem key={problem.what + problem.detail} problem={problem} now={now} link={link} />
      ))}
      {problems.length > shownProblems && <p>And {problems.length - shownProblems} more problems.</p>}
    </div>
  );
}

function AllIsWell({ overview: { providers, now } }: { overview: Overview }) {
  const moves = providers.flatMap(({ display_name, moves }) =>
    moves
      .filter(({ before, priority }) => priority < before)
      .slice(0, 1)
      .map((move) => ({ ...move, display_name })),
  );
  return (
    <section class="verdict tone-green" aria-labelledby="verdict">
      <Icon name="delivered" />
      <div>
        <h2 id="verdict">All is well</h2>
        {moves.length === 0 && <p>Providers, queues, workers and the system are as they should be.</p>}
        {moves.map(({ display_name, before, priority, at }) => (
          <p key={display_name}>
            {display_name} had problems: Pennypost moved its share from {before} to {priority} at{' '}
            <Time at={at} now={now} brief />, and gives it back step by step.
          </p>
        ))}
      </div>
    </section>
  );
}

function OneProblem({ problem, now, link }: { problem: Problem; now: Date; link: Link }) {
  const { tone, what, detail, since, done, move, about } = problem;
  const to = link(actions[about].address);
  return (
    <section class={`verdict tone-${tone}`} aria-label={what}>
      <Icon name={tone === 'red' ? 'failed' : 'sending'} />
      <div>
        <h2>{what}</h2>
        <p>
          {since && (
            <>
              Since <Time at={since} now={now} />:{' '}
            </>
          )}
          {detail}{' '}
          {move && (
            <>
              Pennypost moved its share from {move.before} to {move.priority} at <ClockTime at={move.at} />.{' '}
            </>
          )}
          {done}
        </p>
      </div>
      {to && (
        <div class="row row--end">
          <a class="button" href={to}>
            {actions[about].label}
          </a>
        </div>
      )}
    </section>
  );
}
