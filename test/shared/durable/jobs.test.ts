import { runInBackground, type Startable } from '@gatehouse/shared/durable/jobs';
import Fastify from 'fastify';
import { expect, test } from 'vitest';

/** A job that records what happens to it. */
const job = (
  steps: string[],
  stop: () => Promise<void> = async () => void steps.push('stopped'),
): Startable => ({
  start: () => void steps.push('started'),
  stop,
});

test('runs the repairs in order before the jobs, and stops the jobs before the server closes', async () => {
  const app = Fastify();
  const steps: string[] = [];
  app.addHook('onClose', async () => void steps.push('closed'));
  const repairs = ['first', 'second'].map((name) => async () => void steps.push(name));
  runInBackground(app, { repairs, jobs: [job(steps)] });
  await app.ready();
  expect(steps).toStrictEqual(['first', 'second', 'started']);
  await app.close();
  expect(steps).toStrictEqual(['first', 'second', 'started', 'stopped', 'closed']);
});

test('does not start the service if a repair fails', async () => {
  const app = Fastify();
  const steps: string[] = [];
  const failing = () => Promise.reject(new Error('no database'));
  runInBackground(app, { repairs: [failing], jobs: [job(steps)] });
  await expect(app.ready()).rejects.toThrow('no database');
  expect(steps).toStrictEqual([]);
});

test('closes although a job does not end', async () => {
  const app = Fastify();
  const jobs = [job([], () => new Promise<void>(() => {}))];
  runInBackground(app, { repairs: [], jobs, grace: 1 });
  await app.ready();
  await app.close();
});
