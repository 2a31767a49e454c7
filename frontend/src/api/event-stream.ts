// Server-sent events of one answer, read from a `fetch` response: the browser's own EventSource can neither post nor
// carry an access token.

export interface ServerEvent {
  /** `message` when the server named none. */
  name: string;
  data: string;
}

/** Cuts a text into whole events; what is left over begins the next piece. */
export function takeEvents(buffered: string): { events: ServerEvent[]; rest: string } {
  const blocks = buffered.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n\n');
  const rest = blocks.pop() ?? '';
  const events: ServerEvent[] = [];
  for (const block of blocks) {
    let name = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const colon = line.indexOf(':');
      // A line that begins with a colon is a comment: the server is alive.
      if (colon === 0) continue;
      const field = colon < 0 ? line : line.slice(0, colon);
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
      if (field === 'event') name = value;
      if (field === 'data') data.push(value);
    }
    if (data.length > 0) events.push({ name, data: data.join('\n') });
  }
  return { events, rest };
}

/** The events of a response, as they arrive. Ends with the stream; throws what the line throws. */
export async function* eventsOf(response: Response): AsyncGenerator<ServerEvent> {
  if (!response.body) return;
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let buffered = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      // A carriage return at the very end may be half of a line's end.
      buffered += done ? '\n\n' : decoder.decode(value, { stream: true });
      const { events, rest } = takeEvents(buffered);
      buffered = rest;
      yield* events;
      if (done) return;
    }
  } finally {
    reader.releaseLock();
  }
}
