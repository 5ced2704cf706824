import { connect, type Socket } from 'node:net';
import { BSON, MongoClient } from 'mongodb';
import { afterEach, describe, expect, test } from 'vitest';
import { type Doc, REAL_MONGODB, useDatabase } from './database.ts';

const database = useDatabase();
const open: Socket[] = [];

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

async function connectSocket(): Promise<Socket> {
  const { hostname, port } = new URL(database.uri.replace('mongodb:', 'http:'));
  const socket = connect(Number(port || 27017), hostname);
  open.push(socket);
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  return socket;
}

function message(opCode: number, body: Buffer, requestId = 7): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + body.length, 0);
  header.writeInt32LE(requestId, 4);
  header.writeInt32LE(opCode, 12);
  return Buffer.concat([header, body]);
}

function flags(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

const body = (command: object) => Buffer.concat([Buffer.from([0]), BSON.serialize(command)]);
const opMsg = (command: object, flagBits = 0) =>
  message(2013, Buffer.concat([flags(flagBits), body(command)]));
const PING = { ping: 1, $db: 'admin' };

function crc32c(bytes: Buffer): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc >>> 0;
}

/** The next reply. */
async function readReply(socket: Socket): Promise<{ header: Buffer; document: BSON.Document }> {
  let bytes = Buffer.alloc(0);
  while (bytes.length < 4 || bytes.length < bytes.readInt32LE(0)) {
    const chunk = socket.read() as Buffer | null;
    if (chunk) bytes = Buffer.concat([bytes, chunk]);
    else {
      await new Promise((resolve, reject) => {
        socket.once('readable', resolve);
        socket.once('close', () => reject(new Error('closed')));
      });
    }
  }
  const offset = bytes.readInt32LE(12) === 1 ? 36 : 21;
  return { header: bytes.subarray(0, 16), document: BSON.deserialize(bytes.subarray(offset)) };
}

async function closed(socket: Socket): Promise<void> {
  socket.resume();
  if (!socket.closed)
    await new Promise((resolve) => socket.once('close', resolve).once('error', () => undefined));
}

describe.skipIf(REAL_MONGODB)('OP_MSG', () => {
  test('a reply names the request that it answers', async () => {
    const socket = await connectSocket();
    socket.write(opMsg(PING));
    const { header, document } = await readReply(socket);
    expect(header.readInt32LE(8)).toBe(7);
    expect(header.readInt32LE(12)).toBe(2013);
    expect(document).toEqual({ ok: 1 });
  });

  test('accepts a message in single bytes, and two messages in one packet', async () => {
    const socket = await connectSocket();
    for (const byte of opMsg(PING)) socket.write(Buffer.from([byte]));
    expect((await readReply(socket)).document).toEqual({ ok: 1 });
    socket.write(Buffer.concat([opMsg(PING), opMsg({ frobnicate: 1, $db: 'admin' })]));
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk as Buffer));
    await expect.poll(() => Buffer.concat(received).includes('CommandNotFound')).toBe(true);
  });

  test('accepts a document sequence', async () => {
    const socket = await connectSocket();
    const documents = Buffer.concat([BSON.serialize({ _id: 1 }), BSON.serialize({ _id: 2 })]);
    const identifier = Buffer.from('documents\0');
    const size = flags(4 + identifier.length + documents.length);
    const sequence = Buffer.concat([Buffer.from([1]), size, identifier, documents]);
    const name = database.db.databaseName;
    socket.write(message(2013, Buffer.concat([flags(0), sequence, body({ insert: 'sequence', $db: name })])));
    expect((await readReply(socket)).document).toEqual({ n: 2, ok: 1 });
    expect(await database.db.collection<Doc>('sequence').countDocuments()).toBe(2);
  });

  test('sends no reply to a message with moreToCome', async () => {
    const socket = await connectSocket();
    const name = database.db.databaseName;
    socket.write(
      opMsg({ insert: 'silent', documents: [{ _id: 1 }], $db: name, writeConcern: { w: 0 } }, 1 << 1),
    );
    socket.write(opMsg(PING));
    expect((await readReply(socket)).document).toEqual({ ok: 1 });
    expect(await database.db.collection<Doc>('silent').countDocuments()).toBe(1);
  });

  test('accepts a checksum', async () => {
    const socket = await connectSocket();
    const unsigned = Buffer.concat([opMsg(PING, 1), Buffer.alloc(4)]);
    unsigned.writeInt32LE(unsigned.length, 0);
    unsigned.writeUInt32LE(crc32c(unsigned.subarray(0, -4)), unsigned.length - 4);
    socket.write(unsigned);
    expect((await readReply(socket)).document).toEqual({ ok: 1 });
  });

  test('ignores exhaustAllowed', async () => {
    const socket = await connectSocket();
    socket.write(opMsg(PING, 1 << 16));
    expect((await readReply(socket)).document).toEqual({ ok: 1 });
  });
});

