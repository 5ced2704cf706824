// Codes and names: https://www.mongodb.com/docs/manual/reference/error-codes/
const CODE_NAMES: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  9: 'FailedToParse',
  13: 'Unauthorized',
  14: 'TypeMismatch',
  15: 'Overflow',
  16: 'InvalidLength',
  20: 'IllegalOperation',
  22: 'InvalidBSON',
  26: 'NamespaceNotFound',
  27: 'IndexNotFound',
  28: 'PathNotViable',
  40: 'ConflictingUpdateOperators',
  43: 'CursorNotFound',
  48: 'NamespaceExists',
  52: 'DollarPrefixedFieldName',
  53: 'InvalidIdField',
  54: 'NotSingleValueField',
  56: 'EmptyFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  115: 'CommandNotSupported',
  123: 'NotAReplicaSet',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  241: 'ConversionFailure',
  322: 'APIVersionError',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
  14031: 'OutOfDiskSpace',
  40414: 'IDLFailedToParse',
  40415: 'IDLUnknownField',
};

/** https://www.sqlite.org/rescode.html#full */
const SQLITE_FULL = 13;

/** An error that the client receives, with MongoDB's code and message. */
export class CommandError extends Error {
  readonly code: number;
  /** Further fields of the reply, such as keyPattern and keyValue. */
  readonly extra: Record<string, unknown>;

  constructor(code: number, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.extra = extra;
  }
}

export const badValue = (message: string) => new CommandError(2, message);
export const failedToParse = (message: string) => new CommandError(9, message);
export const typeMismatch = (message: string) => new CommandError(14, message);

/** A document may nest this deep when it is stored, and BSON this deep when it is sent. */
export const MAX_STORED_DEPTH = 180;
export const MAX_SENT_DEPTH = 200;

export const tooDeep = (limit: number) =>
  new CommandError(15, `Document exceeds maximum nested object depth: ${limit}`);

export const unknownField = (path: string) =>
  new CommandError(40415, `BSON field '${path}' is an unknown field.`);
export const missingField = (path: string) =>
  new CommandError(40414, `BSON field '${path}' is missing but a required field`);

/** The reply to a command that failed as a whole. */
export function errorReply(error: unknown): Record<string, unknown> {
  const { code, message, extra } = asCommandError(error);
  return { ok: 0, errmsg: message, code, codeName: CODE_NAMES[code] ?? `Location${code}`, ...extra };
}

/** An entry of `writeErrors`: one statement of a batch that failed. */
export function writeError(index: number, { code, message, extra }: CommandError): Record<string, unknown> {
  return { index, code, ...extra, errmsg: message };
}

function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  if ((error as { errcode?: unknown } | null)?.errcode === SQLITE_FULL)
    return new CommandError(14031, message);
  return new CommandError(name === 'BSONError' ? 22 : 1, message);
}
