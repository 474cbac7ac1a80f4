import { describe, expect, it } from 'vitest';
import { newId } from '../../platform/id.ts';
import { readNews, writeNews } from './queue-news.ts';

const ids = Array.from({ length: 300 }, () => newId(new Date()));

describe('queue news', () => {
  it('names services by lane without duplicates', () => {
    const [one = '', other = ''] = ids;
    const news = [
      { lane: 1, service_id: one },
      { lane: 0, service_id: one },
      { lane: 1, service_id: other },
      { lane: 1, service_id: one },
    ];
    const payload = writeNews(news);
    expect(payload).toBe(`1:${one},${other};0:${one}`);
    expect(readNews(payload)).toEqual([news[0], news[2], news[1]]);
  });

  it('is empty if the services exceed the payload', () => {
    const payload = writeNews(ids.map((service_id) => ({ lane: 1, service_id })));
    expect(payload).toBe('');
    expect(readNews(payload)).toBeUndefined();
  });
});
