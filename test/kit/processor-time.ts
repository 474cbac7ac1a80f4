/** What a piece of work costs: unlike its duration, this says little about what else the machine does. */
export function processorTime_ms(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
