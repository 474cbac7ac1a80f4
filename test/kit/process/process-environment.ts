/** The environment variables a child process needs: where programs are, how they are loaded, what time it is. */
export const processEnvironment: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => name === 'PATH' || /^(LD_|FAKETIME|NO_FAKE)/.test(name)),
);

/** libfaketime wraps the calls in which PostgreSQL waits: its timeouts then fire only after the wait has ended. */
export const isTimeFaked = process.env.FAKETIME !== undefined;
