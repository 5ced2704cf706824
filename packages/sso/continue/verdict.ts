/** Whether the provider lets a person continue a session. Throws an SsoRefusal when the provider cannot be asked. */
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
