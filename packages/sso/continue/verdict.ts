/** What a provider says about a person who wants to go on. It throws an SsoRefusal when it cannot be asked. */
export type Verdict =
  | { continues: true }
  | {
      continues: false;
      /** For the audit. */
      detail: string;
      /** Every session of the person at the connection, or the session that was asked for. */
      ends: 'person' | 'session';
      /** Whether the provider no longer has the person. */
      isGone?: true;
    };
