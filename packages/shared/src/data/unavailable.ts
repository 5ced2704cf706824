const CONNECTION_ERROR =
  /^(?:Mongo(?:ServerSelection|UnexpectedServerResponse|StalePrimary|ExpiredSession|Network|NetworkTimeout|WaitQueueTimeout|PoolCleared|PoolClosed|NotConnected|TopologyClosed|ServerClosed|ClientClosed)|PoolClearedOnNetwork)Error$/;

/**
 * Error codes of the server after which the same call may succeed. The server adds the label `RetryableWriteError` to
 * most of them, but only for writes of one document.
 * https://github.com/mongodb/specifications/blob/master/source/retryable-writes/retryable-writes.md
 */
const CODES: ReadonlySet<unknown> = new Set([
  6, // HostUnreachable
  7, // HostNotFound
  43, // CursorNotFound: the server has restarted between two batches
  50, // MaxTimeMSExpired
  64, // WriteConcernTimeout: a majority of the replica set did not confirm the write in time
  89, // NetworkTimeout
  91, // ShutdownInProgress
  134, // ReadConcernMajorityNotAvailableYet
  189, // PrimarySteppedDown
  262, // ExceededTimeLimit
  9001, // SocketException
  10107, // NotWritablePrimary
  11600, // InterruptedAtShutdown
  11602, // InterruptedDueToReplStateChange
  13435, // NotPrimaryNoSecondaryOk
  13436, // NotPrimaryOrSecondary
  14031, // OutOfDiskSpace
]);
/** Labels of the driver and the server for errors after which the same call may succeed. */
const LABELS = ['RetryableWriteError', 'RetryableError', 'ResetPool'];

/** The fields of a driver error that tell whether the database was unavailable. */
interface DatabaseError {
  name?: string;
  code?: unknown;
  errorLabelSet?: Set<string>;
  /** The errors of single writes in a bulk write. */
  writeErrors?: { code?: unknown } | { code?: unknown }[];
  result?: { getWriteConcernError?: () => { code?: unknown } | undefined };
  /** The answer of the server or, in a bulk write's error, the error that ended it. */
  errorResponse?: unknown;
}

/** Whether the driver could not reach the database, lost the connection or was told to retry: the same call may succeed. */
export function isDatabaseUnavailable(error: unknown): boolean {
  const {
    name = '',
    code,
    errorLabelSet,
    writeErrors = [],
    result,
    errorResponse,
  } = (error ?? {}) as DatabaseError;
  // The server closed the connection before the driver wrote to it.
  if (CONNECTION_ERROR.test(name) || code === 'EPIPE') return true;
  // LDAP has numbers of its own.
  if (!name.startsWith('Mongo')) return false;
  const unconfirmed = result?.getWriteConcernError?.()?.code;
  const codes = [code, unconfirmed, ...[writeErrors].flat().map((each) => each.code)];
  return (
    codes.some((each) => CODES.has(each)) ||
    LABELS.some((label) => errorLabelSet?.has(label)) ||
    (errorResponse instanceof Error && isDatabaseUnavailable(errorResponse))
  );
}
