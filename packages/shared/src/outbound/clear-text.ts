/** The connection would carry secrets without TLS. */
export class ClearTextError extends Error {
  constructor() {
    super('the connection would not be encrypted');
  }
}
