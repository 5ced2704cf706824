/** The admin API, however it is reached. */
export interface AdminApi {
  /** Where it is, for messages. */
  where: string;
  /** @throws {ApiError} for every answer that is no success. */
  call(method: string, path: string, body?: object): Promise<unknown>;
  /**
   * Returns the person_id of an account: its user_id or, while it is not verified, the id of its record.
   * @throws {UnknownAddress} if no account has the address.
   */
  personIdOf(email: string): Promise<string>;
  close(): Promise<void>;
}

/** Of operations that no key may call (packages/shared, machine-keys/admit.ts). */
const CLOSED_TO_KEYS = 'A key cannot make this call';

/** The API refused. The message is its text. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string | undefined;
  constructor(status: number, body: unknown) {
    const { error, detail } = (body ?? {}) as {
      error?: { message?: string; code?: string; details?: unknown };
      detail?: string;
    };
    const message = error?.message ?? detail ?? `the answer has status ${status}`;
    const details = typeof error?.details === 'string' ? `: ${error.details}` : '';
    const advice =
      error?.details === CLOSED_TO_KEYS
        ? '. Use the console, or unset GATEHOUSE_URL and work on MONGODB_URI.'
        : '';
    super(`${message}${details}${advice}`);
    this.status = status;
    this.code = error?.code;
  }
}

export class UnknownAddress extends Error {
  constructor(email: string) {
    super(`no account has the address ${email}`);
  }
}