test.skipIf(REAL_MONGODB)('accepts the handshake as OP_QUERY', async () => {
  const socket = await connectSocket();
  const query = Buffer.concat([flags(0), Buffer.from('admin.$cmd\0'), flags(0), flags(0xffffffff)]);
  socket.write(message(2004, Buffer.concat([query, BSON.serialize({ isMaster: 1 })])));
  const { header, document } = await readReply(socket);
  expect(header.readInt32LE(12)).toBe(1);
  expect(document).toMatchObject({ ismaster: true, ok: 1 });
});

describe.skipIf(REAL_MONGODB)('a malformed message ends its connection and no other', () => {
  const length = (value: number) => {
    const bytes = Buffer.alloc(16);
    bytes.writeInt32LE(value);
    return bytes;
  };
  const document = BSON.serialize(PING);
  const tooLong = Buffer.from(document);
  tooLong.writeInt32LE(document.length + 100);
  const unterminated = Buffer.from(document);
  unterminated[unterminated.length - 1] = 1;
  const section = (kind: number, bytes: Uint8Array) => Buffer.concat([Buffer.from([kind]), bytes]);

  test.each<[string, Buffer]>([
    ['a length over 48 MB', length(48_000_001)],
    ['a length below the header', length(8)],
    ['a negative length', length(-1)],
    ['an unknown opcode', message(9999, Buffer.alloc(8))],
    ['an old OP_INSERT', message(2002, Buffer.alloc(8))],
    ['a section of unknown kind', message(2013, Buffer.concat([flags(0), section(9, document)]))],
    ['a document longer than its message', message(2013, Buffer.concat([flags(0), section(0, tooLong)]))],
    ['an unterminated document', message(2013, Buffer.concat([flags(0), section(0, unterminated)]))],
    ['two bodies', message(2013, Buffer.concat([flags(0), body(PING), body(PING)]))],
    ['no body', message(2013, flags(0))],
    [
      'a sequence longer than its message',
      message(2013, Buffer.concat([flags(0), body(PING), section(1, flags(9999))])),
    ],
    ['an unknown required flag', opMsg(PING, 1 << 5)],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
  ])('%s', async (_name, bytes) => {
    const other = await connectSocket();
    const socket = await connectSocket();
    socket.on('error', () => undefined);
    socket.write(bytes);
    await closed(socket);
    other.write(opMsg(PING));
    expect((await readReply(other)).document).toEqual({ ok: 1 });
  });

  test('a client that disconnects within a message', async () => {
    const socket = await connectSocket();
    socket.write(opMsg(PING).subarray(0, 20));
    socket.destroy();
    expect(await database.db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

test('accepts retryWrites and compressors in the connection string', async () => {
  const separator = database.uri.includes('?')
    ? '&'
    : database.uri.replace('mongodb://', '').includes('/')
      ? '?'
      : '/?';
  const client = new MongoClient(`${database.uri}${separator}retryWrites=true&compressors=zlib`);
  const c = client.db(database.db.databaseName).collection('options');
  await c.insertOne({ a: 1 });
  expect(await c.countDocuments()).toBe(1);
  await client.close();
});
