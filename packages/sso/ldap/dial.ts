import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { withTimeout } from '@gatehouse/shared/with-timeout';
import type { LdapSettings } from '../connection-records.ts';
import type { SsoOptions } from '../dependencies.ts';
import { directoryAddresses, type Endpoint, parseLdapUrl } from './endpoint.ts';
import { startTls } from './start-tls.ts';

/** A step took too long. */
export class LdapTimeoutError extends Error {}

/**
 * Connects to a directory under the rules for addresses. With TLS, the certificate is verified for the host of the
 * URL before anything is sent.
 * @param timeout milliseconds for the connection, StartTLS and the TLS handshake together.
 * @throws when the directory cannot be reached, may not be dialed, or has a certificate that is not accepted.
 */
export async function dial(
  options: Pick<SsoOptions, 'config' | 'outbound'>,
  settings: Pick<LdapSettings, 'url' | 'start_tls' | 'ca'>,
  timeout: number,
): Promise<Socket | TLSSocket> {
  const endpoint = parseLdapUrl(settings.url);
  if (!endpoint) throw new Error(`${settings.url} is not the URL of a directory`);
  const addresses = await directoryAddresses(options, endpoint, settings);
  const socket = connectTcp(endpoint, addresses);
  try {
    const late = new LdapTimeoutError('the connection took too long');
    return await withTimeout(establish(socket, endpoint, settings), timeout, late);
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

async function establish(
  socket: Socket,
  { host, isLdaps }: Endpoint,
  { start_tls, ca }: Pick<LdapSettings, 'start_tls' | 'ca'>,
): Promise<Socket | TLSSocket> {
  await opened(socket, 'connect');
  if (!isLdaps && !start_tls) return socket;
  if (start_tls) await startTls(socket);
  const secured = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 && { servername: host }),
    ...(ca !== null && { ca }),
    minVersion: 'TLSv1.2',
  });
  secured.once('close', () => socket.destroy());
  await opened(secured, 'secureConnect');
  return secured;
}

function connectTcp({ host, port }: Endpoint, addresses: string[]): Socket {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  const [first] = found as [(typeof found)[0]];
  // The addresses that were checked: a second answer of the name servers could differ.
  const lookup: LookupFunction = (_hostname, { all }, callback) =>
    all ? callback(null, found) : callback(null, first.address, first.family);
  return connect({ host, port, lookup, autoSelectFamily: true });
}

function opened(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.once(event, resolve);
  // Stays, since an error without a listener would end the process.
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('the server closed the connection')));
  return promise;
}
