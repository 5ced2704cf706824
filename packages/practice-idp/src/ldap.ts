import { createServer, type Socket } from 'node:net';
import { Ber, BerReader, BerWriter, type Filter, FilterParser, PresenceFilter, SearchFilter } from 'ldapts';
import { paused, type Staff } from './people.ts';

export const BASE_DN = 'dc=practice,dc=test';
const PEOPLE_DN = `ou=people,${BASE_DN}`;
/** The account with which a service searches. */
export const BIND_DN = `cn=gatehouse,${BASE_DN}`;
export const BIND_PASSWORD = 'practice-bind-password';

/** Bytes of a message. */
const MAX_MESSAGE = 64 * 1024;

/** Tags of RFC 4511 §4.1.1. */
const BIND_REQUEST = 0x60;
const BIND_RESPONSE = 0x61;
const UNBIND_REQUEST = 0x42;
const ABANDON_REQUEST = 0x50;
const SEARCH_REQUEST = 0x63;
const SEARCH_ENTRY = 0x64;
const SEARCH_DONE = 0x65;
const EXTENDED_REQUEST = 0x77;
const EXTENDED_RESPONSE = 0x78;

/** Result codes of RFC 4511 §4.1.9. */
const SUCCESS = 0;
const PROTOCOL_ERROR = 2;
const NO_SUCH_OBJECT = 32;
const INVALID_CREDENTIALS = 49;
const INSUFFICIENT_RIGHTS = 50;
const UNWILLING = 53;

interface Entry {
  dn: string;
  /** By the name in lower case, as filters have it. */
  attributes: Record<string, string>;
}

/** The root DSE, which anyone may read (RFC 4512 §5.1). */
const ROOT: Entry = {
  dn: '',
  attributes: { objectclass: 'top', namingcontexts: BASE_DN, supportedldapversion: '3' },
};

const dnOf = (uid: string): string => `uid=${uid},${PEOPLE_DN}`;

const entriesOf = (staff: Staff): Entry[] => [
  { dn: BASE_DN, attributes: { objectclass: 'domain', dc: 'practice' } },
  { dn: PEOPLE_DN, attributes: { objectclass: 'organizationalunit', ou: 'people' } },
  ...staff.people().map((person) => {
    const { uid, email, firstName, lastName, role, department } = person;
    return {
      dn: dnOf(uid),
      attributes: {
        objectclass: 'inetorgperson',
        uid,
        cn: `${firstName} ${lastName}`,
        givenname: firstName,
        sn: lastName,
        mail: email,
        role,
        departmentnumber: department,
        // OpenLDAP's password policy marks a permanently locked account like this.
        ...(staff.conditionOf(person) === 'disabled' && { pwdaccountlockedtime: '000001010000Z' }),
      },
    };
  }),
];

const passwordOf = (staff: Staff, dn: string): string | undefined =>
  dn === BIND_DN
    ? BIND_PASSWORD
    : staff.people().find((person) => dnOf(person.uid) === dn && staff.find(person.uid))?.password;

/** Compares as directories do, without regard to case and to spaces around separators. */
const dnKey = (dn: string): string =>
  dn
    .trim()
    .toLowerCase()
    .replace(/\s*([,=])\s*/g, '$1');

/** Starts an LDAPv3 server on loopback that knows binds with a password, searches and nothing else. */
export async function startLdapServer(
  port: number,
  staff: Staff,
): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
    serve(socket, staff);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as { port: number }).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

/** Answers the messages of a connection in turn. */
function serve(socket: Socket, staff: Staff): void {
  let turn = Promise.resolve();
  let pending: Buffer = Buffer.alloc(0);
  /** Whether the connection has authenticated. */
  let bound = false;
  const onBind = (isBound: boolean) => {
    bound = isBound;
  };
  socket.on('data', (chunk) => {
    pending = Buffer.concat([pending, chunk as Buffer]);
    try {
      for (;;) {
        const reader = new BerReader(pending);
        if (reader.readSequence() === null || reader.length > reader.remain) break;
        const end = reader.offset + reader.length;
        reader.setBufferSize(end);
        pending = pending.subarray(end);
        turn = turn
          .then(() => paused(staff))
          .then(() => answer(socket, reader, staff, bound, onBind))
          .catch(() => void socket.destroy());
      }
      if (pending.length > MAX_MESSAGE) socket.destroy();
    } catch {
      // The message is not LDAP (RFC 4511 §4.1.1: the connection ends).
      socket.destroy();
    }
  });
}

