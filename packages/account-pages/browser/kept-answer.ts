import { currentSession } from './session.ts';

/** Milliseconds for which an answer is kept. */
const LIFETIME = 60_000;

let version = 0;

/** Forgets every answer that is kept: a write may have changed it, or a refusal shows that somebody else has. */
export function forgetAnswers(): void {
  version += 1;
}

/** Makes a read whose answer several views share: the same session makes it again after a minute or a write. */
export function keepAnswer<T>(read: () => Promise<T>): () => Promise<T> {
  let kept: { answer: Promise<T>; token: string | undefined; version: number; until: number } | undefined;
  return () => {
    const token = currentSession()?.token;
    if (kept?.version === version && kept.token === token && Date.now() < kept.until) return kept.answer;
    const answer = read();
    const mine = { answer, token, version, until: Date.now() + LIFETIME };
    kept = mine;
    answer.catch(() => {
      if (kept === mine) kept = undefined;
    });
    return answer;
  };
}
