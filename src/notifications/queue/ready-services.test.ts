import { describe, expect, it } from 'vitest';
import { ReadyServices } from './delivery-queue.ts';

const at = (service_id: string, ms: number) => ({ service_id, due_at: new Date(ms).toISOString() });

describe('ReadyServices', () => {
  it('moves services to the end after their turn and continues from the last due time', () => {
    const ready = new ReadyServices();
    for (const name of ['a', 'b', 'c']) ready.add(name, 1_000);
    const round = ready.next(2);
    expect(round.map(({ service_id }) => service_id)).toEqual(['a', 'b']);
    ready.settle(round, 1, [at('a', 2_000), at('b', 3_000)]);
    expect(ready.next(3)).toMatchObject([
      { service_id: 'c', since: 1_000 },
      { service_id: 'a', since: 2_000 },
      { service_id: 'b', since: 3_000 },
    ]);
  });

  it('drops services that had fewer messages than allowed', () => {
    const ready = new ReadyServices();
    ready.add('a', 1_000);
    ready.settle(ready.next(1), 2, [at('a', 2_000)]);
    expect(ready.next(1)).toEqual([]);
  });

  it('keeps services with new messages announced during the lease', () => {
    const ready = new ReadyServices();
    ready.add('a', 5_000);
    const round = ready.next(1);
    ready.add('a', 4_000);
    ready.settle(round, 10, []);
    expect(ready.next(1)).toMatchObject([{ service_id: 'a', since: 4_000 }]);
  });
});