function answer(
  socket: Socket,
  reader: BerReader,
  staff: Staff,
  bound: boolean,
  onBind: (bound: boolean) => void,
): void {
  const id = reader.readInt() ?? 0;
  const operation = reader.readSequence();
  const send = (tag: number, write: (writer: BerWriter) => void): void =>
    void socket.write(message(id, tag, write));
  const finish = (tag: number, code: number, text = ''): void =>
    send(tag, (writer) => {
      writer.writeEnumeration(code);
      writer.writeString('');
      writer.writeString(text);
    });
  if (operation === UNBIND_REQUEST) socket.end();
  else if (operation === BIND_REQUEST) {
    const code = bind(reader, staff);
    onBind(code === SUCCESS);
    finish(BIND_RESPONSE, code);
  } else if (operation === SEARCH_REQUEST) {
    const { code, entries } = search(reader, staff, bound);
    for (const entry of entries) send(SEARCH_ENTRY, (writer) => writeEntry(writer, entry));
    finish(SEARCH_DONE, code);
  } else if (operation === EXTENDED_REQUEST) {
    finish(EXTENDED_RESPONSE, PROTOCOL_ERROR, 'no extended operation is supported, StartTLS included');
  } else if (operation !== ABANDON_REQUEST) {
    finish(responseTo(operation ?? 0), UNWILLING, 'the directory is read only');
  }
}

/** A response is constructed, and its number in the application class follows that of its request. */
const responseTo = (request: number): number => 0x60 | ((request & 0x1f) + 1);

function message(id: number, tag: number, write: (writer: BerWriter) => void): Buffer {
  const writer = new BerWriter();
  writer.startSequence();
  writer.writeInt(id);
  writer.startSequence(tag);
  write(writer);
  writer.endSequence();
  writer.endSequence();
  return writer.buffer;
}

/** RFC 4511 §4.2, simple authentication only. A name without a password is refused (RFC 4513 §5.1.2). */
function bind(reader: BerReader, staff: Staff): number {
  reader.readInt();
  const dn = dnKey(reader.readString() ?? '');
  const password = reader.peek() === Ber.Context ? reader.readString(Ber.Context) : null;
  return password && passwordOf(staff, dn) === password ? SUCCESS : INVALID_CREDENTIALS;
}

/** RFC 4511 §4.5. */
function search(reader: BerReader, staff: Staff, bound: boolean): { code: number; entries: Entry[] } {
  const base = dnKey(reader.readString() ?? '');
  const scope = reader.readEnumeration() ?? 0;
  reader.readEnumeration(); // aliases
  reader.readInt(); // size limit
  reader.readInt(); // time limit
  reader.readBoolean(); // types only
  const filter = readFilter(reader);
  if (base === '' && scope === 0) return { code: SUCCESS, entries: [ROOT] };
  if (!bound) return { code: INSUFFICIENT_RIGHTS, entries: [] };
  const all = entriesOf(staff);
  if (!all.some(({ dn }) => dn === base)) return { code: NO_SUCH_OBJECT, entries: [] };
  const isWithin = ({ dn }: Entry): boolean => {
    if (scope === 0) return dn === base;
    if (scope === 1) return dn.slice(dn.indexOf(',') + 1) === base;
    return dn === base || dn.endsWith(`,${base}`);
  };
  const entries = all.filter((entry) => isWithin(entry) && filter.matches(entry.attributes));
  return { code: SUCCESS, entries };
}

/** The library reads the name in a filter such as (objectClass=*) from the wrong place. */
function readFilter(reader: BerReader): Filter {
  if (reader.peek() !== SearchFilter.present) return FilterParser.parse(reader);
  return new PresenceFilter({ attribute: reader.readString(SearchFilter.present)?.toLowerCase() ?? '' });
}

/** Writes every attribute; clients pick those they asked for. */
function writeEntry(writer: BerWriter, { dn, attributes }: Entry): void {
  writer.writeString(dn);
  writer.startSequence();
  for (const [name, value] of Object.entries(attributes)) {
    writer.startSequence();
    writer.writeString(name);
    writer.startSequence(0x31);
    writer.writeString(value);
    writer.endSequence();
    writer.endSequence();
  }
  writer.endSequence();
}
