import { setTimeout as sleep } from 'node:timers/promises';
import type { Outcome } from './outcome.ts';
import type { OwnDatabase } from './own-database.ts';
import type { Send } from './provider.ts';
import type { World } from './world.ts';

const victims = ['api', 'worker', 'postgres'] as const;

/** Kills the API, the workers and PostgreSQL at random, without warning, one at a time. */
export class RandomKills {
  private readonly kills: { victim: (typeof victims)[number]; at: number }[] = [];
  private readonly world: World;
  private readonly database: OwnDatabase;
  private killing: Promise<void> | undefined;
  private isOver = false;

  constructor(world: World, database: OwnDatabase) {
    this.world = world;
    this.database = database;
  }

  get count(): number {
    return this.kills.length;
  }

  start(): void {
    this.killing = this.killAtRandom();
  }

  /** When everything runs again. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.killing;
    await this.world.untilReady();
  }

  describe(): string {
    const counts = victims.map((name) => `${this.kills.filter(({ victim }) => victim === name).length} ${name}`);
    return `${this.count} kills: ${counts.join(', ')}`;
  }

  /** Messages that were sent again although no worker and no database died in that time. */
  unexplained({ duplicates }: Outcome): Send[][] {
    const killedBetween = (from: number, to: number) =>
      this.kills.some(({ victim, at }) => victim !== 'api' && at >= from - 1_000 && at <= to);
    return duplicates.filter((sends) => sends.some(({ at }, n) => n > 0 && !killedBetween(sends[n - 1]?.at ?? 0, at)));
  }

  private async killAtRandom(): Promise<void> {
    while (!this.isOver) {
      await sleep(1_000 + Math.random() * 4_000);
      if (this.isOver) return;
      const victim = victims[Math.floor(Math.random() * victims.length)] ?? 'worker';
      this.kills.push({ victim, at: Date.now() });
      const { world } = this;
      if (victim === 'api') world.api.kill();
      else if (victim === 'worker') world.workers[Math.floor(Math.random() * world.workers.length)]?.kill();
      else this.database.signal('SIGKILL');
      // On a slow machine a process would otherwise be killed again before it has started.
      await world.untilReady();
    }
  }
}
