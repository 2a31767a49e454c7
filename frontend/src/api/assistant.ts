// The calls of the assistant that are more than one request and one answer: a question whose answer streams, and a
// picture. The others go through `api` where they are needed.

import { send } from './client';
import { eventsOf } from './event-stream';
import { Problem, networkProblem, problemOf } from './problem';
import type { components } from './schema';

type Schemas = components['schemas'];

export type Answer = Schemas['Answer'];
export type StepClass = Schemas['StepClass'];
export type Outcome = Schemas['StepOutcome'];
export type Usage = Schemas['Usage'];
export type PastSession = Schemas['SessionBody'];
export type SessionSummary = Schemas['SessionSummary'];

/** A question, first or following. */
export interface Question {
  text: string;
  /** The session that it follows up. */
  session?: string;
  /** The path of an uploaded picture. */
  imagePath?: string;
  /** What the browser read in it. */
  imageText?: string;
  format: Schemas['ResponseFormat'];
  /** Whether the server keeps it after the session ends. */
  save: boolean;
}

/** What an answer holds so far. */
export type PartialAnswer = Partial<Pick<Answer, 'problem_analysis' | 'diagnosis' | 'steps' | 'additional_tips'>>;

export interface Listener {
  /** Where the answer will stand, as soon as it is known. */
  onSession?: (session: string) => void;
  /** A sentence on what is being done. */
  onProgress?: (text: string) => void;
  onPartial?: (partial: PartialAnswer) => void;
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    return undefined;
  }
}

function parsed(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // A line that was cut: the line broke.
  }
  throw networkProblem();
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * Asks, and tells what happens until the answer is there. `key` is the question's own: asked again under the same key,
 * it is answered once and costs once.
 * @throws {Problem} `network` when the line broke; the work goes on and the answer waits in its session.
 */
export async function ask(question: Question, key: string, listener: Listener, signal?: AbortSignal): Promise<Answer> {
  const follows = question.session !== undefined;
  const common = { response_format: question.format, save: question.save };
  const body = follows
    ? { session_id: question.session, question: question.text, ...common }
    : { text: question.text, image_path: question.imagePath, image_text: question.imageText, follow_up: false, ...common };
  const response = await send(
    new Request(new URL(follows ? '/api/v1/follow-up' : '/api/v1/solve', location.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'idempotency-key': key },
      body: JSON.stringify(body),
      signal,
    }),
  );
  if (!response.ok) throw problemOf(response, await bodyOf(response));
  try {
    for await (const event of eventsOf(response)) {
      const data = parsed(event.data);
      if (event.name === 'progress') {
        if (data.session_id) listener.onSession?.(text(data.session_id));
        listener.onProgress?.(text(data.text));
      } else if (event.name === 'partial') {
        listener.onPartial?.({ [text(data.field)]: data.value });
      } else if (event.name === 'result') {
        return data as unknown as Answer;
      } else if (event.name === 'error') {
        const status = typeof data.status === 'number' ? data.status : 500;
        throw new Problem({ status, code: text(data.code), detail: text(data.detail), requestId: text(data.request_id) });
      }
    }
  } catch (caught) {
    if (caught instanceof Problem || signal?.aborted) throw caught;
    throw networkProblem();
  }
  // The stream ended without a result: something between here and the server cut it.
  throw networkProblem();
}

/** Uploads a picture. @returns its path, for `imagePath`. @throws {Problem} */
export async function uploadImage(file: File, signal?: AbortSignal): Promise<string> {
  const form = new FormData();
  form.set('file', file);
  const response = await send(new Request(new URL('/api/v1/upload-image', location.origin), { method: 'POST', body: form, signal }));
  const body = await bodyOf(response);
  if (!response.ok) throw problemOf(response, body);
  const path = typeof body === 'object' && body !== null && 'path' in body ? body.path : undefined;
  if (typeof path !== 'string') throw networkProblem();
  return path;
}

/** A picture of the person's own, which needs the access token. @returns an object address; the caller revokes it. */
export async function imageAddress(path: string, signal?: AbortSignal): Promise<string> {
  const response = await send(new Request(new URL(path, location.origin), { signal }));
  if (!response.ok) throw problemOf(response, await bodyOf(response));
  return URL.createObjectURL(await response.blob());
}
