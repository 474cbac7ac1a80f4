/** What a process that a test starts needs of our own environment: where programs are, how they are loaded, what time it is. */
export const processEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'PATH' || /^(LD_|FAKETIME|NO_FAKE)/.test(name)),
);

/** libfaketime wraps the calls in which PostgreSQL waits: its time-outs then come only after what it waits for. */
export const isTimeFaked = process.env.FAKETIME !== undefined;
