/** Quadratic work on megabytes of input takes minutes; linear work stays far below this on any machine. */
export const quadratic_ms = 20_000;

/** Processor time of some work: unlike its duration, it hardly depends on other load on the machine. */
export function processorTime_ms(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  return processorTimeSince_ms(before);
}

export function processorTimeSince_ms(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
