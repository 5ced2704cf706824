import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll } from 'vitest';
import { type MongoServer, startMongoServer } from '../src/server.ts';

/** A document whose _id may be of any type. */
export type Doc = Document & { _id?: string | number | boolean | object | null };

/** If MONGODB_URI is set, the suite runs against that real MongoDB, in databases of its own. */
export const REAL_MONGODB = process.env.MONGODB_URI;

export interface TestDatabase {
  readonly client: MongoClient;
  readonly db: Db;
  readonly uri: string;
}

/** A new database for a test file, in memory or on the real MongoDB. */
export function useDatabase(options: { ttlInterval?: number } = {}): TestDatabase {
  let server: MongoServer | undefined;
  let client: MongoClient;
  let db: Db;
  let uri: string;

  beforeAll(async () => {
    if (!REAL_MONGODB) server = await startMongoServer({ port: 0, data: ':memory:', ...options });
    uri = REAL_MONGODB ?? server?.uri ?? '';
    client = await new MongoClient(uri).connect();
    db = client.db(`conformance_${process.pid}_${Math.random().toString(36).slice(2)}`);
  });

  afterAll(async () => {
    if (REAL_MONGODB) await db.dropDatabase();
    await client.close();
    await server?.close();
  });

  return {
    get client() {
      return client;
    },
    get db() {
      return db;
    },
    get uri() {
      return uri;
    },
  };
}

/** The code and message of the error that a promise rejects with. */
export async function refusal(promise: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as { code: unknown; message: string };
    return { code, message };
  }
  throw new Error('The promise was not rejected.');
}
