import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll } from 'vitest';
import { type MongoServer, startMongoServer } from '../src/server.ts';

/** A document whose _id may be of any type. */
export type Doc = Document & { _id?: string | number | boolean | object | null };

/** Set: the suite runs against this real MongoDB, in a database of its own. */
export const REAL_MONGODB = process.env.MONGODB_URI;

export interface TestDatabase {
  readonly client: MongoClient;
  readonly db: Db;
  readonly uri: string;
}

/** A fresh database for a test file, on our server or, with MONGODB_URI, on a real one. */
export function useDatabase(): TestDatabase {
  let server: MongoServer | undefined;
  let client: MongoClient;
  let db: Db;
  let uri: string;

  beforeAll(async () => {
    if (REAL_MONGODB) uri = REAL_MONGODB;
    else {
      // What a file is for, the tests of its process and of crashes show.
      server = await startMongoServer({ port: 0, data: ':memory:' });
      uri = server.uri;
    }
    client = await new MongoClient(uri, { serverSelectionTimeoutMS: 5000 }).connect();
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

/** The code (and where it matters the text) with which a promise is refused. */
export async function refusal(promise: Promise<unknown>): Promise<{ code: unknown; message: string }> {
  try {
    await promise;
  } catch (error) {
    const { code, message } = error as { code: unknown; message: string };
    return { code, message };
  }
  throw new Error('was not refused');
}
