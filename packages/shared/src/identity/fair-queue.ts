import type { FastifyRequest } from 'fastify';
import type PQueue from 'p-queue';
import { addressKey } from '../http/address.ts';
import { AppError } from '../http/errors.ts';
import { emailKey } from './email.ts';

/** For whom a job is done: each flow gets its share, however many jobs the others have. */
export type Flows = readonly string[];

/** The account that a call names and the network that it comes from. */
export const flowsOf = ({ ip }: Pick<FastifyRequest, 'ip'>, email: string): Flows => [
  `account ${emailKey(email)}`,
  `network ${addressKey(ip)}`,
];

interface Flow {
  /** The turn of its latest job. */
  turn: number;
  /** Its jobs that wait or run. */
  jobs: number;
}

interface Waiting {
  turn: number;
  controller: AbortController;
}

/** Runs a job when its turn comes. @throws {AppError} unavailable when the queue is full of jobs with an earlier turn. */
export type FairQueue = <T>(job: () => Promise<T>, flows?: Flows) => Promise<T>;

/**
 * Bounds a queue and shares it among flows, so that a flood for one account or from one network does not hold up the
 * others (start-time fair queueing; Goyal, Vin and Cheng, 1996). A job's turn comes after the latest job of each of its
 * flows. When the queue is full, the job whose turn is last gives way.
 * @param maxQueued jobs that may wait.
 */
export function createFairQueue(queue: PQueue, maxQueued: number): FairQueue {
  const known = new Map<string, Flow>();
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

  return async (job, names = []) => {
    const flows = names.map((name) => [name, known.get(name) ?? { turn: current, jobs: 0 }] as const);
    const turn = Math.max(current, ...flows.map(([, flow]) => flow.turn)) + 1;
    makeRoom(turn);
    for (const [name, flow] of flows) {
      known.set(name, flow);
      flow.turn = turn;
      flow.jobs += 1;
    }
    const own: Waiting = { turn, controller: new AbortController() };
    waiting.add(own);
    const run = () => {
      waiting.delete(own);
      current = Math.max(current, turn);
      return job();
    };
    try {
      return await queue.add(run, { priority: -turn, signal: own.controller.signal });
    } finally {
      waiting.delete(own);
      for (const [name, flow] of flows) {
        flow.jobs -= 1;
        if (flow.jobs === 0) known.delete(name);
      }
    }
  };
}
