/** Processor time of some work: unlike its duration, it hardly depends on other load on the machine. */
export function processorTime_ms(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
