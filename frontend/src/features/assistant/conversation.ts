// One conversation with the assistant, from the form to the last follow-up: what is shown, what is under way, and what
// to do when the line breaks. The session's id stands in the address, so that a reload shows the same answer.

import { useCallback, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router-dom';

import { ask, type Answer, type Outcome, type PartialAnswer, type PastSession, type Question } from '../../api/assistant';
import { api, take } from '../../api/client';
import { Problem } from '../../api/problem';

/** Milliseconds between two looks for an answer whose line broke. */
export const LOOK_AGAIN = 2_000;
/** Looks before it is given up: a minute, twice what an answer may take. */
const LOOKS = 30;
const SESSION = 's';

/** An answer with what the person said about it. */
export interface Solution {
  question: string;
  answer: Answer;
  outcomes: (Outcome | null)[];
  feedback?: 'positive' | 'negative';
  resolved: boolean;
}

export type View =
  | { name: 'form' }
  | { name: 'opening' }
  /** The session could not be fetched; it may well be there. */
  | { name: 'unopened'; detail: string }
  | { name: 'waiting'; question: string; progress: string; partial: PartialAnswer }
  | { name: 'solution'; solution: Solution };

export interface Conversation {
  view: View;
  /** A follow-up is being answered; the present solution stays meanwhile. */
  following: { progress: string } | undefined;
  /** @throws {Problem} when there is no answer; nothing of what was typed is lost. */
  solve: (question: Question) => Promise<void>;
  /** @throws {Problem} */
  followUp: (question: Question) => Promise<void>;
  setOutcome: (step: number, outcome: Outcome | null) => Promise<void>;
  setResolved: (resolved: boolean) => Promise<void>;
  giveFeedback: (feedback: 'positive' | 'negative') => Promise<void>;
  /** Tries once more to open what the address names. */
  reopen: () => void;
  /** Back to an empty form. */
  startAnew: () => void;
}

/** The last answer of a session, if there is one. */
export function lastSolution(session: PastSession): Solution | undefined {
  const last = session.interactions.at(-1);
  if (!last) return undefined;
  return {
    question: last.question,
    answer: last.answer,
    outcomes: last.answer.steps.map((_, index) => last.outcomes[index] ?? null),
    feedback: last.feedback,
    resolved: session.resolved,
  };
}

function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

const ASKED = 'asked';

interface Asked {
  fingerprint: string;
  key: string;
}

/** The key under which a question is asked; the same question, also after a reload, has the same one until it is answered. */
function keyFor(question: Question): string {
  const fingerprint = JSON.stringify(question);
  try {
    const kept = JSON.parse(sessionStorage.getItem(ASKED) ?? 'null') as Asked | null;
    if (kept?.fingerprint === fingerprint) return kept.key;
  } catch {
    // Nothing that can be read: a new question.
  }
  const key = newKey();
  try {
    sessionStorage.setItem(ASKED, JSON.stringify({ fingerprint, key } satisfies Asked));
  } catch {
    // A browser that refuses storage: a retry after a reload is a new question.
  }
  return key;
}

function forgetKey() {
  try {
    sessionStorage.removeItem(ASKED);
  } catch {
    // As above.
  }
}

const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

async function read(session: string): Promise<PastSession> {
  return take(api.GET('/api/v1/sessions/{id}', { params: { path: { id: session } } }));
}

/** Waits for an answer that the server is still writing. @throws {Problem} when it does not come. */
async function awaitAnswer(session: string, after: number, gone: () => boolean): Promise<PastSession> {
  let failure: Problem | undefined;
  for (let look = 0; look < LOOKS && !gone(); look += 1) {
    try {
      const found = await read(session);
      if (found.interactions.length > after) return found;
      if (!found.pending) break;
    } catch (caught) {
      if (!(caught instanceof Problem)) throw caught;
      failure = caught;
      // Not there, or not ours any more: waiting helps nobody.
      if (caught.status === 401 || caught.status === 404) break;
    }
    await wait(LOOK_AGAIN);
  }
  throw failure ?? new Problem({ status: 0, code: 'network', detail: 'Errore di connessione. Riprova più tardi.' });
}

export function useConversation(): Conversation {
  const [parameters, setParameters] = useSearchParams();
  const opened = parameters.get(SESSION);
  const [view, setView] = useState<View>(() => (opened ? { name: 'opening' } : { name: 'form' }));
  const [following, setFollowing] = useState<{ progress: string }>();
  const alive = useRef(true);
  const [tries, setTries] = useState(0);
  const answers = useRef(0);
  const shown = useRef<string | undefined>(undefined);
  /** One after the other: of two presses the second must win. */
  const outcomesOnTheirWay = useRef<Promise<unknown>>(Promise.resolve());

  useEffect(() => {
    alive.current = true;
    return () => {
      alive.current = false;
    };
  }, []);

  const remember = useCallback(
    (session: string) => {
      shown.current = session;
      setParameters({ [SESSION]: session }, { replace: true });
    },
    [setParameters],
  );

  const show = useCallback((solution: Solution, count: number) => {
    answers.current = count;
    setView({ name: 'solution', solution });
  }, []);

  // A reload, or a link from the past requests.
  useEffect(() => {
    if (!opened || shown.current === opened) return;
    shown.current = opened;
    setView({ name: 'opening' });
    const open = async () => {
      let session = await read(opened);
      if (session.pending) session = await awaitAnswer(opened, session.interactions.length, () => !alive.current);
      const solution = lastSolution(session);
      if (!alive.current) return;
      if (solution) show(solution, session.interactions.length);
      else throw new Problem({ status: 404, code: 'not_found', detail: '' });
    };
    open().catch((caught: unknown) => {
      if (!(caught instanceof Problem)) throw caught;
      if (!alive.current) return;
      shown.current = undefined;
      if (caught.status === 404) {
        setParameters({}, { replace: true });
        setView({ name: 'form' });
      } else {
        setView({ name: 'unopened', detail: caught.detail });
      }
    });
  }, [opened, setParameters, show, tries]);

  const put = useCallback(
    async (question: Question, tell: (progress: string, partial?: PartialAnswer) => void, onSession?: (session: string) => void) => {
      let session = question.session;
      const before = question.session ? answers.current : 0;
      try {
        const answer = await ask(question, keyFor(question), {
          onSession: (id) => {
            session = id;
            onSession?.(id);
          },
          onProgress: (text) => tell(text),
          onPartial: (partial) => tell('', partial),
        });
        return { answer, count: before + 1 };
      } catch (caught) {
        if (!(caught instanceof Problem) || !caught.isNetwork || !session) throw caught;
        // The work goes on without us; its answer waits in the session.
        tell('La connessione si è interrotta. Aspetto la risposta...');
        const found = await awaitAnswer(session, before, () => !alive.current);
        const last = found.interactions.at(-1);
        if (!last) throw caught;
        return { answer: last.answer, count: found.interactions.length };
      }
    },
    [],
  );

  const solve = useCallback(
    async (question: Question) => {
      setView({ name: 'waiting', question: question.text, progress: '', partial: {} });
      const tell = (progress: string, partial?: PartialAnswer) => {
        setView((now) =>
          now.name === 'waiting' ? { ...now, progress: progress || now.progress, partial: { ...now.partial, ...partial } } : now,
        );
      };
      try {
        // From here on a reload finds the answer, and a second press asks nothing anew.
        const { answer, count } = await put(question, tell, remember);
        forgetKey();
        if (!alive.current) return;
        show({ question: question.text, answer, outcomes: answer.steps.map(() => null), resolved: false }, count);
        remember(answer.session_id);
      } catch (caught) {
        if (alive.current) {
          shown.current = undefined;
          setParameters({}, { replace: true });
          setView({ name: 'form' });
        }
        throw caught;
      }
    },
    [put, remember, setParameters, show],
  );

  const followUp = useCallback(
    async (question: Question) => {
      setFollowing({ progress: '' });
      try {
        const { answer, count } = await put(question, (progress) => progress && setFollowing({ progress }));
        forgetKey();
        if (!alive.current) return;
        show({ question: question.text, answer, outcomes: answer.steps.map(() => null), resolved: false }, count);
      } finally {
        if (alive.current) setFollowing(undefined);
      }
    },
    [put, show],
  );

  const change = useCallback((how: (solution: Solution) => Solution) => {
    setView((now) => (now.name === 'solution' ? { ...now, solution: how(now.solution) } : now));
  }, []);

  const answer = view.name === 'solution' ? view.solution.answer : undefined;
  const outcomes = view.name === 'solution' ? view.solution.outcomes : undefined;

  const setOutcome = useCallback(
    async (step: number, outcome: Outcome | null) => {
      if (!answer) return;
      const before = outcomes?.[step] ?? null;
      const put = (value: Outcome | null, instead?: Outcome | null) =>
        change((solution) => ({
          ...solution,
          outcomes: solution.outcomes.map((one, index) => (index === step && (instead === undefined || one === instead) ? value : one)),
        }));
      put(outcome);
      const call = () =>
        take(
          api.PUT('/api/v1/sessions/{id}/interactions/{interaction_id}/steps/{index}', {
            params: { path: { id: answer.session_id, interaction_id: answer.interaction_id, index: step } },
            body: { outcome: outcome ?? undefined },
          }),
        );
      const sent = outcomesOnTheirWay.current.then(call, call);
      outcomesOnTheirWay.current = sent;
      try {
        await sent;
      } catch (caught) {
        // Unless it was changed again meanwhile.
        put(before, outcome);
        throw caught;
      }
    },
    [answer, outcomes, change],
  );

  const setResolved = useCallback(
    async (resolved: boolean) => {
      if (!answer) return;
      await take(api.POST('/api/v1/sessions/{id}/resolved', { params: { path: { id: answer.session_id } }, body: { resolved } }));
      change((solution) => ({ ...solution, resolved }));
    },
    [answer, change],
  );

  const giveFeedback = useCallback(
    async (feedback: 'positive' | 'negative') => {
      if (!answer) return;
      const { session_id, interaction_id } = answer;
      await take(api.POST('/api/v1/feedback', { params: {}, body: { session_id, interaction_id, feedback } }));
      change((solution) => ({ ...solution, feedback }));
    },
    [answer, change],
  );

  const reopen = useCallback(() => setTries((count) => count + 1), []);

  const startAnew = useCallback(() => {
    forgetKey();
    shown.current = undefined;
    answers.current = 0;
    setParameters({}, { replace: true });
    setView({ name: 'form' });
  }, [setParameters]);

  return { view, following, solve, followUp, setOutcome, setResolved, giveFeedback, reopen, startAnew };
}
