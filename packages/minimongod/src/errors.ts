// Codes and names: https://www.mongodb.com/docs/manual/reference/error-codes/
const CODE_NAMES: Record<number, string> = {
  1: 'InternalError',
  2: 'BadValue',
  5: 'GraphContainsCycle',
  9: 'FailedToParse',
  14: 'TypeMismatch',
  17: 'ProtocolError',
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
  57: 'DottedFieldName',
  59: 'CommandNotFound',
  66: 'ImmutableField',
  67: 'CannotCreateIndex',
  72: 'InvalidOptions',
  73: 'InvalidNamespace',
  85: 'IndexOptionsConflict',
  86: 'IndexKeySpecsConflict',
  115: 'CommandNotSupported',
  168: 'InvalidPipelineOperator',
  171: 'CannotIndexParallelArrays',
  197: 'InvalidIndexSpecificationOption',
  303: 'APIVersionError',
  10334: 'BSONObjectTooLarge',
  11000: 'DuplicateKey',
};

/** An error that a client gets to see, as MongoDB words it. */
export class CommandError extends Error {
  readonly code: number;
  /** Fields that stand beside errmsg and code, such as keyPattern and keyValue. */
  readonly extra: Record<string, unknown>;

  constructor(code: number, message: string, extra: Record<string, unknown> = {}) {
    super(message);
    this.code = code;
    this.extra = extra;
  }
}

function codeName(code: number): string {
  return CODE_NAMES[code] ?? `Location${code}`;
}

export function badValue(message: string): CommandError {
  return new CommandError(2, message);
}

export function failedToParse(message: string): CommandError {
  return new CommandError(9, message);
}

export function typeMismatch(message: string): CommandError {
  return new CommandError(14, message);
}

/** What a command that failed as a whole answers. */
export function errorReply(error: unknown): Record<string, unknown> {
  const { code, message, extra } = asCommandError(error);
  return { ok: 0, errmsg: message, code, codeName: codeName(code), ...extra };
}

/** An entry of `writeErrors`: one statement of a multi-write that failed. */
export function writeError(index: number, error: unknown): Record<string, unknown> {
  const { code, message, extra } = asCommandError(error);
  return { index, code, ...extra, errmsg: message };
}

function asCommandError(error: unknown): CommandError {
  if (error instanceof CommandError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const name = error instanceof Error ? error.name : '';
  // mingo reports a wrong argument as a plain Error of its own; MongoDB's codes for these are one per operator.
  if (name === 'Error' && !('code' in (error as object))) return badValue(message);
  if (name === 'BSONError') return new CommandError(22, message);
  return new CommandError(1, message);
}
