import { type Doc, decode } from '../bson/value.ts';
import { CommandError } from '../errors.ts';

// https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;
export const MAX_MESSAGE_BYTES = 48_000_000;

const HEADER_BYTES = 16;
const CHECKSUM_PRESENT = 1 << 0;
const MORE_TO_COME = 1 << 1;
/** A server must refuse unknown bits from 0 to 15 and ignore the others. */
const REQUIRED_BITS = 0xffff;

export interface Request {
  readonly requestId: number;
  readonly opCode: number;
  /** The command, or why it was refused before it was read. */
  readonly command: Doc | CommandError;
  /** The client expects no reply (an unacknowledged write). */
  readonly moreToCome: boolean;
}

/** A malformed message. It ends the connection, because the start of the next message is unknown. */
class ProtocolError extends Error {}

/** Splits a stream of bytes into whole messages. */
export function createFramer(): (chunk: Buffer) => Buffer[] {
  let chunks: Buffer[] = [];
  let buffered = 0;
  let needed = 4;
  return (chunk) => {
    chunks.push(chunk);
    buffered += chunk.length;
    const messages: Buffer[] = [];
    while (buffered >= needed) {
      const bytes = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, buffered);
      const length = bytes.readInt32LE(0);
      if (length < HEADER_BYTES || length > MAX_MESSAGE_BYTES) {
        throw new ProtocolError(`message length ${length} is out of bounds`);
      }
      if (bytes.length < length) {
        chunks = [bytes];
        needed = length;
        return messages;
      }
      messages.push(bytes.subarray(0, length));
      const rest = bytes.subarray(length);
      chunks = rest.length ? [rest] : [];
      buffered = rest.length;
      needed = 4;
    }
    return messages;
  };
}

export function parseMessage(message: Buffer): Request {
  const requestId = message.readInt32LE(4);
  const opCode = message.readInt32LE(12);
  try {
    if (opCode === OP_MSG) return parseOpMsg(message, requestId);
    if (opCode === OP_QUERY) return parseOpQuery(message, requestId);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const moreToCome = opCode === OP_MSG && (message.readUInt32LE(HEADER_BYTES) & MORE_TO_COME) !== 0;
    return { requestId, opCode, command: error, moreToCome };
  }
  throw new ProtocolError(`unsupported opcode ${opCode}`);
}

function parseOpMsg(message: Buffer, requestId: number): Request {
  if (message.length < HEADER_BYTES + 4 + 1) throw new ProtocolError('OP_MSG is too short');
  const flags = message.readUInt32LE(HEADER_BYTES);
  if (flags & REQUIRED_BITS & ~(CHECKSUM_PRESENT | MORE_TO_COME)) {
    throw new ProtocolError(`OP_MSG has unknown required flags: ${flags}`);
  }
  // The CRC-32C is not checked, because TCP has a checksum.
  const end = message.length - (flags & CHECKSUM_PRESENT ? 4 : 0);
  let body: Doc | undefined;
  const sequences: [string, Doc[]][] = [];
  let offset = HEADER_BYTES + 4;
  while (offset < end) {
    const kind = message[offset++];
    if (kind === 0) {
      if (body) throw new ProtocolError('OP_MSG has two bodies');
      const bytes = documentAt(message, offset, end);
      body = decodeDocument(bytes);
      offset += bytes.length;
    } else if (kind === 1) {
      const size = offset + 4 <= end ? message.readInt32LE(offset) : 0;
      const last = offset + size;
      const nul = message.indexOf(0, offset + 4);
      if (size < 5 || last > end || nul < 0 || nul >= last) throw new ProtocolError('bad document sequence');
      const name = message.toString('utf8', offset + 4, nul);
      const documents: Doc[] = [];
      for (offset = nul + 1; offset < last; ) {
        const bytes = documentAt(message, offset, last);
        documents.push(decodeDocument(bytes));
        offset += bytes.length;
      }
      sequences.push([name, documents]);
    } else throw new ProtocolError(`unknown kind of OP_MSG section: ${kind}`);
  }
  if (!body) throw new ProtocolError('OP_MSG has no body');
  for (const [name, documents] of sequences) {
    if (Object.hasOwn(body, name)) throw new ProtocolError(`field ${name} is given twice`);
    body[name] = documents;
  }
  return { requestId, opCode: OP_MSG, command: body, moreToCome: (flags & MORE_TO_COME) !== 0 };
}

/** Drivers still send their first handshake as OP_QUERY. */
function parseOpQuery(message: Buffer, requestId: number): Request {
  const nul = message.indexOf(0, HEADER_BYTES + 4);
  const start = nul + 1 + 8;
  if (nul < 0 || start + 5 > message.length) throw new ProtocolError('OP_QUERY is too short');
  const namespace = message.toString('utf8', HEADER_BYTES + 4, nul);
  if (!namespace.endsWith('.$cmd')) throw new ProtocolError('OP_QUERY is supported for commands only');
  const command = decodeDocument(documentAt(message, start, message.length));
  return {
    requestId,
    opCode: OP_QUERY,
    command: { ...command, $db: namespace.slice(0, -5) },
    moreToCome: false,
  };
}

function documentAt(message: Buffer, offset: number, end: number): Buffer {
  const length = offset + 5 <= end ? message.readInt32LE(offset) : 0;
  if (length < 5 || offset + length > end) throw new ProtocolError('a document is longer than its message');
  return message.subarray(offset, offset + length);
}

function decodeDocument(bytes: Buffer): Doc {
  try {
    return decode(bytes);
  } catch (error) {
    if (error instanceof CommandError) throw error;
    throw new ProtocolError(`invalid BSON: ${(error as Error).message}`);
  }
}

let nextRequestId = 1;

export function frameReply(
  { requestId, opCode }: Pick<Request, 'requestId' | 'opCode'>,
  body: Buffer,
): Buffer {
  const prefix = opCode === OP_QUERY ? 20 : 5;
  const start = HEADER_BYTES + prefix;
  const message = Buffer.allocUnsafe(start + body.length).fill(0, 0, start);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(nextRequestId, 4);
  message.writeInt32LE(requestId, 8);
  message.writeInt32LE(opCode === OP_QUERY ? OP_REPLY : OP_MSG, 12);
  if (opCode === OP_QUERY) message.writeInt32LE(1, HEADER_BYTES + 16);
  nextRequestId = (nextRequestId + 1) | 0;
  message.set(body, start);
  return message;
}
