import type { Socket } from 'node:net';
import { BerReader } from 'ldapts';

/** An ExtendedRequest with the id 1 and the name 1.3.6.1.4.1.1466.20037 (RFC 4511 §4.14). */
const REQUEST = Buffer.concat([
  Buffer.from([0x30, 0x1d, 0x02, 0x01, 0x01, 0x77, 0x18, 0x80, 0x16]),
  Buffer.from('1.3.6.1.4.1.1466.20037'),
]);
const EXTENDED_RESPONSE = 0x78;
/** Bytes; the response holds little but a diagnostic text. */
const MAX_RESPONSE = 4_096;

/**
 * Asks the server to begin TLS on this connection. The library's own StartTLS keeps bytes that arrive after the
 * response, which lets an attacker on the network insert a plaintext answer before the first encrypted one; and it
 * connects again, without TLS, when the connection is lost.
 * @throws when the server refuses, or sends more than the response.
 */
export async function startTls(socket: Socket): Promise<void> {
  const response = readResponse(socket);
  socket.write(REQUEST);
  const reader = new BerReader(await response);
  reader.readSequence();
  const id = reader.readInt();
  const operation = reader.readSequence();
  const code = operation === EXTENDED_RESPONSE ? reader.readEnumeration() : null;
  if (id !== 1 || code !== 0) throw new Error(`the server refuses StartTLS (result ${code ?? 'unknown'})`);
}

/** Reads one message. */
function readResponse(socket: Socket): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let received = Buffer.alloc(0);
  const onData = (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    const length = messageLength(received);
    if (received.length > MAX_RESPONSE || (length !== undefined && received.length > length)) {
      reject(new Error('the server sends more than the response to StartTLS'));
    } else if (received.length === length) resolve(received);
  };
  const onClose = () => reject(new Error('the server closed the connection'));
  socket.on('data', onData).once('close', onClose).once('error', reject);
  return promise.finally(() => {
    // TLS reads from here on.
    socket.pause();
    socket.off('data', onData).off('close', onClose).off('error', reject);
  });
}

/** Returns the length of the message that begins here; undefined while its length is not there yet (X.690 §8.1.3). */
function messageLength(bytes: Buffer): number | undefined {
  const [, first] = bytes;
  if (first === undefined) return undefined;
  if (first < 0x80) return 2 + first;
  const size = first & 0x7f;
  if (size === 0 || size > 4) return 0;
  return bytes.length < 2 + size ? undefined : 2 + size + bytes.readUIntBE(2, size);
}
