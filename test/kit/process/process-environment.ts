/** The environment variables a child process needs: where programs are, how they are loaded, what time it is. */
export const processEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'PATH' || /^(LD_|FAKETIME|NO_FAKE)/.test(name)),
);

/** libfaketime wraps the calls in which PostgreSQL waits: its timeouts then fire only after the wait has ended. */
export const isTimeFaked = process.env.FAKETIME !== undefined;

/** `npm run test:long`: every case of those tests of which `npm test` runs a part, and as many random ones as take minutes. */
export const isLongRun = process.env.LONG_TESTS === 'true';

/** The members of a list that `npm test` tries in one of many places: each place gets others, and all places together get all. */
export function someOf<T>(list: readonly T[], { count, place }: { count: number; place: number }): readonly T[] {
  if (isLongRun || list.length <= count) return list;
  return Array.from({ length: count }, (_, index) => list[(place * count + index) % list.length] as T);
}
