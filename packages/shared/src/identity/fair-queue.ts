import type { FastifyRequest } from 'fastify';
import type PQueue from 'p-queue';
import { networksOf } from '../http/address.ts';
import { AppError } from '../http/errors.ts';
import { emailKey } from './email.ts';

/** An account, mailbox or network that jobs are charged to. */
export interface Flow {
  name: string;
  /** Its weight: a flow with share 4 runs four jobs while one with share 1 runs one. */
  share: number;
}

/** The flows that a job is charged to. Each flow gets its share, however many jobs the others have. */
export type Flows = readonly Flow[];

/** The account that a call names and the networks that it comes from. */
export const flowsOf = ({ ip }: Pick<FastifyRequest, 'ip'>, email: string): Flows => [
  { name: `account ${emailKey(email)}`, share: 1 },
  ...networkFlows(ip),
];

export const networkFlows = (ip: string): Flows =>
  networksOf(ip).map(({ key, share }) => ({ name: `network ${key}`, share }));

/** A flow that has jobs. */
interface Known extends Flow {
  /** The turn of its latest job, or earlier by its share. */
  turn: number;
  /** Its jobs that wait or run. */
  jobs: number;
  /** Its jobs that were handed to the queue. */
  admitted: number;
}

interface Waiting {
  turn: number;
  flows: readonly Known[];
  controller: AbortController;
  /** Resolved when the queue may take the job. */
  admission: PromiseWithResolvers<void>;
  admitted: boolean;
}

/**
 * Runs a job when its turn comes.
 * @param signal abandons a job that waits.
 * @throws {AppError} unavailable when the queue is full of jobs with an earlier turn.
 */
export type FairQueue = <T>(job: () => Promise<T>, flows?: Flows, signal?: AbortSignal) => Promise<T>;

interface Limits {
  /** Jobs that may wait. */
  maxQueued: number;
  /** Jobs of one flow that run at once. */
  maxRunning?: (flow: Flow) => number;
}

/**
 * Bounds a queue and shares it among flows (start-time fair queueing; Goyal, Vin and Cheng, 1996): a flood for one
 * account or from one network does not hold up the others. A job's turn comes after the latest job of each of its
 * flows. When the queue is full, the job whose turn is last gives way. `npm run bench -- flood`: a login of another account
 * takes 2.4 times as long in the flood, and 53 times in the order of arrival.
 */
export function createFairQueue(
  queue: PQueue,
  { maxQueued, maxRunning = () => Number.POSITIVE_INFINITY }: Limits,
): FairQueue {
  const known = new Map<string, Known>();
  const waiting = new Set<Waiting>();
  let current = 0;

  const makeRoom = (turn: number): void => {
    if (waiting.size < maxQueued) return;
    const last = [...waiting].reduce<Waiting | undefined>(
      (latest, each) => (latest && latest.turn >= each.turn ? latest : each),
      undefined,
    );
    if (!last || last.turn <= turn) throw new AppError('unavailable');
    waiting.delete(last);
    last.controller.abort(new AppError('unavailable'));
  };

  const admit = (): void => {
    const candidates = [...waiting]
      .filter((job) => !job.admitted)
      .sort((one, other) => one.turn - other.turn);
    for (const job of candidates) {
      if (job.flows.some((flow) => flow.admitted >= maxRunning(flow))) continue;
      job.admitted = true;
      for (const flow of job.flows) flow.admitted += 1;
      job.admission.resolve();
    }
  };

  const enter = (flows: Flows): Waiting => {
    const found = flows.map(
      (flow) => known.get(flow.name) ?? { ...flow, turn: current, jobs: 0, admitted: 0 },
    );
    const turn = Math.max(current, ...found.map((flow) => flow.turn)) + 1;
    makeRoom(turn);
    for (const flow of found) {
      known.set(flow.name, flow);
      flow.turn = turn - 1 + 1 / flow.share;
      flow.jobs += 1;
    }
    const admission = Promise.withResolvers<void>();
    return { turn, flows: found, controller: new AbortController(), admission, admitted: false };
  };

  const leave = (own: Waiting): void => {
    waiting.delete(own);
    for (const flow of own.flows) {
      if (own.admitted) flow.admitted -= 1;
      flow.jobs -= 1;
      if (flow.jobs === 0) known.delete(flow.name);
    }
    admit();
  };

  return async (job, flows = [], signal) => {
    const own = enter(flows);
    waiting.add(own);
    admit();
    const { turn, controller, admission } = own;
    const abandoned = signal ? AbortSignal.any([controller.signal, signal]) : controller.signal;
    const run = () => {
      waiting.delete(own);
      current = Math.max(current, turn);
      return job();
    };
    try {
      abandoned.throwIfAborted();
      if (!own.admitted) await Promise.race([admission.promise, rejectedByAbort(abandoned)]);
      return await queue.add(run, { priority: -turn, signal: abandoned });
    } finally {
      leave(own);
    }
  };
}

const rejectedByAbort = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
