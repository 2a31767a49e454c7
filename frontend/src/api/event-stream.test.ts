import { describe, expect, it } from 'vitest';

import { eventsOf, takeEvents } from './event-stream';

describe('takeEvents', () => {
  it('takes whole events and keeps the rest', () => {
    expect(takeEvents('event: progress\ndata: {"a":1}\n\nevent: res')).toEqual({
      events: [{ name: 'progress', data: '{"a":1}' }],
      rest: 'event: res',
    });
  });

  it('joins several lines of data, and passes over comments and unknown fields', () => {
    const text = ': alive\n\nid: 3\ndata: one\ndata: two\n\n';
    expect(takeEvents(text).events).toEqual([{ name: 'message', data: 'one\ntwo' }]);
  });

  it('reads every kind of line end', () => {
    expect(takeEvents('event: a\r\ndata: 1\r\n\r\n').events).toEqual([{ name: 'a', data: '1' }]);
  });
});

describe('eventsOf', () => {
  it('puts pieces together that were cut anywhere, even inside a letter', async () => {
    const bytes = new TextEncoder().encode('event: result\ndata: {"testo":"perché è così"}\n\n');
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    const found = [];
    for await (const event of eventsOf(new Response(body))) found.push(event);
    expect(found).toEqual([{ name: 'result', data: '{"testo":"perché è così"}' }]);
  });

  it('gives an event that lacks its last empty line', async () => {
    const found = [];
    for await (const event of eventsOf(new Response('data: last'))) found.push(event);
    expect(found).toEqual([{ name: 'message', data: 'last' }]);
  });
});
