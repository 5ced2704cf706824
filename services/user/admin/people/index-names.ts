import { bounded } from '@gatehouse/shared/data/bounded';
import { createPoller, type Poller } from '@gatehouse/shared/durable/poller';
import type { FastifyBaseLogger } from 'fastify';
import type { Database } from '../../database.ts';
import { nameWords } from './name-words.ts';

/** Milliseconds between two looks for names that are not indexed yet. */
export const INTERVAL = 5_000;
const BATCH = 500;

interface IndexOptions {
  db: Pick<Database, 'users'>;
  log: FastifyBaseLogger;
}

export const createNameIndexer = (options: IndexOptions, interval = INTERVAL): Poller =>
  createPoller({
    interval,
    run: (isStopping) => indexNames(options, isStopping),
    log: options.log,
    failure: 'cannot index the names of people for the search of operators yet',
  });

/**
 * Stores the words of names that have none. Whatever creates an account or changes its name leaves it without words, in
 * the same write; the filter holds the name that was read, so a concurrent change is indexed the next time.
 */
export async function indexNames({ db }: IndexOptions, isStopping = () => false): Promise<void> {
  const missing = { name_words: null } as never;
  while (!isStopping()) {
    const users = await bounded(db.users.find(missing, { limit: BATCH, projection: { name: 1 } }).toArray());
    if (users.length === 0) return;
    const { matchedCount } = await bounded(
      db.users.bulkWrite(
        users.map(({ _id, name }) => ({
          updateOne: {
            filter: { _id, name: name ?? (null as never), name_words: { $exists: false } },
            update: { $set: { name_words: nameWords(name) } },
          },
        })),
        { ordered: false },
      ),
    );
    if (matchedCount === 0) return;
  }
}
