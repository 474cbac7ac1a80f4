import { describe, expect, it } from 'vitest';
import { newId } from '../../platform/id.ts';
import { formatAnnouncement, parseAnnouncement } from './queue-announcer.ts';

const ids = Array.from({ length: 300 }, () => newId(new Date()));

describe('queue announcements', () => {
  it('names services by lane without duplicates', () => {
    const [one = '', other = ''] = ids;
    const waiting = [
      { lane: 1, service_id: one },
      { lane: 0, service_id: one },
      { lane: 1, service_id: other },
      { lane: 1, service_id: one },
    ];
    const payload = formatAnnouncement(waiting);
    expect(payload).toBe(`1:${one},${other};0:${one}`);
    expect(parseAnnouncement(payload)).toEqual([waiting[0], waiting[2], waiting[1]]);
  });

  it('is empty if the services exceed the payload', () => {
    const payload = formatAnnouncement(ids.map((service_id) => ({ lane: 1, service_id })));
    expect(payload).toBe('');
    expect(parseAnnouncement(payload)).toBeUndefined();
  });
});
