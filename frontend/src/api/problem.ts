// Every way in which a call can fail, as one thing to catch: the server's own sentence for the person, its stable code,
// and whether it reached the server at all.

export class Problem extends Error {
  override name = 'Problem';
  /** The HTTP status; 0 when the server was not reached. */
  readonly status: number;
  /** Stable, snake_case. `network` when the server was not reached, `unreadable` when its answer made no sense. */
  readonly code: string;
  /** The sentence for the person. */
  readonly detail: string;
  /** What the server's log calls this request. */
  readonly requestId: string | undefined;
  /** Seconds to wait before trying again, when the server said so. */
  readonly retryAfter: number | undefined;

  constructor(problem: { status: number; code: string; detail: string; requestId?: string; retryAfter?: number }) {
    super(`${problem.code}: ${problem.detail}`);
    this.status = problem.status;
    this.code = problem.code;
    this.detail = problem.detail;
    this.requestId = problem.requestId;
    this.retryAfter = problem.retryAfter;
  }

  get isNetwork(): boolean {
    return this.code === 'network';
  }
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The problem that an answer of the server tells of. */
export function problemOf(response: Response, body: unknown): Problem {
  const fields: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new Problem({
    status: response.status,
    code: text(fields.code) ?? 'unreadable',
    detail: text(fields.detail) ?? `Errore HTTP ${response.status}`,
    requestId: text(fields.request_id) ?? response.headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) && retryAfter >= 0 ? retryAfter : undefined,
  });
}

/** The server was not reached, or the line broke. */
export function networkProblem(): Problem {
  return new Problem({ status: 0, code: 'network', detail: 'Errore di connessione. Riprova più tardi.' });
}

/** What was caught, as a problem; a mistake of our own is passed on as it is. */
export function asProblem(caught: unknown): Problem {
  if (caught instanceof Problem) return caught;
  throw caught;
}

/** Whether somebody gave up on the call on purpose. */
export function isAbort(caught: unknown): boolean {
  return caught instanceof DOMException && caught.name === 'AbortError';
}
